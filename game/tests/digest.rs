//! The world is the same whatever makes it: threads, orders, places; and today as when it was pinned.
//!
//! A changed hash here means a changed world. If that was meant, say so in CHANGELOG.md and pin the new one.

use terrane::{
    cli::{At, DigestArgs, GlobalArgs, Order},
    config::Config,
    digest::digest,
    worlds::WORLDS,
};

/// Hashes of 2 x 2 chunks of level 0 around places, seed 1, default settings.
const PLACES: [f64; 4] = [0.0, -1.0, 1e7, -1e7];
const PINNED: [(&str, [&str; 4]); 2] = [
    (
        "terrain",
        ["4736403aa4f3fb4ea5f4c4274ea00801", "a9fd95d731f26e8c017e122231238283", "0ca2b8e9e6d04acd7c402512844cf42d", "1ad7f4925c6612605c4c428fd15952ee"],
    ),
    (
        "lowpoly",
        ["7b4fa0deea01787469f50d837ef8990b", "97f1855ea5625785f3ad2593f33b753f", "8eb62779b0b0c569d461f5d8f8026709", "40175cba01f04f0c51377072e87f9c2f"],
    ),
];

fn hash(world: &str, at: f64, lod: u8, threads: i64, order: Order) -> String {
    let global = GlobalArgs { world: Some(world.into()), seed: Some("1".into()), threads: Some(threads), ..GlobalArgs::default() };
    let config = Config::from_text(&global, "none", "").expect("the defaults are right");
    let args = DigestArgs { area: 2, lod, order, at: At { x_m: at, z_m: at } };
    digest(&config, &args).expect("a hash").to_string()
}

#[test]
fn every_world_is_pinned() {
    let pinned: Vec<_> = PINNED.iter().map(|(world, _)| *world).collect();
    let worlds: Vec<_> = WORLDS.iter().map(|world| world.name).collect();
    assert_eq!(pinned, worlds);
}

/// All pairs of (place, threads), (place, order) and (threads, order) in 16 runs of a world: a Latin square.
#[test]
fn threads_orders_and_places_give_the_pinned_hashes() {
    let threads = [1, 2, 4, 16];
    let orders = [Order::Spiral, Order::Reversed, Order::Shuffled, Order::Spiral];
    for (world, pinned) in PINNED {
        for (row, (at, pinned)) in PLACES.iter().zip(pinned).enumerate() {
            for (column, threads) in threads.iter().enumerate() {
                let order = orders[(row + column) % 4];
                assert_eq!(hash(world, *at, 0, *threads, order), pinned, "{world} at {at}, {threads} threads, {order:?}");
            }
        }
    }
}

#[test]
fn coarse_levels_and_other_places_differ() {
    for world in WORLDS.iter().map(|world| world.name) {
        assert_ne!(hash(world, 0.0, 3, 2, Order::Spiral), hash(world, 0.0, 0, 2, Order::Spiral));
        assert_ne!(hash(world, 512.0, 0, 2, Order::Spiral), hash(world, 0.0, 0, 2, Order::Spiral));
    }
}
