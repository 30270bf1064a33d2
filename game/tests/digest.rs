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
    (0.0, "4736403aa4f3fb4ea5f4c4274ea00801"),
    (-1.0, "a9fd95d731f26e8c017e122231238283"),
    (1e7, "0ca2b8e9e6d04acd7c402512844cf42d"),
    (-1e7, "1ad7f4925c6612605c4c428fd15952ee"),
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
