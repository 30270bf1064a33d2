//! In: voxels and their masks. Out: quads, so that each visible unit face lies in exactly one.
//! Never knows: colours, cameras, or whether the quads are drawn.
//!
//! All six faces in one pass over the layers of y. A row of 64 voxels is 64 lanes; a byte a lane counts how far a face has been carried
//! forward unfinished. What can go on, goes on, all lanes at once; only where a quad ends, the counters are read.
//! The order of merging - forward as far as it goes, then sideways over equals - is that of binary greedy meshing (C. Gerikj 2020).

use super::{
    BLOCK_EDGE, Block, Face, INNER_BITS, Mask, Quad, Voxel,
    grown::{Grown, Tail},
};
use terrane_simd::{Isa, Kernel, Simd};

/// Most quads that a layer ends of one face: all of its own voxels (62 x 62 = 3,844), to the next power of two.
const LAYER_QUADS_MAX: usize = 4096;

type Layer<V> = [[V; BLOCK_EDGE]; BLOCK_EDGE];

/// Quads of a block, face by face in the order of [`Face::ALL`].
#[derive(Clone, Debug, Default)]
pub struct Quads {
    faces: [Grown<Quad, LAYER_QUADS_MAX>; 6],
}

impl Quads {
    /// Quads that face so.
    pub fn face(&self, face: Face) -> &[Quad] {
        self.faces[face as usize].as_slice()
    }

    /// All, face by face.
    pub fn iter(&self) -> impl Iterator<Item = Quad> {
        Face::ALL.into_iter().flat_map(|face| self.face(face).iter().copied())
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.faces.iter().map(Grown::len).sum()
    }
}

type Sink<'a> = Tail<'a, Quad, LAYER_QUADS_MAX>;

/// Visible faces of one layer: a word a row; and which rows have any.
#[derive(Clone)]
struct FaceRows {
    rows: [[u64; BLOCK_EDGE]; 6],
    any: [u64; 6],
}

/// Buffers of the mesher; all counters are 0 between blocks.
pub struct GreedyMesher {
    /// The layer at hand and the next one, in turn.
    layers: Box<[FaceRows; 2]>,
    /// Of +z, -z, +x, -x: how far each face came along y.
    carried: Box<[Layer<u8>; 4]>,
    alike: Box<Alike>,
}

impl Default for GreedyMesher {
    fn default() -> GreedyMesher {
        let empty = FaceRows { rows: [[0; BLOCK_EDGE]; 6], any: [0; 6] };
        GreedyMesher {
            layers: Box::new([empty.clone(), empty]),
            carried: Box::new([[[0; BLOCK_EDGE]; BLOCK_EDGE]; 4]),
            alike: Box::new(Alike { x: [0; BLOCK_EDGE], y: [0; BLOCK_EDGE], z: [0; BLOCK_EDGE] }),
        }
    }
}

/// The arguments of [`GreedyMesher::mesh`].
struct Mesh<'a, V> {
    mesher: &'a mut GreedyMesher,
    voxels: &'a Block<V>,
    shown: &'a Mask,
    hides: &'a Mask,
    out: &'a mut Quads,
}

impl<V: Voxel> Kernel for Mesh<'_, V> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.mesher.mesh_with(s, self.voxels, self.shown, self.hides, self.out);
    }
}

impl GreedyMesher {
    /// Meshes the own voxels of a block: the faces of `shown` towards what is not in `hides`, merged where the voxels are equal.
    ///
    /// Solid ground: both masks are the same. Water: `shown` is the water, `hides` water and solid ground.
    pub fn mesh<V: Voxel>(&mut self, isa: Isa, voxels: &Block<V>, shown: &Mask, hides: &Mask, out: &mut Quads) {
        isa.run(Mesh { mesher: self, voxels, shown, hides, out });
    }

    #[inline(always)]
    fn mesh_with<S: Simd, V: Voxel>(&mut self, s: S, voxels: &Block<V>, shown: &Mask, hides: &Mask, out: &mut Quads) {
        let voxels = voxels.as_chunks::<BLOCK_EDGE>().0;
        let (shown, hides) = (shown.rows.as_chunks::<BLOCK_EDGE>().0, hides.rows.as_chunks::<BLOCK_EDGE>().0);
        out.faces.iter_mut().for_each(Grown::clear);
        let [mut here, mut next] = self.layers.each_mut();
        visible_faces(&shown[1], [&hides[0], &hides[1], &hides[2]], here);
        for y in 1..BLOCK_EDGE - 1 {
            if y + 2 < BLOCK_EDGE {
                visible_faces(&shown[y + 1], [&hides[y], &hides[y + 1], &hides[y + 2]], next);
            } else {
                *next = FaceRows { rows: [[0; BLOCK_EDGE]; 6], any: [0; 6] };
            }
            self.alike.compare(s, [&voxels[y], &voxels[y + 1]], &here.any);
            let alike = &self.alike;
            for face in Face::ALL {
                let f = face as usize;
                if here.any[f] == 0 {
                    continue;
                }
                let rows = [&here.rows[f], &next.rows[f]];
                let place = FacePlace { y, any: here.any[f], code: (face as u64) << Quad::FACE };
                out.faces[f].extend(|sink| match face {
                    Face::PlusY | Face::MinusY => merge_y(s, &voxels[y], alike, rows[0], &place, sink),
                    Face::PlusZ | Face::MinusZ => merge_z(s, &voxels[y], alike, rows, &mut self.carried[f - 2], &place, sink),
                    Face::PlusX | Face::MinusX => merge_x(s, &voxels[y], alike, rows, &mut self.carried[f - 2], &place, sink),
                });
            }
            std::mem::swap(&mut here, &mut next);
        }
    }
}

/// Faces of a layer's own voxels that nothing hides. `hides` are the layers below, at and above it.
#[inline(always)]
fn visible_faces(shown: &[u64; BLOCK_EDGE], hides: [&[u64; BLOCK_EDGE]; 3], out: &mut FaceRows) {
    let [below, level, above] = hides;
    for z in 1..BLOCK_EDGE - 1 {
        let own = shown[z] & INNER_BITS;
        out.rows[0][z] = own & !above[z];
        out.rows[1][z] = own & !below[z];
        out.rows[2][z] = own & !level[z + 1];
        out.rows[3][z] = own & !level[z - 1];
        out.rows[4][z] = own & !(level[z] >> 1);
        out.rows[5][z] = own & !(level[z] << 1);
    }
    for (any, rows) in out.any.iter_mut().zip(&out.rows) {
        *any = rows.iter().enumerate().fold(0, |any, (z, row)| any | u64::from(*row != 0) << z);
    }
}

/// What the quads of a face and layer have in common.
struct FacePlace {
    y: usize,
    any: u64,
    code: u64,
}

impl FacePlace {
    /// A quad from its first voxel (apron counted) and its two extents.
    #[inline(always)]
    fn quad(&self, [x, y, z]: [usize; 3], extents: [usize; 2], material: u16) -> Quad {
        let at = (x as u64) << Quad::X | (y as u64) << Quad::Y | (z as u64) << Quad::Z;
        let sizes = (extents[0] as u64) << Quad::FIRST_EXTENT | (extents[1] as u64) << Quad::SECOND_EXTENT;
        const APRON: u64 = 1 << Quad::X | 1 << Quad::Y | 1 << Quad::Z;
        Quad((at - APRON) | sizes | u64::from(material) << Quad::MATERIAL | self.code)
    }
}

/// Indices of the bits that are set, from the lowest.
#[inline(always)]
pub(super) fn bits(mut word: u64, mut each: impl FnMut(usize)) {
    while word != 0 {
        each(word.trailing_zeros() as usize % BLOCK_EDGE);
        word &= word - 1;
    }
}

/// The row one voxel further along x; its last lane is the next row's first.
#[inline(always)]
fn shifted<V>(layer: &Layer<V>, z: usize) -> &[V; BLOCK_EDGE] {
    let Some(row) = layer.as_flattened()[z * BLOCK_EDGE + 1..].first_chunk() else { unreachable!("the last row is apron") };
    row
}

/// Whether neighbours along an axis are of one material, for the rows of a layer that show any face.
#[derive(Clone)]
struct Alike {
    x: [u64; BLOCK_EDGE],
    y: [u64; BLOCK_EDGE],
    z: [u64; BLOCK_EDGE],
}

impl Alike {
    /// Compares each lane with the next along x, y, z, in the rows whose faces will ask. `voxels` are the layer and the one above.
    #[inline(always)]
    fn compare<S: Simd, V: Voxel>(&mut self, s: S, voxels: [&Layer<V>; 2], any: &[u64; 6]) {
        let [y, z, x] = [0, 2, 4].map(|face| any[face] | any[face + 1]);
        // No face merges along its normal.
        bits(y | z, |z| self.x[z] = V::same(s, &voxels[0][z], shifted(voxels[0], z)));
        bits(z | x, |z| self.y[z] = V::same(s, &voxels[0][z], &voxels[1][z]));
        bits(x | y, |z| self.z[z] = V::same(s, &voxels[0][z], &voxels[0][(z + 1) % BLOCK_EDGE]));
    }
}

/// Quads that end in a row, each the longest run along x of lanes that merge. `ended` are the lanes that cannot go forward; a run that
/// begins at one of them takes its neighbours along, even those that could. Gives the lanes that are taken.
#[inline(always)]
fn runs(ended: u64, joined: u64, mut each: impl FnMut(usize, usize)) -> u64 {
    let (mut open, mut taken) = (ended, 0);
    while open != 0 {
        let x = open.trailing_zeros() as usize % BLOCK_EDGE;
        let length = (joined >> x).trailing_ones() as usize + 1;
        let run = (u64::MAX >> ((BLOCK_EDGE - length) % BLOCK_EDGE)) << x;
        (open, taken) = (open & !run, taken | run);
        each(x, length);
    }
    taken
}

/// Faces up and down: forward along z, the counters in registers; then along x.
#[inline(always)]
fn merge_y<S: Simd, V: Voxel>(s: S, voxels: &Layer<V>, alike: &Alike, rows: &[u64; BLOCK_EDGE], place: &FacePlace, sink: &mut Sink) {
    let mut carried = s.counters();
    let mut counters = [0; BLOCK_EDGE];
    bits(place.any, |z| {
        let row = rows[z];
        let forward = row & rows[(z + 1) % BLOCK_EDGE] & alike.z[z];
        let mut taken = row & !forward;
        if taken != 0 {
            let joined = row & row >> 1 & alike.x[z] & s.equal_next(carried);
            s.store_counters(carried, &mut counters);
            taken = runs(taken, joined, |x, length| {
                let back = usize::from(counters[x]);
                sink.push(place.quad([x, place.y, z - back], [length, back + 1], voxels[z][x].into()));
            });
        }
        carried = s.count(carried, row & !taken, taken);
    });
}

/// Faces along z: forward along y, then along x. `rows` are the faces of the layer and of the one above.
#[inline(always)]
fn merge_z<S: Simd, V: Voxel>(
    s: S,
    voxels: &Layer<V>,
    alike: &Alike,
    rows: [&[u64; BLOCK_EDGE]; 2],
    carried: &mut Layer<u8>,
    place: &FacePlace,
    sink: &mut Sink,
) {
    bits(place.any, |z| {
        let row = rows[0][z];
        let counters = s.load_counters(&carried[z]);
        let forward = row & rows[1][z] & alike.y[z];
        let mut taken = row & !forward;
        if taken != 0 {
            let joined = row & row >> 1 & alike.x[z] & s.equal_next(counters);
            taken = runs(taken, joined, |x, length| {
                let back = usize::from(carried[z][x]);
                sink.push(place.quad([x, place.y - back, z], [length, back + 1], voxels[z][x].into()));
            });
        }
        s.store_counters(s.count(counters, row & !taken, taken), &mut carried[z]);
    });
}

/// Faces along x: each lane is a plane of its own. Forward along y, then along z, those counters in registers.
#[inline(always)]
fn merge_x<S: Simd, V: Voxel>(
    s: S,
    voxels: &Layer<V>,
    alike: &Alike,
    rows: [&[u64; BLOCK_EDGE]; 2],
    carried: &mut Layer<u8>,
    place: &FacePlace,
    sink: &mut Sink,
) {
    let mut aside = s.counters();
    let mut counters = [0; BLOCK_EDGE];
    bits(place.any, |z| {
        let (row, ahead) = (rows[0][z], (z + 1) % BLOCK_EDGE);
        let before = s.load_counters(&carried[z]);
        let mut forward = row & rows[1][z] & alike.y[z];
        if forward != 0 {
            forward &= s.equal_counters(aside, s.counters());
        }
        let rest = row & !forward;
        let mut sideways = rest & rows[0][ahead] & alike.z[z];
        if sideways != 0 {
            sideways &= s.equal_counters(before, s.load_counters(&carried[ahead]));
        }
        let ended = rest & !sideways;
        if ended != 0 {
            s.store_counters(aside, &mut counters);
            bits(ended, |x| {
                let back = [carried[z][x], counters[x]].map(usize::from);
                sink.push(place.quad([x, place.y - back[0], z - back[1]], [back[0] + 1, back[1] + 1], voxels[z][x].into()));
            });
        }
        aside = s.count(aside, sideways, ended);
        s.store_counters(s.count(before, forward, rest), &mut carried[z]);
    });
}
