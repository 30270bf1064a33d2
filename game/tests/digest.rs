//! The world is the same whatever makes it: threads, orders, places; and today as when it was pinned.
//!
//! A changed hash here means a changed world. If that was meant, say so in CHANGELOG.md and pin the new one.

use terrane::{
    cli::{At, DigestArgs, GlobalArgs, Order},
    config::Config,
    digest::digest,
};

/// Hash of 2 x 2 chunks of level 0 around a place, seed 1, default settings.
const PINNED: [(f64, &str); 4] = [
    (0.0, "4ade5f0b2631c3e95111ce26ba77811e"),
    (-1.0, "b2dd1e3b8e0cb161fb8285b9f5bb1df0"),
    (1e7, "8f1904eee481f008a4501b03ee25bd04"),
    (-1e7, "159a8152fcd82b1e6a8327d248b9479b"),
];

fn hash(at: f64, lod: u8, threads: i64, order: Order) -> String {
    let global = GlobalArgs { seed: Some("1".into()), threads: Some(threads), ..GlobalArgs::default() };
    let config = Config::from_text(&global, "none", "").expect("the defaults are right");
    let args = DigestArgs { area: 2, lod, order, at: At { x_m: at, z_m: at } };
    digest(&config, &args).expect("a hash").to_string()
}

/// All pairs of (place, threads), (place, order) and (threads, order) in 16 runs: a Latin square.
#[test]
fn threads_orders_and_places_give_the_pinned_hashes() {
    let threads = [1, 2, 4, 16];
    let orders = [Order::Spiral, Order::Reversed, Order::Shuffled, Order::Spiral];
    for (row, (at, pinned)) in PINNED.iter().enumerate() {
        for (column, threads) in threads.iter().enumerate() {
            let order = orders[(row + column) % 4];
            assert_eq!(hash(*at, 0, *threads, order), *pinned, "at {at}, {threads} threads, {order:?}");
        }
    }
}

#[test]
fn coarse_levels_and_other_places_differ() {
    assert_ne!(hash(0.0, 3, 2, Order::Spiral), hash(0.0, 0, 2, Order::Spiral));
    assert_ne!(hash(512.0, 0, 2, Order::Spiral), hash(0.0, 0, 2, Order::Spiral));
}
