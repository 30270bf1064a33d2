//! In: boxes with colours. Out: meshes of them: eight corners a box, a colour a corner, no normals.
//! Never knows: what the boxes mean. A normal of zero says: flat, as the triangle lies.

use crate::props::{PropMesh, PropVertex};
use glam::Vec3;

/// A box that stands upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelBox {
    /// Lowest corner, metres.
    pub low: Vec3,
    /// Highest corner.
    pub high: Vec3,
    /// Turn around its own middle, radians.
    pub turn: f32,
    /// Colour at the bottom, sRGB.
    pub bottom: [f32; 3],
    /// Colour at the top.
    pub top: [f32; 3],
    /// Whether it has a bottom face: what stands on the ground needs none.
    pub floor: bool,
}

impl ModelBox {
    /// A box over a point: width, height, depth.
    pub fn standing(base: Vec3, size: Vec3, color: [f32; 3]) -> ModelBox {
        let half = Vec3::new(size.x * 0.5, 0.0, size.z * 0.5);
        ModelBox { low: base - half, high: base + half + Vec3::Y * size.y, turn: 0.0, bottom: color, top: color, floor: true }
    }

    /// Width, height, depth, metres.
    pub fn size(&self) -> Vec3 {
        self.high - self.low
    }

    /// Its eight corners: x fastest, then y, then z.
    pub fn corners(&self) -> [Vec3; 8] {
        let (middle, (sine, cosine)) = ((self.low + self.high) * 0.5, self.turn.sin_cos());
        std::array::from_fn(|i| {
            let pick = |axis: usize| if i >> axis & 1 == 0 { self.low[axis] } else { self.high[axis] };
            let (x, z) = (pick(0) - middle.x, pick(2) - middle.z);
            Vec3::new(middle.x + x * cosine + z * sine, pick(1), middle.z + z * cosine - x * sine)
        })
    }
}

/// Faces by corner, counter-clockwise from outside; the bottom is the first.
const FACES: [[u16; 4]; 6] = [[0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5], [0, 2, 3, 1], [4, 5, 7, 6]];

/// One mesh of boxes.
pub fn mesh_boxes(boxes: &[ModelBox]) -> PropMesh {
    let mut mesh = PropMesh::default();
    for model in boxes {
        let first = u16::try_from(mesh.vertices.len()).expect("a mesh has at most 65,536 corners");
        for (i, at) in model.corners().into_iter().enumerate() {
            let color = if i & 2 == 0 { model.bottom } else { model.top };
            let [red, green, blue] = color.map(|channel| (channel.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
            mesh.vertices.push(PropVertex { position: at.to_array(), normal: [0.0; 3], color: [red, green, blue, 0] });
        }
        for face in FACES.iter().skip(usize::from(!model.floor)) {
            let [a, b, c, d] = face.map(|corner| first + corner);
            mesh.indices.extend([a, b, c, a, c, d]);
        }
    }
    mesh.height_m = mesh.vertices.iter().fold(0.0, |high: f32, vertex| high.max(vertex.position[1]));
    let middle = Vec3::new(0.0, mesh.height_m * 0.5, 0.0);
    mesh.radius_m = mesh.vertices.iter().map(|vertex| (Vec3::from_array(vertex.position) - middle).length()).fold(0.0, f32::max);
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_eight_corners_and_faces_that_look_outward() {
        let model = ModelBox { turn: 0.7, ..ModelBox::standing(Vec3::new(1.0, 0.0, -2.0), Vec3::new(0.2, 2.0, 0.4), [0.5; 3]) };
        let mesh = mesh_boxes(&[model]);
        assert_eq!((mesh.vertices.len(), mesh.indices.len()), (8, 36));
        let middle = (model.low + model.high) * 0.5;
        for triangle in mesh.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| Vec3::from_array(mesh.vertices[usize::from(triangle[i])].position));
            assert!((b - a).cross(c - a).dot((a + b + c) / 3.0 - middle) > 0.0, "{triangle:?} looks inward");
        }
    }

    #[test]
    fn a_box_without_a_floor_has_no_triangle_that_looks_down() {
        let mesh = mesh_boxes(&[ModelBox { floor: false, ..ModelBox::standing(Vec3::ZERO, Vec3::ONE, [0.5; 3]) }]);
        assert_eq!(mesh.indices.len(), 30);
        for triangle in mesh.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| Vec3::from_array(mesh.vertices[usize::from(triangle[i])].position));
            assert!((b - a).cross(c - a).y > -1e-6);
        }
    }
}
