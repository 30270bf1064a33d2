//! In: a seed. Out: what is solid about each prop of the terrain world, in the order of its meshes.
//! Never knows: who runs into it.
//!
//! Trunks are columns, boulders and stones the hull of their own mesh. Leaves, needles and grass give way.

use super::{PropMesh, leafy, pine, stone};
use glam::Vec3;

/// What is solid about a prop of scale 1, metres around the middle of its base.
#[derive(Clone, Debug, PartialEq)]
pub enum PropSolid {
    /// One walks through it.
    Nothing,
    /// An upright column on the base.
    Column {
        /// Its radius.
        radius_m: f32,
        /// Its height.
        height_m: f32,
    },
    /// A bar with round ends.
    Bar {
        /// Its ends, middles of the rounding.
        ends: [Vec3; 2],
        /// Its radius.
        radius_m: f32,
    },
    /// The convex hull of these points.
    Hull(Vec<Vec3>),
}

/// For each of [`super::terrain_props`] of the same seed.
pub fn terrain_solids(seed: u32) -> Vec<PropSolid> {
    let column = |(radius_m, height_m)| PropSolid::Column { radius_m, height_m };
    vec![
        PropSolid::Nothing,
        PropSolid::Nothing,
        PropSolid::Nothing,
        PropSolid::Hull(corners(&stone::stone(seed ^ 4)[0])),
        PropSolid::Hull(corners(&stone::boulder(seed ^ 5)[1])),
        column(pine::trunk_of(&pine::SPRUCE)),
        column(pine::trunk_of(&pine::FIR)),
        column(leafy::BROADLEAF_TRUNK),
        PropSolid::Nothing,
        PropSolid::Bar { ends: stone::log_ends(seed ^ 10), radius_m: stone::LOG_RADIUS_M },
    ]
}

/// Where a mesh has corners, each place once.
fn corners(mesh: &PropMesh) -> Vec<Vec3> {
    let mut corners: Vec<[u32; 3]> = mesh.vertices.iter().map(|vertex| vertex.position.map(f32::to_bits)).collect();
    corners.sort_unstable();
    corners.dedup();
    corners.into_iter().map(|corner| Vec3::from_array(corner.map(f32::from_bits))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::props::terrain_props;

    /// Corners of the finest mesh up to a height, those of leaves and blades left out.
    fn hard_corners(mesh: &PropMesh, below_m: f32) -> Vec<Vec3> {
        let hard = mesh.vertices.iter().filter(|vertex| vertex.color[3] <= 8);
        hard.map(|vertex| Vec3::from_array(vertex.position)).filter(|at| at.y <= below_m).collect()
    }

    #[test]
    fn what_is_solid_is_where_the_mesh_is() {
        for seed in [1, 77] {
            let props = terrain_props(seed);
            let solids = terrain_solids(seed);
            assert_eq!(solids.len(), props.len());
            for (prop, solid) in props.iter().zip(&solids) {
                let mesh = &prop.lods[0];
                match solid {
                    PropSolid::Nothing => {}
                    PropSolid::Column { radius_m, height_m } => {
                        let trunk = hard_corners(mesh, 2.4);
                        assert!(!trunk.is_empty() && *height_m > 3.0 && *height_m < mesh.height_m, "{}", prop.name);
                        for at in trunk {
                            assert!((at.with_y(0.0).length() - radius_m).abs() < 0.2, "{} {at} and a radius of {radius_m} m", prop.name);
                        }
                    }
                    PropSolid::Bar { ends, radius_m } => {
                        let far = |at: &Vec3| {
                            let along = (*at - ends[0]).dot(ends[1] - ends[0]) / (ends[1] - ends[0]).length_squared();
                            (*at - ends[0].lerp(ends[1], along.clamp(0.0, 1.0))).length()
                        };
                        let corners = hard_corners(mesh, 10.0);
                        let mean = corners.iter().map(far).sum::<f32>() / corners.len() as f32;
                        assert!((mean - radius_m).abs() < 0.08, "{}: {mean} {radius_m}", prop.name);
                    }
                    PropSolid::Hull(points) => {
                        let reach = |direction: Vec3, at: &mut dyn Iterator<Item = Vec3>| at.map(|at| at.dot(direction)).fold(f32::MIN, f32::max);
                        for direction in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z, Vec3::new(0.6, 0.5, 0.6)] {
                            let (drawn, solid) = (reach(direction, &mut hard_corners(mesh, 10.0).into_iter()), reach(direction, &mut points.iter().copied()));
                            assert!((drawn - solid).abs() < 0.15 * prop.lods[0].radius_m, "{}: {drawn} {solid}", prop.name);
                        }
                    }
                }
            }
        }
    }
}
