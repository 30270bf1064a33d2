//! In: the instances of a chunk. Out: one big buffer of fixed slots that stay on the GPU until their chunk goes.
//! Never knows: what an instance looks like, or which are drawn.

use crate::{Slot, bound::Bound, ground::write_pairs};
use terrane_gpu::{Buffer, Cmd, Device, GpuError};
use terrane_shaders::shared::{CLUSTERS_PER_CHUNK, CULL_GROUP, INSTANCES_PER_CHUNK_MAX, InstanceCluster};
use terrane_worldgen::scatter::Instance;

/// Bytes of a slot: 8,192 x 8 = 64 KiB.
const SLOT_BYTES: u64 = INSTANCES_PER_CHUNK_MAX as u64 * 8;

/// Bytes of a slot's clusters: 64 x 20.
const CLUSTERS_BYTES: u64 = CLUSTERS_PER_CHUNK as u64 * size_of::<InstanceCluster>() as u64;
const _: () = assert!(CLUSTERS_PER_CHUNK * CULL_GROUP == INSTANCES_PER_CHUNK_MAX);

/// How far the spheres of a chunk's instances reach beyond its ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct InstanceBounds {
    pub top_m: f32,
    pub reach_m: f32,
}

impl InstanceBounds {
    fn of(clusters: &[InstanceCluster]) -> InstanceBounds {
        clusters.iter().fold(InstanceBounds::default(), |bounds, cluster| InstanceBounds {
            top_m: bounds.top_m.max(cluster.top_m),
            reach_m: bounds.reach_m.max(cluster.radius_m),
        })
    }
}

/// What holds for instances that follow each other. `sizes`: height, radius of the bounding sphere, both at scale 1, and how far each prop is
/// drawn, metres.
fn cluster_of(instances: &[Instance], sizes: &[[f32; 3]]) -> InstanceCluster {
    let (mut low, mut high) = ([u32::from(u16::MAX); 2], [0; 2]);
    let mut cluster = InstanceCluster::default();
    for instance in instances {
        let at = [instance.words[0] & 0xffff, instance.words[0] >> 16];
        (low, high) = ([low[0].min(at[0]), low[1].min(at[1])], [high[0].max(at[0]), high[1].max(at[1])]);
        let [height_m, radius_m, hide_m] = sizes.get(usize::from(instance.prop())).copied().unwrap_or_default();
        let scale = instance.scale();
        cluster.hide_m = cluster.hide_m.max(hide_m);
        cluster.radius_m = cluster.radius_m.max(radius_m * scale);
        cluster.top_m = cluster.top_m.max((height_m * 0.5 + radius_m) * scale);
    }
    InstanceCluster { x: low[0] | high[0] << 16, z: low[1] | high[1] << 16, ..cluster }
}

pub(crate) struct InstanceStore {
    instances: Bound,
    clusters: Bound,
    bounds: Vec<InstanceBounds>,
}

impl InstanceStore {
    pub(crate) fn new(device: &mut Device, slots: u32) -> Result<InstanceStore, GpuError> {
        Ok(InstanceStore {
            instances: Bound::new(device, "instances", SLOT_BYTES * u64::from(slots))?,
            clusters: Bound::new(device, "instance clusters", CLUSTERS_BYTES * u64::from(slots))?,
            bounds: vec![InstanceBounds::default(); slots as usize],
        })
    }

    /// `sizes`: height, radius and distance of each prop, as [`cluster_of`] takes them.
    pub(crate) fn upload(&mut self, device: &mut Device, cmd: &mut Cmd, slot: Slot, instances: &[Instance], sizes: &[[f32; 3]]) -> Result<bool, GpuError> {
        assert!(instances.len() <= INSTANCES_PER_CHUNK_MAX as usize, "scatter keeps to the size of a slot");
        let clusters: Vec<_> = instances.chunks(CULL_GROUP as usize).map(|cluster| cluster_of(cluster, sizes)).collect();
        self.bounds[slot.0 as usize] = InstanceBounds::of(&clusters);
        if instances.is_empty() {
            return Ok(true);
        }
        let write = |bytes: &mut [u8]| write_pairs(instances.iter().map(|instance| instance.words), bytes);
        let slot = u64::from(slot.0);
        Ok(device.upload_with(cmd, &self.instances.buffer, slot * SLOT_BYTES, instances.len() as u64 * 8, write)?
            && device.upload(cmd, &self.clusters.buffer, slot * CLUSTERS_BYTES, InstanceCluster::slice_bytes(&clusters))?)
    }

    /// By slot.
    pub(crate) fn bounds(&self) -> &[InstanceBounds] {
        &self.bounds
    }

    pub(crate) fn buffer(&self) -> &Buffer {
        &self.instances.buffer
    }

    pub(crate) fn index(&self) -> u32 {
        self.instances.index
    }

    pub(crate) fn clusters_index(&self) -> u32 {
        self.clusters.index
    }

    pub(crate) fn destroy(self, device: &mut Device) {
        self.instances.destroy(device);
        self.clusters.destroy(device);
    }
}
