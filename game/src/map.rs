//! In: an area of a world. Out: a picture of its ground from above, lit from the west, or its heights, as PNG.
//! Never knows: the GPU, chunks. It samples the same field as they do.

use crate::{
    cli::{Area, MapArgs},
    config::Config,
    digest::progress,
    error::GameError,
    png_out::{self, Pixels},
    worlds::WorldInstance,
};
use glam::Vec3;
use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};
use terrane_render::Look;
use terrane_worldgen::{GridArea, HEIGHT_UNITS_PER_M, Samples, Scratch};

/// Samples along the edge of a tile: one piece of work.
const TILE: usize = 128;
/// Heights of the 16-bit picture: a unit is 1/16 m, and 0 is 2,048 m below zero; so it spans -2,048 m to 2,047.9 m.
const GREY_UNITS_PER_M: i32 = 16;
const GREY_ZERO_M: i32 = -2048;

/// `terrane map`.
pub fn run(config: &Config, args: &MapArgs) -> Result<(), GameError> {
    let start = Instant::now();
    let world = config.make_world()?;
    let area = grid(&args.area, args.pixels);
    let samples = sample(&world, area, config.threads);
    let edge = area.edge as u32;
    let notes = notes(config, area, args.heights);
    if args.heights {
        let grey: Vec<u16> = samples.height_q.iter().map(|height| grey(*height)).collect();
        png_out::write(&args.out, edge, edge, Pixels::Grey16(&grey), &notes)?;
    } else {
        png_out::write(&args.out, edge, edge, Pixels::Rgb8(&picture(&samples, area.step_m, &world.look)), &notes)?;
    }
    let (low, high) = samples.height_q.iter().fold((i32::MAX, i32::MIN), |(low, high), h| (low.min(*h), high.max(*h)));
    let metres = |height: i32| f64::from(height) / f64::from(HEIGHT_UNITS_PER_M);
    println!(
        "{}: {edge} x {edge} pixels of {} m, heights {:.1} to {:.1} m, {:.2} s",
        args.out.display(),
        area.step_m,
        metres(low),
        metres(high),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The grid of an area: pixels of whole metres, at most so many.
fn grid(area: &Area, pixels: u32) -> GridArea {
    let step_m = (area.size_m / f64::from(pixels)).ceil().max(1.0) as u32;
    let edge = ((area.size_m / f64::from(step_m)) as usize).max(1);
    let half = edge as i64 * i64::from(step_m) / 2;
    GridArea { x_m: area.at.x_m.floor() as i64 - half, z_m: area.at.z_m.floor() as i64 - half, step_m, edge }
}

/// Samples of an area, tile by tile on threads.
pub fn sample(world: &WorldInstance, area: GridArea, threads: usize) -> Samples {
    let tiles = area.edge.div_ceil(TILE);
    let count = area.edge * area.edge;
    let whole = Mutex::new(Samples { edge: area.edge, height_q: vec![0; count], cover: vec![0; count] });
    let next = AtomicUsize::new(0);
    let progress = progress((tiles * tiles) as u64, "ground");
    let stage = terrane_profiling::stage("map tile");
    thread::scope(|scope| {
        for _ in 0..threads.min(tiles * tiles) {
            scope.spawn(|| {
                let (mut scratch, mut samples) = (Scratch::default(), Samples::default());
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= tiles * tiles {
                        return;
                    }
                    let corner = [index % tiles * TILE, index / tiles * TILE];
                    let metres = corner.map(|at| at as i64 * i64::from(area.step_m));
                    let tile = GridArea { x_m: area.x_m + metres[0], z_m: area.z_m + metres[1], step_m: area.step_m, edge: TILE };
                    {
                        let _zone = stage.enter();
                        world.field.fill(&tile, &mut scratch, &mut samples);
                    }
                    place(&samples, corner, &mut whole.lock().unwrap_or_else(PoisonError::into_inner));
                    progress.inc(1);
                }
            });
        }
    });
    progress.finish_and_clear();
    whole.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Copies a tile to its corner; what stands over the edge is left out.
fn place(tile: &Samples, corner: [usize; 2], whole: &mut Samples) {
    let edge = whole.edge;
    let width = TILE.min(edge - corner[0]);
    for row in 0..TILE.min(edge - corner[1]) {
        let (from, to) = (row * TILE, (corner[1] + row) * edge + corner[0]);
        whole.height_q[to..to + width].copy_from_slice(&tile.height_q[from..from + width]);
        whole.cover[to..to + width].copy_from_slice(&tile.cover[from..from + width]);
    }
}

fn grey(height_q: i32) -> u16 {
    let units = height_q / (HEIGHT_UNITS_PER_M / GREY_UNITS_PER_M) - GREY_ZERO_M * GREY_UNITS_PER_M;
    units.clamp(0, i32::from(u16::MAX)) as u16
}

fn notes(config: &Config, area: GridArea, heights: bool) -> Vec<(&'static str, String)> {
    let mut notes = vec![
        ("Software", format!("terrane {}", env!("CARGO_PKG_VERSION"))),
        ("Title", format!("{} seed {}", config.world.name, config.seed.0)),
        ("Area", format!("first pixel at x {} m, z {} m; a pixel is {} m", area.x_m, area.z_m, area.step_m)),
    ];
    if heights {
        notes.push(("Height", format!("metres = value / {GREY_UNITS_PER_M} + {GREY_ZERO_M}")));
    }
    notes
}

/// Colours by the masks of the ground's material, lit by a low sun from the west-north-west, as on printed maps.
fn picture(samples: &Samples, step_m: u32, look: &Look) -> Vec<u8> {
    let edge = samples.edge;
    let sun = Vec3::new(-0.80, 0.50, -0.33).normalize();
    let height = |x: usize, z: usize| samples.height_q[z.min(edge - 1) * edge + x.min(edge - 1)] as f32 / HEIGHT_UNITS_PER_M as f32;
    let mut bytes = Vec::with_capacity(edge * edge * 3);
    for z in 0..edge {
        for x in 0..edge {
            // At the edges the difference is one-sided: half as long.
            let reach = |at: usize| if at == 0 || at == edge - 1 { step_m as f32 } else { 2.0 * step_m as f32 };
            let dx = (height(x + 1, z) - height(x.saturating_sub(1), z)) / reach(x);
            let dz = (height(x, z + 1) - height(x, z.saturating_sub(1))) / reach(z);
            let normal = Vec3::new(-dx, 1.0, -dz).normalize();
            let color = ground_color(height(x, z), normal.y, f32::from(samples.cover[z * edge + x]) / 255.0, look);
            let light = 1.6 * normal.dot(sun).max(0.0) + 0.2 + 0.2 * normal.y;
            bytes.extend((color * light).to_array().map(|linear| (linear.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0) as u8));
        }
    }
    bytes
}

/// Grass or forest, then snow by height, then rock by slope: the order of the ground's material.
fn ground_color(height_m: f32, up: f32, cover: f32, look: &Look) -> Vec3 {
    let rise = |value: f32, low: f32, high: f32| ((value - low) / (high - low)).clamp(0.0, 1.0);
    let soft = |t: f32| t * t * (3.0 - 2.0 * t);
    let forest = rise(cover, look.forest_cover_low, look.forest_cover_high)
        * (1.0 - rise(height_m, look.tree_line_m - 80.0, look.tree_line_m + 40.0))
        * soft(rise(up, 0.70, 0.84));
    let meadow = Vec3::new(0.30, 0.32, 0.12).lerp(Vec3::new(0.17, 0.26, 0.09), cover);
    let grown = meadow.lerp(Vec3::new(0.05, 0.10, 0.045), forest * 0.9);
    let snow = rise(height_m, look.snow_offset_m, look.snow_offset_m + look.snow_contrast_m);
    let rock = 1.0 - soft(rise(up, look.rock_low, look.rock_high));
    grown.lerp(Vec3::new(0.80, 0.84, 0.90), snow).lerp(Vec3::new(0.27, 0.25, 0.235), rock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{At, GlobalArgs};

    #[test]
    fn pixels_are_whole_metres_around_the_middle() {
        let area = |size_m, pixels| grid(&Area { at: At { x_m: 0.0, z_m: -5.0 }, size_m }, pixels);
        assert_eq!(area(8192.0, 1024), GridArea { x_m: -4096, z_m: -4101, step_m: 8, edge: 1024 });
        assert_eq!(area(100.0, 1024).edge, 100);
        assert_eq!(area(1000.0, 300), GridArea { x_m: -500, z_m: -505, step_m: 4, edge: 250 });
    }

    #[test]
    fn heights_survive_sixteen_bits_to_a_sixteenth_of_a_metre() {
        assert_eq!(grey(0), 32_768);
        assert_eq!(grey(1024), 32_784);
        assert_eq!((grey(i32::MIN), grey(i32::MAX)), (0, 65_535));
    }

    #[test]
    fn tiles_and_threads_do_not_show() {
        let config = Config::from_text(&GlobalArgs::default(), "", "").expect("defaults");
        let world = config.make_world().expect("a world");
        let area = GridArea { x_m: -77, z_m: 1_000_003, step_m: 3, edge: 150 };
        let mut straight = Samples::default();
        world.field.fill(&area, &mut Scratch::default(), &mut straight);
        assert_eq!(sample(&world, area, 3), straight);
        assert_eq!(sample(&world, area, 1), straight);
    }
}
