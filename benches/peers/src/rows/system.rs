//! Rows 12 and 13: the job graph, and culling without a GPU.

use crate::{
    harness::{Goal, Row, Session, Times},
    scenes,
};
use glam::{Vec3, Vec4};
use std::hint::black_box;
use terrane_base::{
    cull::{Spheres, cull_spheres_with},
    hash::pcg,
};

#[path = "../../../../engine/jobs/examples/overhead.rs"]
#[allow(dead_code, reason = "its main prints the same for itself")]
mod overhead;

pub fn system(session: &mut Session) {
    job_graph(session);
    culling(session, 0x89cf_4d3f_2f94_0b78);
}

/// Row 12: the ratio is ours by the peer's, and should be small.
fn job_graph(session: &mut Session) {
    let name = "12 job graph, 10,000 jobs of nothing: rayon spawns";
    if !session.wants(name) {
        return;
    }
    match overhead::measure(2) {
        Ok([_, bare, graph]) => {
            let [ours, peer] = [graph, bare].map(|mut ms: Vec<f64>| {
                ms.sort_by(f64::total_cmp);
                Times { median_ns: ms[ms.len() / 2] * 1e6, min_ns: ms[0] * 1e6 }
            });
            let (ratio, note) = (ours.median_ns / peer.median_ns, "2 workers; ratio is ours by peer".to_owned());
            session.add(Row { name: name.to_owned(), must: Some(2.0), goal: Some(1.3), lower_is_better: true, ratio, ours, peer, note });
        }
        Err(error) => session.wrong.push(format!("{name}: {error}")),
    }
}

/// A sphere as most code has it.
#[derive(Clone, Copy)]
struct Sphere {
    center: Vec3,
    radius: f32,
}

/// Row 13.
fn culling(session: &mut Session, pinned: u64) {
    const COUNT: usize = 1_000_000;
    let name = "13 cull 1,000,000 spheres: glam loop";
    if !session.wants(name) {
        return;
    }
    let array = |salt: u32, size: f32| -> Vec<f32> { (0..COUNT).map(|i| ((pcg(i as u32 ^ salt << 24) >> 8) as f32 / 8_388_608.0 - 1.0) * size).collect() };
    let (x, y, z) = (array(1, 1000.0), array(2, 200.0), array(3, 1000.0));
    let radius: Vec<f32> = array(4, 1.0).iter().map(|radius| 2.0 + radius).collect();
    // 90 degrees wide, 60 high, looking along -z; near 0.1 m, far 900 m.
    let (wide, high) = (std::f32::consts::FRAC_1_SQRT_2, [0.5, 0.866_025_4]);
    let planes = [
        [wide, 0.0, -wide, 0.0],
        [-wide, 0.0, -wide, 0.0],
        [0.0, high[1], -high[0], 0.0],
        [0.0, -high[1], -high[0], 0.0],
        [0.0, 0.0, -1.0, -0.1],
        [0.0, 0.0, 1.0, 900.0],
    ];
    let spheres: Vec<Sphere> = (0..COUNT).map(|i| Sphere { center: Vec3::new(x[i], y[i], z[i]), radius: radius[i] }).collect();
    let peer_planes = planes.map(Vec4::from_array);
    let (mut seen, mut peer_seen) = (Vec::new(), Vec::new());
    let arrays = Spheres { x: &x, y: &y, z: &z, radius: &radius };
    session.race(
        name,
        Goal::times(5.0, 10.0),
        "",
        |isa| cull_spheres_with(isa, &planes, black_box(arrays), &mut seen),
        || {
            peer_seen.clear();
            for (index, sphere) in black_box(&spheres).iter().enumerate() {
                if peer_planes.iter().all(|plane| plane.dot(sphere.center.extend(1.0)) + sphere.radius > 0.0) {
                    peer_seen.push(index as u32);
                }
            }
        },
    );
    session.check(&format!("{} seen, {} by the peer: alike but for rounding", seen.len(), peer_seen.len()), seen.len().abs_diff(peer_seen.len()) < 10);
    session.check_hash(&format!("{} of 1,000,000 spheres", seen.len()), scenes::hash(seen.iter().map(|index| u64::from(*index))), pinned);
}
