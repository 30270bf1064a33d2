//! In: parameters of rings. Out: how many chunks they can want at once, wherever the viewer is.
//! Never knows: a viewer.

use super::{MARGIN_EDGES, RingParams, Shape, range_m, shape::SPHERE_AREA_MIN};

/// Upper bound of the wanted chunks. Level L holds the children of what a disc (ball) of range(L) x merge touches in level L+1; the
/// coarsest level what one of the view distance and the margin touches.
pub(super) fn chunks_max(params: &RingParams, levels: u8) -> usize {
    if let Some(radius) = params.square_chunks {
        return (2 * radius as usize + 1).pow(2);
    }
    let (shape, merge) = (params.shape, f64::from(params.merge_factor));
    let children = if shape == Shape::Volume { 8 } else { 4 };
    let ring = children * touched_max(shape, range_m(params, 0) * merge / shape.edge_m(1));
    let top_edge = shape.edge_m(levels - 1);
    let reach_edges = (f64::from(params.view_distance_m) / top_edge + MARGIN_EDGES) * merge;
    usize::from(levels - 1) * ring + touched_max(shape, reach_edges)
}

/// Most cells of edge 1 that a disc or ball of a radius can touch.
fn touched_max(shape: Shape, radius: f64) -> usize {
    let cells_y = match shape {
        Shape::Plane | Shape::PlaneOf { .. } => false,
        Shape::Volume => true,
        Shape::Sphere { .. } => return patches_max(shape, radius),
    };
    // Centres 1/8 apart in an eighth of a cell; by symmetry each other centre is within 1/16 of one along each axis.
    let reach = radius + 0.0625 * if cells_y { 3f64.sqrt() } else { std::f64::consts::SQRT_2 };
    let cells = reach.ceil() as i32 + 1;
    let near_squared = |at: f64, cell: i32| {
        let low = f64::from(cell) - at;
        low.max(-(low + 1.0)).max(0.0).powi(2)
    };
    let along = |at: f64| -> Vec<f64> { (-cells..=cells).map(|cell| near_squared(at, cell)).collect() };
    let count = |x: f64, y: Option<f64>, z: f64| {
        let (xs, ys, zs) = (along(x), y.map_or(vec![0.0], along), along(z));
        let touched = |z: &f64, y: &f64| xs.iter().filter(|x| **x + y + z < reach * reach).count();
        zs.iter().map(|z| ys.iter().map(|y| touched(z, y)).sum::<usize>()).sum::<usize>()
    };
    let steps = || (0..=4).map(|i| f64::from(i) * 0.125);
    let counts = steps().flat_map(|z| steps().map(move |x| (x, z))).map(|(x, z)| match cells_y {
        false => count(x, None, z),
        true => steps().map(|y| count(x, Some(y), z)).max().unwrap_or(0),
    });
    counts.max().unwrap_or(0)
}

/// What a cap touches lies in a cap one diameter wider, whose area is exactly pi times the square of its straight radius.
fn patches_max(shape: Shape, radius: f64) -> usize {
    let wide = radius + shape.diameter_edges();
    (std::f64::consts::PI * wide * wide / SPHERE_AREA_MIN).ceil() as usize
}
