//! In: points. Out: their convex hull, made once and used at many sizes.
//! Never knows: what it is the hull of.

use glam::Vec3;
use rapier3d::{geometry::SharedShape, parry::shape::ConvexPolyhedron};
use std::{fmt, sync::Arc};

/// A convex body. Copies are the same body.
#[derive(Clone)]
pub struct Hull(Arc<ConvexPolyhedron>);

impl Hull {
    /// Around points; `None` if they have no volume.
    pub fn around(points: &[Vec3]) -> Option<Hull> {
        ConvexPolyhedron::from_convex_hull(points).map(|body| Hull(Arc::new(body)))
    }

    /// Its corners.
    pub fn corners(&self) -> &[Vec3] {
        self.0.points()
    }

    /// The shape at a size: scaling costs a hundredth of making it.
    pub(crate) fn scaled(&self, scale: f32) -> Option<SharedShape> {
        ConvexPolyhedron::clone(&self.0).scaled(Vec3::splat(scale)).map(SharedShape::new)
    }
}

impl PartialEq for Hull {
    fn eq(&self, other: &Hull) -> bool {
        self.corners() == other.corners()
    }
}

impl fmt::Debug for Hull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Hull").field(&self.corners().len()).finish()
    }
}
