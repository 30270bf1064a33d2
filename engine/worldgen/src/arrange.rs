//! In: the instances of a chunk, kind by kind. Out: the same in an order in which neighbours stand near each other.
//! Never knows: who wants them so. A renderer judges instances in clusters that follow each other; small clusters of one kind are the more
//! often left out as a whole.

use crate::scatter::Instance;

/// Tiles along the edge of a chunk. 64 of them, so a cluster of 128 instances of a full chunk spans about one.
const TILES: u32 = 8;
/// Keys of the order: a group of props, then a tile.
const KEYS: usize = 256 * (TILES * TILES) as usize;

/// Sorts by group, then along a Z-curve of tiles (Morton 1966); within a tile the order stays. `groups`: for each prop, the kind that it belongs
/// to; `edge_units`: the chunk's edge in the units of an instance.
pub fn arrange(instances: &[Instance], groups: &[u8; 256], edge_units: u32, out: &mut Vec<Instance>) {
    let tile_units = (edge_units / TILES).max(1);
    let key = |instance: &Instance| {
        let [x, z] = [instance.words[0] & 0xffff, instance.words[0] >> 16].map(|at| (at / tile_units).min(TILES - 1));
        usize::from(groups[usize::from(instance.prop())]) * (TILES * TILES) as usize + (spread(x) | spread(z) << 1) as usize
    };
    let last = usize::from(groups.iter().copied().max().unwrap_or(0));
    let mut starts = vec![0u32; ((last + 1) * (TILES * TILES) as usize).min(KEYS)];
    instances.iter().for_each(|instance| starts[key(instance)] += 1);
    let mut sum = 0;
    for start in &mut starts {
        (*start, sum) = (sum, sum + *start);
    }
    out.clear();
    out.resize(instances.len(), Instance::default());
    for instance in instances {
        let at = &mut starts[key(instance)];
        out[*at as usize] = *instance;
        *at += 1;
    }
}

/// Three bits, with a gap after each.
fn spread(at: u32) -> u32 {
    (at & 1) | (at & 2) << 1 | (at & 4) << 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use terrane_base::hash::pcg;

    #[test]
    fn nothing_is_lost_and_neighbours_stand_near_each_other() {
        let edge = 128 * 16;
        let place = |i: u32| (pcg(i) % (edge + 1)) | ((pcg(i ^ 77) % (edge + 1)) << 16);
        let instances: Vec<Instance> = (0..4000u32).map(|i| Instance { words: [place(i), ((pcg(i ^ 5) % 5) << 16) | (i << 24)] }).collect();
        let mut groups = [0; 256];
        groups[3..5].fill(1);
        let mut arranged = Vec::new();
        arrange(&instances, &groups, edge, &mut arranged);
        let sorted = |list: &[Instance]| {
            let mut words: Vec<_> = list.iter().map(|instance| instance.words).collect();
            words.sort_unstable();
            words
        };
        assert_eq!(sorted(&instances), sorted(&arranged));
        let of_group: Vec<u8> = arranged.iter().map(|instance| groups[usize::from(instance.prop())]).collect();
        assert!(of_group.is_sorted());
        // About 40 a tile: clusters of 128 are a few tiles wide, not the whole chunk.
        let width = |cluster: &[Instance]| {
            let xs: Vec<_> = cluster.iter().map(|instance| instance.words[0] & 0xffff).collect();
            xs.iter().max().expect("some") - xs.iter().min().expect("some")
        };
        let mean = |list: &[Instance]| list.chunks(128).map(width).sum::<u32>() / list.len().div_ceil(128) as u32;
        assert!(mean(&arranged) * 3 < mean(&instances) * 2, "{} and {}", mean(&arranged), mean(&instances));
    }
}
