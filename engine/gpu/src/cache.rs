//! In: a folder. Out: a pipeline cache that survives the program, if it was made by the same device and driver.
//! Never knows: pipelines. A cache that cannot be read or written is as good as none, and no error.

use crate::{GpuError, seam::Functions};
use ash::vk;
use std::{
    io,
    path::{Path, PathBuf},
};
use terrane_base::Digest;

/// Begins our file; the last byte is its version.
const MAGIC: [u8; 8] = *b"TERRPIP1";
/// Magic and a digest of the rest: a driver need not survive data that it did not write.
const OWN_HEADER_BYTES: usize = 8 + 16;
/// The header that Vulkan prescribes (specification, "Pipeline Cache Header").
const VULKAN_HEADER_BYTES: usize = 32;
/// A larger file is not ours: a few dozen pipelines take a few MiB.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// What a cache must have been made by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CacheKey {
    pub vendor: u32,
    pub device: u32,
    pub driver: u32,
    pub uuid: [u8; 16],
}

impl CacheKey {
    pub(crate) fn new(properties: &vk::PhysicalDeviceProperties) -> CacheKey {
        CacheKey { vendor: properties.vendor_id, device: properties.device_id, driver: properties.driver_version, uuid: properties.pipeline_cache_uuid }
    }

    /// A file for each device and driver, so that two of them do not overwrite each other's.
    fn file_name(&self) -> String {
        let uuid: String = self.uuid.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("pipelines-{:04x}-{:04x}-{:08x}-{uuid}.bin", self.vendor, self.device, self.driver)
    }
}

pub(crate) struct PipelineCache {
    pub handle: vk::PipelineCache,
    path: Option<PathBuf>,
}

impl PipelineCache {
    pub(crate) fn open(functions: &Functions, folder: Option<&Path>, key: &CacheKey) -> Result<PipelineCache, GpuError> {
        let path = folder.map(|folder| folder.join(key.file_name()));
        let data = path.as_deref().and_then(|path| load(path, key)).unwrap_or_default();
        let create = |data: &[u8]| {
            let info = vk::PipelineCacheCreateInfo::default().initial_data(data);
            // SAFETY: the data is empty, or this device and driver returned it: header and digest were checked.
            functions.call("vkCreatePipelineCache", |device| unsafe { device.create_pipeline_cache(&info, None) })
        };
        let handle = create(&data).or_else(|_| create(&[]))?;
        Ok(PipelineCache { handle, path })
    }

    /// Writes beside the file and renames, so that a killed process leaves the old one.
    pub(crate) fn save(&self, device: &ash::Device) {
        let Some(path) = &self.path else { return };
        // SAFETY: the cache is alive.
        let Ok(data) = (unsafe { device.get_pipeline_cache_data(self.handle) }) else { return };
        if let Err(error) = store(path, &data) {
            tracing::debug!("pipeline cache not saved in {}: {error}", path.display());
        }
    }

    pub(crate) fn destroy(&mut self, device: &ash::Device) {
        // SAFETY: no pipeline is being made.
        unsafe { device.destroy_pipeline_cache(self.handle, None) };
    }
}

fn load(path: &Path, key: &CacheKey) -> Option<Vec<u8>> {
    if std::fs::metadata(path).ok()?.len() > FILE_BYTES_MAX {
        return None;
    }
    let file = std::fs::read(path).ok()?;
    let data = checked(&file, key);
    if data.is_none() {
        tracing::debug!("pipeline cache {} is not of this device and driver, or damaged: made anew", path.display());
    }
    Some(data?.to_vec())
}

fn store(path: &Path, data: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    std::fs::write(&temporary, [&MAGIC[..], &digest(data), data].concat()).and_then(|()| std::fs::rename(&temporary, path)).inspect_err(|_| {
        // Nothing to do if there is none.
        let _ = std::fs::remove_file(&temporary);
    })
}

/// The driver's data within our file, if it is whole and made by this device and driver.
fn checked<'a>(file: &'a [u8], key: &CacheKey) -> Option<&'a [u8]> {
    let (own, data) = file.split_at_checked(OWN_HEADER_BYTES)?;
    let whole = own[..8] == MAGIC && own[8..] == digest(data);
    let header = data.get(..VULKAN_HEADER_BYTES)?;
    let word = |index: usize| u32::from_le_bytes([header[4 * index], header[4 * index + 1], header[4 * index + 2], header[4 * index + 3]]);
    let version = vk::PipelineCacheHeaderVersion::ONE.as_raw() as u32;
    let made_here = word(1) == version && word(2) == key.vendor && word(3) == key.device && header[16..] == key.uuid;
    (whole && made_here).then_some(data)
}

fn digest(data: &[u8]) -> [u8; 16] {
    let mut digest = Digest::default();
    for chunk in data.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        digest.write_u32(u32::from_le_bytes(word));
    }
    digest.write_u64(data.len() as u64);
    let [low, high] = digest.finish().0.map(u64::to_le_bytes);
    std::array::from_fn(|i| if i < 8 { low[i] } else { high[i - 8] })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: CacheKey = CacheKey { vendor: 0x10005, device: 2, driver: 3, uuid: [7; 16] };

    fn file() -> Vec<u8> {
        let mut data = Vec::new();
        [32u32, 1, KEY.vendor, KEY.device].iter().for_each(|word| data.extend_from_slice(&word.to_le_bytes()));
        data.extend_from_slice(&KEY.uuid);
        data.extend_from_slice(b"pipelines");
        [&MAGIC[..], &digest(&data), &data].concat()
    }

    #[test]
    fn a_cache_of_this_driver_is_used() {
        assert_eq!(checked(&file(), &KEY).map(|data| &data[32..]), Some(&b"pipelines"[..]));
    }

    #[test]
    fn a_damaged_cache_is_not() {
        let good = file();
        for length in 0..good.len() {
            assert_eq!(checked(&good[..length], &KEY), None, "cut to {length} bytes");
        }
        for byte in 0..good.len() {
            let mut bad = good.clone();
            bad[byte] ^= 0x10;
            assert_eq!(checked(&bad, &KEY), None, "byte {byte} changed");
        }
    }

    #[test]
    fn a_cache_of_another_device_is_not() {
        for other in [CacheKey { vendor: 1, ..KEY }, CacheKey { device: 1, ..KEY }, CacheKey { uuid: [8; 16], ..KEY }] {
            assert_eq!(checked(&file(), &other), None);
        }
    }
}
