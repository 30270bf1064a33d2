//! In: SPIR-V words and where they came from; or the bytes of a `.spv` file of ours. Out: the other of the two.
//! Never knows: GLSL, folders.
//!
//! Layout, little endian: magic (8 bytes), source hash (u64), hash of the words (u64), compiler (32 bytes of ASCII, padded with
//! zeros), options (64 bytes, likewise), then the SPIR-V words. So `tail -c +121 x.spv` is what other tools read.

use crate::error::ShaderError;
use crate::source::{FNV_START, fnv1a};

/// The compiler that `Cargo.lock` pins; a test compares them. Part of every header: a new pin makes every file stale.
pub const COMPILER: &str = "shaderc 0.10.1 sys 0.10.1";

/// The options that [`crate::compile`] sets. Part of every header: change both together.
pub const OPTIONS: &str = "vulkan1.3 spirv1.6 performance no-debug";

/// Ends in the version of this layout.
const MAGIC: &[u8; 8] = b"TERRSPV1";
const COMPILER_BYTES: usize = 32;
const OPTIONS_BYTES: usize = 64;
const HEADER_BYTES: usize = 8 + 8 + 8 + COMPILER_BYTES + OPTIONS_BYTES; // 120, a multiple of 4: words stay aligned

/// The first two words of every module we make.
const SPIRV_MAGIC: u32 = 0x0723_0203;
const SPIRV_VERSION: u32 = 0x0001_0600;

/// A compiled shader and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// [`crate::source::Sources::hash`] of its source.
    pub source_hash: u64,
    /// SPIR-V.
    pub words: Vec<u32>,
}

impl Compiled {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let code: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut bytes = Vec::with_capacity(HEADER_BYTES + code.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.source_hash.to_le_bytes());
        bytes.extend_from_slice(&fnv1a(FNV_START, &code).to_le_bytes());
        bytes.extend_from_slice(&padded::<COMPILER_BYTES>(COMPILER));
        bytes.extend_from_slice(&padded::<OPTIONS_BYTES>(OPTIONS));
        bytes.extend_from_slice(&code);
        bytes
    }

    /// Reads a file that this compiler made with these options, and that is whole.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Compiled, ShaderError> {
        let damaged = |reason: String| ShaderError::Damaged { name: name.into(), reason };
        let Some((header, code)) = bytes.split_at_checked(HEADER_BYTES) else {
            return Err(damaged(format!("it has {} bytes and its header alone takes {HEADER_BYTES}", bytes.len())));
        };
        let (magic, header) = header.split_at(8);
        let (source_hash, header) = header.split_at(8);
        let (code_hash, header) = header.split_at(8);
        let (compiler, options) = header.split_at(COMPILER_BYTES);
        if magic != MAGIC {
            return Err(damaged("it does not start with our header".into()));
        }
        for (what, found, expected) in [("compiler", compiler, COMPILER), ("options", options, OPTIONS)] {
            let found = String::from_utf8_lossy(found);
            let found = found.trim_end_matches('\0');
            if found != expected {
                return Err(damaged(format!("its {what} is {found:?} and this build expects {expected:?}")));
            }
        }
        if code_hash != fnv1a(FNV_START, code).to_le_bytes() || code.len() % 4 != 0 {
            return Err(damaged("its words are not those that were written (was it treated as text?)".into()));
        }
        let words: Vec<u32> = code.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default())).collect();
        if !words.starts_with(&[SPIRV_MAGIC, SPIRV_VERSION]) {
            return Err(damaged("it holds no SPIR-V 1.6".into()));
        }
        let source_hash = u64::from_le_bytes(source_hash.try_into().unwrap_or_default());
        Ok(Compiled { source_hash, words })
    }
}

/// Text in a field of fixed size. Our own constants alone come here, so a text that is too long is a bug.
fn padded<const BYTES: usize>(text: &str) -> [u8; BYTES] {
    let mut field = [0; BYTES];
    field[..text.len()].copy_from_slice(text.as_bytes());
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Compiled {
        Compiled { source_hash: 0x0123_4567_89ab_cdef, words: vec![SPIRV_MAGIC, SPIRV_VERSION, 7] }
    }

    #[test]
    fn a_file_comes_back() {
        let bytes = sample().to_bytes();
        assert_eq!(bytes.len(), HEADER_BYTES + 12);
        assert_eq!(&bytes[HEADER_BYTES..HEADER_BYTES + 4], &[0x03, 0x02, 0x23, 0x07]);
        assert_eq!(Compiled::from_bytes("x", &bytes).unwrap(), sample());
    }

    #[test]
    fn every_single_changed_byte_is_noticed_or_is_the_source_hash() {
        let bytes = sample().to_bytes();
        for index in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[index] ^= 1;
            match Compiled::from_bytes("x", &changed) {
                Err(_) => {}
                Ok(compiled) => assert_ne!(compiled.source_hash, sample().source_hash, "byte {index}"),
            }
        }
    }

    #[test]
    fn every_shortened_file_is_refused() {
        let bytes = sample().to_bytes();
        for length in 0..bytes.len() {
            assert!(Compiled::from_bytes("x", &bytes[..length]).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn another_compiler_is_named() {
        let mut bytes = sample().to_bytes();
        bytes[24..24 + 7].copy_from_slice(b"glslang");
        let error = Compiled::from_bytes("sky.frag", &bytes).unwrap_err().to_string();
        assert!(error.contains("sky.frag") && error.contains("glslang 0.10.1") && error.contains(COMPILER), "{error}");
    }
}
