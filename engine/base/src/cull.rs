//! In: planes and spheres, one array a coordinate. Out: which spheres are not wholly outside.
//! Never knows: cameras, buffers, what a sphere stands for. For a frame without a GPU that culls, and for what is culled on the processor.

use terrane_simd::{Isa, Kernel, LANES_MAX, Simd};

/// Spheres in arrays of equal length.
#[derive(Clone, Copy, Debug)]
pub struct Spheres<'a> {
    /// Centers, x.
    pub x: &'a [f32],
    /// Centers, y.
    pub y: &'a [f32],
    /// Centers, z.
    pub z: &'a [f32],
    /// Radii.
    pub radius: &'a [f32],
}

/// Lists the spheres that reach to the inner side of all planes, in their order. A plane (a, b, c, d) has a x + b y + c z + d > 0 inside,
/// (a, b, c) of unit length. `out` is emptied first; its buffer is kept. Panics if the arrays differ in length.
///
/// ```
/// use terrane_base::cull::{Spheres, cull_spheres};
///
/// // What is in front of z = 0 and left of x = 10.
/// let planes = [[0.0, 0.0, -1.0, 0.0], [-1.0, 0.0, 0.0, 10.0]];
/// let spheres = Spheres { x: &[0.0, 11.5, 0.0], y: &[0.0; 3], z: &[-5.0, -5.0, 3.0], radius: &[1.0, 2.0, 2.0] };
/// let mut seen = Vec::new();
/// cull_spheres(&planes, spheres, &mut seen);
/// assert_eq!(seen, [0, 1]);
/// ```
pub fn cull_spheres(planes: &[[f32; 4]], spheres: Spheres, out: &mut Vec<u32>) {
    cull_spheres_with(Isa::chosen(), planes, spheres, out);
}

/// The same with a given instruction set: the same list.
pub fn cull_spheres_with(isa: Isa, planes: &[[f32; 4]], spheres: Spheres, out: &mut Vec<u32>) {
    let count = spheres.x.len();
    assert!([spheres.y, spheres.z, spheres.radius].iter().all(|array| array.len() == count), "arrays of one length");
    out.clear();
    isa.run(Cull { planes, spheres, out });
}

struct Cull<'a> {
    planes: &'a [[f32; 4]],
    spheres: Spheres<'a>,
    out: &'a mut Vec<u32>,
}

/// Spheres between two looks at `out`: their indices stay in the first-level cache.
const BATCH: usize = 2048;

impl Kernel for Cull<'_> {
    type Out = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Cull { planes, spheres: Spheres { x, y, z, radius }, out } = self;
        let mut seen = [0; BATCH + LANES_MAX];
        for first in (0..x.len()).step_by(BATCH) {
            let (end, mut count) = ((first + BATCH).min(x.len()), 0);
            for at in (first..end).step_by(S::LANES) {
                let [x, y, z, radius] = if at + S::LANES <= end {
                    [s.load(&x[at..]), s.load(&y[at..]), s.load(&z[at..]), s.load(&radius[at..])]
                } else {
                    [s.load_part(&x[at..end]), s.load_part(&y[at..end]), s.load_part(&z[at..end]), s.load_part(&radius[at..end])]
                };
                // What is beyond the last sphere has an index beyond it.
                let index = s.ramp(at as u32, 1);
                let mut inside = s.less_i32(index, s.u32(end as u32));
                for [a, b, c, d] in planes {
                    let distance = s.f32(*a) * x + s.f32(*b) * y + s.f32(*c) * z + s.f32(*d);
                    inside = inside & s.less(s.f32(0.0), distance + radius);
                }
                let ([kept, ..], kept_count) = s.compress(inside, [index; 4]);
                s.store_u32(kept, &mut seen[count..]);
                count += kept_count;
            }
            out.extend_from_slice(&seen[..count]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::pcg;

    #[test]
    fn every_instruction_set_sees_what_a_loop_sees() {
        let dice = |i: usize, salt: u32| (pcg(i as u32 ^ salt << 20) >> 8) as f32 / 8_388_608.0 - 1.0;
        let planes =
            [[0.6, 0.0, -0.8, 12.0], [-0.6, 0.0, -0.8, 30.0], [0.0, 0.8, -0.6, 5.0], [0.0, -0.8, -0.6, 5.0], [0.0, 0.0, -1.0, 3.0], [0.0, 0.0, 1.0, 90.0]];
        for count in [0, 1, 7, 16, 17, 2047, 2048, 2049, 10_001] {
            let array = |salt, size: f32| (0..count).map(|i| dice(i, salt) * size).collect::<Vec<f32>>();
            let (x, y, z, radius) = (array(1, 100.0), array(2, 100.0), array(3, 100.0), array(4, 5.0));
            let spheres = Spheres { x: &x, y: &y, z: &z, radius: &radius };
            let sees = |i: &usize| planes.iter().all(|[a, b, c, d]| a * x[*i] + b * y[*i] + c * z[*i] + d + radius[*i] > 0.0);
            let expected: Vec<u32> = (0..count).filter(sees).map(|i| i as u32).collect();
            for isa in Isa::supported() {
                let mut out = vec![9];
                cull_spheres_with(isa, &planes, spheres, &mut out);
                assert_eq!(out, expected, "{isa} {count}");
            }
        }
    }
}
