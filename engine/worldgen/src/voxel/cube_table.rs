//! In: nothing. Out: the triangles of each of the 256 ways in which a cell's corners lie inside.
//! Never knows: where the cell is.
//!
//! Made by rule at compile time, not copied: on each face the contour goes around every run of inside corners by itself. Two cells see the
//! same contour on the face they share, so the surface has no holes (the table of Lorensen and Cline 1987 has some).

/// Corner c of a cell lies at x = c & 1, y = c >> 1 & 1, z = c >> 2. Edge `4 axis + i` starts at corner `EDGE_STARTS[4 axis + i]`.
pub(super) const EDGE_STARTS: [u8; 12] = [0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3];
/// Most triangles of a cell.
const TRIANGLES_MAX: usize = 5;

/// Corners of each face, counter-clockwise from outside: -x, +x, -y, +y, -z, +z.
const FACES: [[u8; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

/// Triangles of a case: three edges each.
#[derive(Clone, Copy)]
pub(super) struct Case {
    pub(super) count: u8,
    pub(super) edges: [u8; 3 * TRIANGLES_MAX],
}

/// Bit c of the index: corner c is inside.
pub(super) static CASES: [Case; 256] = make();

const fn make() -> [Case; 256] {
    let mut cases = [Case { count: 0, edges: [0; 3 * TRIANGLES_MAX] }; 256];
    let mut inside = 0;
    while inside < 256 {
        cases[inside] = case(inside);
        inside += 1;
    }
    cases
}

/// The edge between two corners.
const fn edge(a: u8, b: u8) -> u8 {
    let (start, axis) = (if a < b { a } else { b }, (a ^ b).trailing_zeros() as u8);
    let mut i = 4 * axis;
    while EDGE_STARTS[i as usize] != start {
        i += 1;
    }
    i
}

/// Faces that an edge lies in: two bits.
const fn faces_of(edge: u8) -> u8 {
    let (start, axis) = (EDGE_STARTS[edge as usize], edge / 4);
    let (mut faces, mut other) = (0, 0);
    while other < 3 {
        if other != axis {
            faces |= 1 << (2 * other + (start >> other & 1));
        }
        other += 1;
    }
    faces
}

const fn case(inside: usize) -> Case {
    let mut next = contour(inside);
    let mut case = Case { count: 0, edges: [0; 3 * TRIANGLES_MAX] };
    let mut start = 0;
    while start < 12 {
        let (mut ring, mut length, mut at) = ([0u8; 12], 0, start);
        while next[at] != NONE {
            ring[length] = at as u8;
            length += 1;
            let following = next[at];
            next[at] = NONE;
            at = following as usize;
        }
        case = fill_ring(case, ring, length);
        start += 1;
    }
    case
}

const NONE: u8 = 255;

/// For each crossed edge the one that follows it around the surface.
const fn contour(inside: usize) -> [u8; 12] {
    let mut next = [NONE; 12];
    let mut face = 0;
    while face < 6 {
        let corners = FACES[face];
        let mut first = 0;
        while first < 4 {
            // A run of inside corners begins at `first`; the contour leaves it behind its last one.
            let before = corners[(first + 3) % 4];
            if inside >> corners[first] & 1 == 1 && inside >> before & 1 == 0 {
                let mut last = first;
                while inside >> corners[(last + 1) % 4] & 1 == 1 {
                    last += 1;
                }
                next[edge(before, corners[first]) as usize] = edge(corners[last % 4], corners[(last + 1) % 4]);
            }
            first += 1;
        }
        face += 1;
    }
    next
}

/// Cuts triangles off a ring. A cut never runs along a face of the cell if another can be made: the cell behind might make the same.
const fn fill_ring(mut case: Case, mut ring: [u8; 12], mut length: usize) -> Case {
    while length >= 3 {
        let mut ear = 0;
        while length > 3 && ear < length && faces_of(ring[(ear + length - 1) % length]) & faces_of(ring[(ear + 1) % length]) != 0 {
            ear += 1;
        }
        assert!(ear < length, "every ring can be cut without running along a face");
        let triangle = [ring[(ear + length - 1) % length], ring[ear], ring[(ear + 1) % length]];
        let mut i = 0;
        while i < 3 {
            case.edges[3 * case.count as usize + i] = triangle[i];
            i += 1;
        }
        case.count += 1;
        while ear + 1 < length {
            ring[ear] = ring[ear + 1];
            ear += 1;
        }
        length -= 1;
    }
    case
}
