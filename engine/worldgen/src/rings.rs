//! In: where the viewer is. Out: the chunks that it wants, and the cut of them that is drawn.
//! Never knows: what a chunk holds, who makes it, or how it is drawn.
//!
//! One tree algorithm for three shapes. A node of level L+1 splits when it is nearer than range(L) = finest radius x 2^L; so each doubling
//! of the view distance adds one ring of a constant number of chunks.
//!
//! **No cracks.** Let e be the edge of level L and r = range(L). A level L chunk is drawn because its parent, of edge 2e, is nearer than r; no point
//! of it is then farther than r + 2 sqrt(2) e. Where it touches an undivided level L+1 chunk, the border is not nearer than r.
//! So with the morph of level L ending at r, and that of L+1 beginning at start x 2r, the border is fully morphed on the one
//! side and not at all on the other if start x 2r >= r + 2 sqrt(2) e, that is r >= 2.83 e / (2 start - 1): with start = 0.9, r >= 3.54 e. The
//! default r = 4 e holds it, and `Rings::new` refuses what does not.
//!
//! **Hysteresis** is in what is wanted, not in what is drawn: a ring keeps its chunks until they are `merge_factor` farther than the
//! distance that called for them. The cut depends on the viewer and on residency alone, so any way to a place draws the same.

mod shape;

pub use shape::Shape;

use std::collections::HashSet;
use terrane_base::{ChunkKey, Place};
use thiserror::Error;

/// What makes a set of rings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingParams {
    /// Plane, sphere or volume.
    pub shape: Shape,
    /// Radius of the finest level, in edges of its chunks.
    pub finest_edges: f64,
    /// How far the viewer sees, metres.
    pub view_distance_m: f64,
    /// Where in its range a level begins to morph, 0 to 1.
    pub morph_start: f64,
    /// Chunks are kept until they are this much farther than where they were wanted.
    pub merge_factor: f64,
}

impl RingParams {
    /// The defaults for a shape and a view distance.
    pub fn new(shape: Shape, view_distance_m: f64) -> RingParams {
        RingParams { shape, finest_edges: 4.0, view_distance_m, morph_start: 0.9, merge_factor: 1.15 }
    }
}

/// Parameters that make no rings.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RingError {
    /// A number out of its range.
    #[error("{field} is {value}, allowed is {low} to {high}")]
    Range {
        /// Which.
        field: &'static str,
        /// Its value.
        value: f64,
        /// Smallest.
        low: f64,
        /// Largest.
        high: f64,
    },
}

/// Where the viewer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewer {
    /// The place.
    pub place: Place,
    /// Height over the ground, metres: on the plane it counts as distance, so that what is far below is coarse.
    pub eye_m: f32,
}

/// A chunk that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Which.
    pub key: ChunkKey,
    /// Smaller first: the coarsest level, which makes the ground whole, then by size over distance.
    pub priority: u64,
    /// Whether the ideal cut draws it; else it is an ancestor of what is drawn, kept for the way back.
    pub leaf: bool,
}

/// The rings around a viewer.
#[derive(Clone, Debug)]
pub struct Rings {
    params: RingParams,
    levels: u8,
    split: HashSet<ChunkKey>,
    split_before: HashSet<ChunkKey>,
    roots: Vec<ChunkKey>,
    stack: Vec<(ChunkKey, f64)>,
}

/// View distances that make sense, metres.
pub const VIEW_DISTANCE_RANGE_M: (f64, f64) = (64.0, 1_048_576.0);

impl Rings {
    /// Rings, or which parameter is wrong.
    pub fn new(params: RingParams) -> Result<Rings, RingError> {
        let check = |field, value: f64, low: f64, high: f64| match (low..=high).contains(&value) {
            true => Ok(()),
            false => Err(RingError::Range { field, value, low, high }),
        };
        check("view distance (m)", params.view_distance_m, VIEW_DISTANCE_RANGE_M.0, VIEW_DISTANCE_RANGE_M.1)?;
        check("morph_start", params.morph_start, 0.6, 0.98)?;
        check("merge_factor", params.merge_factor, 1.0, 2.0)?;
        // A volume's diagonal is sqrt(3): 2 sqrt(3) edges instead of 2 sqrt(2).
        let diagonal = 2.0 * if params.shape == Shape::Volume { 3f64.sqrt() } else { 2f64.sqrt() };
        check("finest_edges", params.finest_edges, diagonal / (2.0 * params.morph_start - 1.0), 64.0)?;
        let mut levels = 1u8;
        while range_m(&params, levels - 1) < params.view_distance_m {
            levels += 1;
        }
        let levels = levels.min(params.shape.levels_max());
        Ok(Rings { params, levels, split: HashSet::new(), split_before: HashSet::new(), roots: Vec::new(), stack: Vec::new() })
    }

    /// Levels in use; the coarsest is one less.
    pub fn levels(&self) -> u8 {
        self.levels
    }

    /// Where level `lod` begins and ends to morph, metres. The coarsest never does.
    pub fn morph_range_m(&self, lod: u8) -> (f32, f32) {
        let end = range_m(&self.params, lod);
        ((end * self.params.morph_start) as f32, end as f32)
    }

    /// An upper bound of the chunks that are wanted at a time.
    ///
    /// The children of a level are in nodes of edge 2e that a disc of radius 4e x merge touches: within 4 x 1.15 + 2 x 1.42 edges of
    /// e. The coarsest level reaches the view distance and a margin of one edge.
    pub fn chunks_max(&self) -> usize {
        let area = |radius_edges: f64| match self.params.shape {
            Shape::Volume => (radius_edges.powi(3) * 4.2).ceil() as usize,
            _ => (radius_edges * radius_edges * std::f64::consts::PI).ceil() as usize,
        };
        let ring = area(self.params.finest_edges * self.params.merge_factor + 2.0 * 2f64.sqrt());
        let top_edges = self.params.view_distance_m / self.edge_m(self.levels - 1);
        usize::from(self.levels - 1) * ring + area(top_edges * self.params.merge_factor + 1.0 + 2.0 * 2f64.sqrt())
    }

    /// Every chunk of the ideal tree: what is drawn, its ancestors, and a margin of the coarsest level. Sorted by priority.
    pub fn wanted(&mut self, viewer: &Viewer, out: &mut Vec<Wanted>) {
        out.clear();
        std::mem::swap(&mut self.split, &mut self.split_before);
        self.split.clear();
        self.find_roots(viewer);
        self.stack.extend(self.roots.iter().map(|key| (*key, 0.0)));
        while let Some((key, above)) = self.stack.pop() {
            let distance = self.params.shape.distance_m(viewer, key, self.levels).max(above);
            let factor = if self.split_before.contains(&key) { self.params.merge_factor } else { 1.0 };
            let splits = key.lod > 0 && distance < range_m(&self.params, key.lod - 1) * factor;
            let leaf = !(key.lod > 0 && distance < range_m(&self.params, key.lod - 1));
            out.push(Wanted { key, priority: self.priority(key, distance), leaf });
            if splits {
                self.split.insert(key);
                self.params.shape.children(key, |child| self.stack.push((child, distance)));
            }
        }
        out.sort_unstable_by_key(|wanted| (wanted.priority, wanted.key));
    }

    /// The cut that is drawn: covers what the roots cover exactly once, from resident chunks alone. A parent gives way to its
    /// children when all of them are resident. Sorted near to far.
    pub fn cut(&self, viewer: &Viewer, resident: &dyn Fn(ChunkKey) -> bool, out: &mut Vec<ChunkKey>) {
        let mut found: Vec<(f64, ChunkKey)> = Vec::with_capacity(out.len());
        let mut stack: Vec<(ChunkKey, f64)> = self.roots.iter().filter(|key| resident(**key)).map(|key| (*key, 0.0)).collect();
        while let Some((key, above)) = stack.pop() {
            let distance = self.params.shape.distance_m(viewer, key, self.levels).max(above);
            let mut splits = key.lod > 0 && distance < range_m(&self.params, key.lod - 1);
            if splits {
                self.params.shape.children(key, |child| splits &= resident(child));
            }
            if splits {
                self.params.shape.children(key, |child| stack.push((child, distance)));
            } else {
                found.push((distance, key));
            }
        }
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        out.clear();
        out.extend(found.into_iter().map(|(_, key)| key));
    }

    /// The chunks of the coarsest level around the viewer; the ground is whole when all of them are there.
    pub fn roots(&self) -> &[ChunkKey] {
        &self.roots
    }

    /// Edge of a chunk of level `lod`, metres.
    pub fn edge_m(&self, lod: u8) -> f64 {
        self.params.shape.edge_m() * f64::from(1u32 << lod)
    }

    /// Roots come at the view distance and one edge, and go `merge_factor` later.
    fn find_roots(&mut self, viewer: &Viewer) {
        let top = self.levels - 1;
        let reach = self.params.view_distance_m + 0.5 * self.edge_m(top);
        let keep: HashSet<ChunkKey> = self.roots.drain(..).collect();
        let (roots, shape, levels, factor) = (&mut self.roots, self.params.shape, self.levels, self.params.merge_factor);
        shape.around(viewer, top, reach * factor, |key| {
            let limit = if keep.contains(&key) { reach * factor } else { reach };
            if shape.flat_distance_m(viewer, key, levels) < limit {
                roots.push(key);
            }
        });
        self.roots.sort_unstable();
    }

    fn priority(&self, key: ChunkKey, distance: f64) -> u64 {
        let ratio = distance.max(1.0) / self.edge_m(key.lod);
        let ratio_q = (ratio * 65536.0).min((1u64 << 40) as f64) as u64;
        if key.lod + 1 == self.levels { ratio_q } else { 1 << 48 | ratio_q }
    }
}

fn range_m(params: &RingParams, lod: u8) -> f64 {
    params.finest_edges * params.shape.edge_m() * f64::from(1u32 << lod)
}
