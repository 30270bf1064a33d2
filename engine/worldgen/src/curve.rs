//! In: a few points. Out: a smooth table that shapes heights.
//! Never knows: what a height is.

use thiserror::Error;

/// Entries of the table: fine enough that its straight pieces do not show.
const ENTRIES: usize = 257;

/// A curve over [0, 1], read by straight lines between table entries. Below 0 it is its first entry, above 1 its last.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    table: Vec<f32>,
}

/// Points that make no curve.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CurveError {
    /// Too few.
    #[error("a curve needs at least 2 points, it has {count}")]
    Few {
        /// How many there are.
        count: usize,
    },
    /// Not from left to right, or not numbers.
    #[error("point {index} of the curve is ({x}, {y}): x must rise from point to point within 0 to 1, y lie within -10 to 10")]
    Point {
        /// Which.
        index: usize,
        /// Its place.
        x: f32,
        /// Its value.
        y: f32,
    },
}

impl Curve {
    /// A curve through points (x, y) with x rising in [0, 1]: monotone where the points are (Fritsch and Carlson 1980).
    pub fn new(points: &[[f32; 2]]) -> Result<Curve, CurveError> {
        if points.len() < 2 {
            return Err(CurveError::Few { count: points.len() });
        }
        for (index, [x, y]) in points.iter().copied().enumerate() {
            let rises = index == 0 || x > points[index - 1][0];
            if !(rises && (0.0..=1.0).contains(&x) && (-10.0..=10.0).contains(&y)) {
                return Err(CurveError::Point { index, x, y });
            }
        }
        let slopes = slopes(points);
        let table = (0..ENTRIES).map(|i| through(points, &slopes, i as f32 / (ENTRIES - 1) as f32)).collect();
        Ok(Curve { table })
    }

    /// The table: the values at equal steps from 0 to 1.
    pub fn table(&self) -> &[f32] {
        &self.table
    }

    /// The value at x, any x.
    pub fn value(&self, x: f32) -> f32 {
        let at = x * (ENTRIES - 1) as f32;
        if at <= 0.0 {
            return self.table[0];
        }
        if at >= (ENTRIES - 1) as f32 {
            return self.table[ENTRIES - 1];
        }
        let index = at as usize;
        let low = self.table[index];
        low + (self.table[index + 1] - low) * (at - index as f32)
    }
}

fn slopes(points: &[[f32; 2]]) -> Vec<f32> {
    let secants: Vec<f32> = points.windows(2).map(|pair| (pair[1][1] - pair[0][1]) / (pair[1][0] - pair[0][0])).collect();
    let inner = secants.windows(2).map(|pair| if pair[0] * pair[1] <= 0.0 { 0.0 } else { 2.0 * pair[0] * pair[1] / (pair[0] + pair[1]) });
    std::iter::once(secants[0]).chain(inner).chain(secants.last().copied()).collect()
}

fn through(points: &[[f32; 2]], slopes: &[f32], x: f32) -> f32 {
    let last = points.len() - 1;
    if x <= points[0][0] {
        return points[0][1];
    }
    if x >= points[last][0] {
        return points[last][1];
    }
    let i = points.windows(2).position(|pair| x < pair[1][0]).unwrap_or(last - 1);
    let width = points[i + 1][0] - points[i][0];
    let t = (x - points[i][0]) / width;
    let (t2, t3) = (t * t, t * t * t);
    points[i][1] * (2.0 * t3 - 3.0 * t2 + 1.0)
        + slopes[i] * width * (t3 - 2.0 * t2 + t)
        + points[i + 1][1] * (3.0 * t2 - 2.0 * t3)
        + slopes[i + 1] * width * (t3 - t2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_through_its_points_and_is_flat_beyond() {
        let curve = Curve::new(&[[0.0, 0.1], [0.5, 0.2], [1.0, 2.0]]).expect("a curve");
        assert_eq!((curve.value(-3.0), curve.value(0.0), curve.value(9.0)), (0.1, 0.1, 2.0));
        assert!((curve.value(0.5) - 0.2).abs() < 1e-6);
    }

    #[test]
    fn rises_where_its_points_rise() {
        let curve = Curve::new(&[[0.0, 0.0], [0.3, 0.01], [0.4, 0.9], [1.0, 1.0]]).expect("a curve");
        let values: Vec<f32> = (0..=1000).map(|i| curve.value(i as f32 / 1000.0)).collect();
        assert!(values.windows(2).all(|pair| pair[1] >= pair[0]));
    }

    #[test]
    fn bad_points_are_named() {
        assert!(Curve::new(&[[0.0, 0.0]]).is_err());
        let error = Curve::new(&[[0.0, 0.0], [0.5, f32::NAN], [1.0, 1.0]]).expect_err("not a number").to_string();
        assert!(error.starts_with("point 1 "), "{error}");
        assert!(Curve::new(&[[0.5, 0.0], [0.2, 1.0]]).is_err());
    }
}
