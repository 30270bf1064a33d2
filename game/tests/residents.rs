//! How much stands around a viewer: at the default view distance about a million plants and stones, in every world.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use terrane::{
    chunk_graph::{self, ChunkContext, Instances},
    cli::GlobalArgs,
    config::Config,
    worlds::WORLDS,
};
use terrane_base::Place;
use terrane_jobs::Made;
use terrane_worldgen::{
    rings::{Rings, Viewer},
    scatter::INSTANCES_PER_CHUNK_MAX,
};

/// Instances by (level, prop) in every wanted chunk around the first pose.
fn residents(world: &str) -> (BTreeMap<(u8, u8), usize>, usize) {
    let config = Config::from_text(&GlobalArgs { world: Some(world.into()), ..GlobalArgs::default() }, "", "").expect("defaults");
    let made = config.make_world().expect("a world");
    let place = made.pose_place(&config.world.poses[0]);
    let mut rings = Rings::new(made.ring_params(config.view_distance_m)).expect("rings");
    let mut wanted = Vec::new();
    rings.wanted(&Viewer { place: Place::from_f64(place), eye_m: 2.0 }, &mut wanted);
    let mut jobs = chunk_graph::jobs(ChunkContext::new(made), 2).expect("workers");
    let mut ecs = hecs::World::new();
    for chunk in &wanted {
        let entity = ecs.spawn((chunk.key,));
        jobs.request(entity, chunk.key, chunk.priority).expect("room in the queue");
    }
    assert!(jobs.drain_wave(&mut ecs).failed.is_empty());
    let mut counts = BTreeMap::new();
    let mut full = 0;
    for (key, instances) in ecs.query::<(&terrane_base::ChunkKey, &Made<Instances>)>().iter() {
        full += usize::from(instances.0.0.len() + 100 > INSTANCES_PER_CHUNK_MAX);
        instances.0.0.iter().for_each(|instance| *counts.entry((key.lod, instance.prop())).or_default() += 1);
    }
    (counts, full)
}

#[test]
fn about_a_million_instances_are_resident_where_plants_are_dense() {
    for world in WORLDS {
        let (counts, full) = residents(world.name);
        let total: usize = counts.values().sum();
        println!("{}: {total} instances, {full} chunks full, by (level, prop): {counts:?}", world.name);
        // Fewer than a million in the first world would miss the figure of the design; a diorama is sparser by intent. Many more would cost
        // memory for what nobody sees.
        let least = if world.name == WORLDS[0].name { 1_000_000 } else { 200_000 };
        assert!((least..2_500_000).contains(&total), "{}: {total}", world.name);
    }
}
