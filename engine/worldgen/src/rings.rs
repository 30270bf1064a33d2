//! In: where the viewer is, and which chunks are there. Out: the chunks that it wants, and the cut of them that is drawn.
//! Never knows: what a chunk holds, who makes it, or how it is drawn.
//!
//! One tree algorithm for three shapes. Let e(L) be the edge of a chunk of level L and range(L) = finest radius x 2^L. A node of level L+1
//! splits when its nearest point is nearer than range(L). Ranges and edges double together, so each doubling of the view distance adds one
//! ring of a constant number of chunks.
//!
//! **No cracks.** Write r for range(L), e for e(L), D x 2e for the diameter of a chunk of level L+1: D = sqrt(2) on the plane, 1.51 on the
//! sphere ([`Shape::diameter_edges`]), sqrt(3) in a volume. Distances obey the triangle inequality, and a chunk of level L is drawn only below
//! a parent nearer than r, so every point of it is nearer than r + 2 D e.
//! - *Neighbours differ by one level at most.* An undivided chunk of level L+2 is not nearer than range(L+1) = 2r. It touches no level L chunk
//!   if 2r >= r + 2 D e.
//! - *The finer side is fully morphed.* Where level L touches an undivided level L+1, the border lies in the latter: not nearer than r.
//!   Level L morphs until [`MORPH_END`] x r, 1/64 before it: at r = 512 m the camera may be 8 m away from where the cut was
//!   chosen, one tick of 1/60 s at 480 m/s, and f32 distances in a shader may round.
//! - *The coarser side is not morphed at all.* The same border is nearer than r + 2 D e, and level L+1 begins to morph at start x 2r. So
//!   start x 2r >= r + 2 D e, that is r >= 2 D e / (2 start - 1), which implies the first. With start = 0.9: plane 3.54 e, sphere 3.78 e,
//!   volume 4.34 e. Defaults: r = 4 e = 512 m (border < 6.83 e, morph from 7.2 e on: 47 m to spare), in a volume r = 4.5 e.
//!   [`Rings::new`] refuses what does not hold it.
//! - *A swap shows nothing.* When a node crosses r, its children are fully morphed (all >= r) and it is not morphed (all < r + 2 D e).
//!
//! **Hysteresis** is in what is wanted, never in what is drawn: children and roots stay wanted until they are `merge_factor` times farther
//! than what called for them (512 m: 20 m), so a step back and forth rebuilds nothing. The cut is a function of the viewer and of what is
//! resident, and descends no farther than the viewer asks: once all is there, spawn, flight and teleport draw the same chunks.

mod bound;
mod shape;

pub use shape::{Shape, cube_to_sphere};

use bound::chunks_max;
use shape::Eye;
use terrane_base::{ChunkKey, Place, WORLD_LIMIT_M};
use thiserror::Error;

/// What makes a set of rings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingParams {
    /// Plane, sphere or volume.
    pub shape: Shape,
    /// Radius of the finest level, metres.
    pub finest_radius_m: f32,
    /// How far the viewer sees along the ground, metres.
    pub view_distance_m: f32,
    /// Where in its range a level begins to morph into the next, as a share.
    pub morph_start: f32,
    /// Chunks stay wanted until they are this many times farther than where they came to be wanted.
    pub merge_factor: f32,
    /// Instead of rings: the square of finest chunks around the viewer, so many in each direction, and nothing else.
    pub square_chunks: Option<u32>,
}

impl RingParams {
    /// The defaults for a shape and a view distance.
    pub fn new(shape: Shape, view_distance_m: f32) -> RingParams {
        let finest_edges = if shape == Shape::Volume { 4.5 } else { 4.0 };
        RingParams {
            shape,
            finest_radius_m: (finest_edges * shape.edge_m(0)) as f32,
            view_distance_m,
            morph_start: 0.9,
            merge_factor: 1.04,
            square_chunks: None,
        }
    }
}

/// Parameters that make no rings.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RingError {
    /// A number out of its range.
    #[error("rings: {field} is {value}, allowed is {low} to {high}")]
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
    /// A level would still be fine where the next one is coarse: the ground would crack.
    #[error(
        "rings: finest_radius_m is {radius_m}, allowed is {low_m:.1} or more with morph_start {morph_start} and chunks of {edge_m:.1} m: \
         else a level begins to morph before it meets the finer one. Raise finest_radius_m or morph_start"
    )]
    MorphOverlap {
        /// The radius given.
        radius_m: f32,
        /// The smallest that works.
        low_m: f64,
        /// The start of the morph given.
        morph_start: f32,
        /// Edge of the finest chunk.
        edge_m: f64,
    },
}

/// Where the viewer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewer {
    /// The place. On the sphere relative to its centre.
    pub place: Place,
    /// Height over the ground, metres. On plane and sphere it adds to the distance along the ground as the third side of a triangle, so
    /// that what is far below is coarse; a volume has true distances and ignores it.
    pub eye_m: f32,
}

/// A chunk that is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Which.
    pub key: ChunkKey,
    /// Smaller first, see [`Rings::wanted`].
    pub priority: u64,
    /// Whether the cut draws it once all is there. Else it is an ancestor of what is drawn, margin, or kept for the way back.
    pub leaf: bool,
}

/// The rings around a viewer. Remembers what was wanted before, and nothing else.
#[derive(Clone, Debug)]
pub struct Rings {
    params: RingParams,
    levels: u8,
    chunks_max: usize,
    /// Nodes whose children are wanted, sorted; and those of the call before.
    split: Vec<ChunkKey>,
    split_before: Vec<ChunkKey>,
    /// Wanted chunks of the coarsest level, sorted; and those of the call before.
    roots: Vec<ChunkKey>,
    roots_before: Vec<ChunkKey>,
    stack: Vec<Node>,
}

/// View distances that make sense, metres: up to 17 levels on the plane.
pub const VIEW_DISTANCE_RANGE_M: (f64, f64) = (64.0, (1u64 << 26) as f64);
/// Largest finest radius in chunk edges: 16 edges make 1,100 chunks a ring, more than any memory budget here.
pub const FINEST_EDGES_MAX: f64 = 16.0;
/// Share of its range where a level has become the next coarser one. See the module for what the last 1/64 is for.
pub const MORPH_END: f64 = 63.0 / 64.0;
/// Wanted beyond the view distance, in edges of the coarsest chunk: at 4 km 1,024 m, more than 3 s at 300 m/s to fill a row of roots.
pub const MARGIN_EDGES: f64 = 1.0;

/// Largest radius of a square of chunks: 33 x 33 of them.
pub const SQUARE_CHUNKS_MAX: f64 = 16.0;

/// A node on its way through the tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    key: ChunkKey,
    priority: u64,
    drawn: bool,
}

/// Classes of priority, in the two top bits.
const ROOTS_FIRST: u64 = 0;
const DETAIL: u64 = 1 << 62;
const KEPT: u64 = 2 << 62;

impl Rings {
    /// Rings, or which parameter is wrong.
    pub fn new(params: RingParams) -> Result<Rings, RingError> {
        check(&params)?;
        let mut levels = 1u8;
        while params.square_chunks.is_none() && range_m(&params, levels - 1) < f64::from(params.view_distance_m) && levels < params.shape.levels_max() {
            levels += 1;
        }
        Ok(Rings {
            params,
            levels,
            chunks_max: chunks_max(&params, levels),
            split: Vec::new(),
            split_before: Vec::new(),
            roots: Vec::new(),
            roots_before: Vec::new(),
            stack: Vec::new(),
        })
    }

    /// Levels in use, the finest 0; the coarsest is one less.
    pub fn levels(&self) -> u8 {
        self.levels
    }

    /// What they were made of.
    pub fn params(&self) -> &RingParams {
        &self.params
    }

    /// Where level `lod` begins and ends to morph, metres, in the distance that [`Viewer::eye_m`] describes. The coarsest never does.
    pub fn morph_range_m(&self, lod: u8) -> (f32, f32) {
        let range = range_m(&self.params, lod);
        ((range * f64::from(self.params.morph_start)) as f32, (range * MORPH_END) as f32)
    }

    /// An upper bound of the chunks that are wanted at a time, wherever the viewer is.
    pub fn chunks_max(&self) -> usize {
        self.chunks_max
    }

    /// The wanted chunks of the coarsest level, as of the last call of [`Rings::wanted`]. When they are all resident, the ground has no hole.
    pub fn roots(&self) -> &[ChunkKey] {
        &self.roots
    }

    /// Every chunk that the viewer wants: what is drawn, its ancestors, a margin of the coarsest level, and what hysteresis keeps. Sorted
    /// by priority: first the roots, near to far: nothing else covers their ground. Then by the error on the screen of what is drawn in the
    /// chunk's place, that is edge over distance of its parent, so that siblings come together and ancestors before descendants. Last what
    /// is only kept.
    pub fn wanted(&mut self, viewer: &Viewer, out: &mut Vec<Wanted>) {
        out.clear();
        let eye = Eye::new(self.params.shape, viewer);
        self.find_roots(&eye);
        std::mem::swap(&mut self.split, &mut self.split_before);
        self.split.clear();
        for &key in &self.roots {
            let priority = ROOTS_FIRST | self.error_order(key, eye.distance_m(key));
            self.stack.push(Node { key, priority, drawn: self.sees(&eye, key) });
        }
        while let Some(Node { key, priority, drawn }) = self.stack.pop() {
            let distance = eye.distance_m(key);
            let splits = self.splits(key, distance);
            out.push(Wanted { key, priority, leaf: drawn && !splits });
            let keeps = || self.splits(key, distance / f64::from(self.params.merge_factor)) && self.split_before.binary_search(&key).is_ok();
            if splits || keeps() {
                self.split.push(key);
                let class = if splits { DETAIL } else { KEPT };
                let priority = class | self.error_order(key, distance);
                let stack = &mut self.stack;
                self.params.shape.children(key, |child| stack.push(Node { key: child, priority, drawn: drawn && splits }));
            }
        }
        self.split.sort_unstable();
        out.sort_unstable_by_key(|wanted| (wanted.priority, wanted.key));
    }

    /// The cut that is drawn, near to far: covers the ground within the view distance exactly once, from resident chunks alone. A chunk
    /// gives way to its children in one step, when each of them is resident or covered by its own children. What no resident chunk covers stays
    /// open; where the roots are resident there is no such place. Depends on its arguments alone, so a call before [`Rings::wanted`] is fine.
    pub fn cut(&self, viewer: &Viewer, resident: &dyn Fn(ChunkKey) -> bool, out: &mut Vec<ChunkKey>) {
        let eye = Eye::new(self.params.shape, viewer);
        let mut found = Vec::with_capacity(self.chunks_max);
        let mut take = |root| _ = self.cover(&eye, root, resident, &mut found);
        match self.params.square_chunks {
            Some(radius) => eye.square(radius, &mut take),
            None => eye.around(self.levels - 1, f64::from(self.params.view_distance_m), &mut take),
        }
        found.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        out.clear();
        out.extend(found.iter().map(|(_, key)| *key));
    }

    /// Edge of a chunk of level `lod`, metres; on the sphere the longest that any has.
    pub fn edge_m(&self, lod: u8) -> f64 {
        self.params.shape.edge_m(lod)
    }

    /// Covers a node by its children, else by itself, else not at all: then `found` is as it was.
    fn cover(&self, eye: &Eye, key: ChunkKey, resident: &dyn Fn(ChunkKey) -> bool, found: &mut Vec<(f64, ChunkKey)>) -> bool {
        let distance = eye.distance_m(key);
        if self.splits(key, distance) {
            let (before, mut all) = (found.len(), true);
            self.params.shape.children(key, |child| all = all && self.cover(eye, child, resident, found));
            if all {
                return true;
            }
            found.truncate(before);
        }
        let is_here = resident(key);
        if is_here {
            found.push((distance, key));
        }
        is_here
    }

    fn splits(&self, key: ChunkKey, distance_m: f64) -> bool {
        key.lod > 0 && distance_m < range_m(&self.params, key.lod - 1)
    }

    fn sees(&self, eye: &Eye, root: ChunkKey) -> bool {
        self.params.square_chunks.is_some() || eye.ground_m(root) < f64::from(self.params.view_distance_m)
    }

    /// Roots come at the view distance and the margin, and go `merge_factor` later.
    fn find_roots(&mut self, eye: &Eye) {
        std::mem::swap(&mut self.roots, &mut self.roots_before);
        self.roots.clear();
        if let Some(radius) = self.params.square_chunks {
            eye.square(radius, &mut |key| self.roots.push(key));
            self.roots.sort_unstable();
            return;
        }
        let top = self.levels - 1;
        let reach = f64::from(self.params.view_distance_m) + MARGIN_EDGES * self.edge_m(top);
        let (roots, before) = (&mut self.roots, &self.roots_before);
        eye.around(top, reach * f64::from(self.params.merge_factor), &mut |key| {
            if eye.ground_m(key) < reach || before.binary_search(&key).is_ok() {
                roots.push(key);
            }
        });
        self.roots.sort_unstable();
    }

    /// Smaller where the error on the screen is larger: distance over edge in 1/65536, below 2^56, then coarse before fine.
    fn error_order(&self, key: ChunkKey, distance_m: f64) -> u64 {
        let ratio_q = (distance_m.max(1.0) / self.edge_m(key.lod) * 65536.0).min((1u64 << 48) as f64) as u64;
        ratio_q << 5 | u64::from(31 - key.lod.min(31))
    }
}

fn range_m(params: &RingParams, lod: u8) -> f64 {
    f64::from(params.finest_radius_m) * (1u64 << lod) as f64
}

fn check(params: &RingParams) -> Result<(), RingError> {
    let within = |field, value: f64, low: f64, high: f64| match (low..=high).contains(&value) {
        true => Ok(()),
        false => Err(RingError::Range { field, value, low, high }),
    };
    if let Shape::Sphere { radius_m } = params.shape {
        within("radius_m", radius_m, 1.0, WORLD_LIMIT_M as f64)?;
    }
    if let Some(radius) = params.square_chunks {
        within("square_chunks", f64::from(radius), 0.0, SQUARE_CHUNKS_MAX)?;
    }
    within("view_distance_m", decimal(params.view_distance_m), VIEW_DISTANCE_RANGE_M.0, VIEW_DISTANCE_RANGE_M.1)?;
    within("morph_start", decimal(params.morph_start), 0.6, 0.98)?;
    // Below 2, or a chunk that is kept could lose its parent; and memory grows with its square.
    within("merge_factor", decimal(params.merge_factor), 1.0, 1.5)?;
    let edge_m = params.shape.edge_m(0);
    let low_m = 2.0 * params.shape.diameter_edges() * edge_m / (2.0 * f64::from(params.morph_start) - 1.0);
    if f64::from(params.finest_radius_m) < low_m {
        return Err(RingError::MorphOverlap { radius_m: params.finest_radius_m, low_m, morph_start: params.morph_start, edge_m });
    }
    within("finest_radius_m", decimal(params.finest_radius_m), low_m, FINEST_EDGES_MAX * edge_m)
}

/// The f64 that is written like this f32: 0.9 and not 0.8999999761581421, in messages and against limits.
fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or(f64::from(value))
}
