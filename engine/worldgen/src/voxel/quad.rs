//! In: a rectangle of equal unit faces. Out: the 8 bytes that a shader pulls.
//! Never knows: the block it lies in.

/// Which way a quad faces. Even: towards greater coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Face {
    /// Up.
    PlusY,
    /// Down.
    MinusY,
    /// +z.
    PlusZ,
    /// -z.
    MinusZ,
    /// +x.
    PlusX,
    /// -x.
    MinusX,
}

impl Face {
    /// All, in the order of [`crate::voxel::Quads`].
    pub const ALL: [Face; 6] = [Face::PlusY, Face::MinusY, Face::PlusZ, Face::MinusZ, Face::PlusX, Face::MinusX];

    /// Unit vector out of the solid: x, y, z.
    pub fn normal(self) -> [i32; 3] {
        let mut normal = [0; 3];
        normal[[1, 1, 2, 2, 0, 0][self as usize]] = if self as usize & 1 == 0 { 1 } else { -1 };
        normal
    }
}

/// A rectangle of unit faces of one material.
///
/// Bits, from the lowest: x, y, z of its first voxel (6 each, 0 to 61, apron left off), extents (6 each, 1 to 62), 2 free;
/// material (16), face (3), 13 free: four corners of ambient occlusion need 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Quad(pub u64);

impl Quad {
    pub(super) const X: u32 = 0;
    pub(super) const Y: u32 = 6;
    pub(super) const Z: u32 = 12;
    pub(super) const FIRST_EXTENT: u32 = 18;
    pub(super) const SECOND_EXTENT: u32 = 24;
    pub(super) const MATERIAL: u32 = 32;
    pub(super) const FACE: u32 = 48;

    fn six(self, shift: u32) -> usize {
        (self.0 >> shift & 63) as usize
    }

    /// First voxel, from 0: x, y, z.
    pub fn first(self) -> [usize; 3] {
        [self.six(Quad::X), self.six(Quad::Y), self.six(Quad::Z)]
    }

    /// Voxels that it spans: x, y, z; 1 along its normal.
    pub fn extent(self) -> [usize; 3] {
        let (first, second) = (self.six(Quad::FIRST_EXTENT), self.six(Quad::SECOND_EXTENT));
        match self.face() {
            Face::PlusY | Face::MinusY => [first, 1, second],
            Face::PlusZ | Face::MinusZ => [first, second, 1],
            Face::PlusX | Face::MinusX => [1, first, second],
        }
    }

    /// The voxels' value.
    pub fn material(self) -> u16 {
        (self.0 >> Quad::MATERIAL) as u16
    }

    /// Where it faces.
    pub fn face(self) -> Face {
        Face::ALL[(self.0 >> Quad::FACE & 7) as usize]
    }
}
