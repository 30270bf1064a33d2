//! PLACEHOLDER types only.
#![allow(missing_docs)]
pub const TEXTURE_EDGE: usize = 512;
#[derive(Clone, Debug)]
pub struct MaterialLayer { pub color: Vec<[u8; 4]>, pub normal: Vec<[u8; 2]>, pub smoothness: Vec<u8> }
fn flat(e: usize, c: [u8; 4]) -> MaterialLayer { MaterialLayer { color: vec![c; e * e], normal: vec![[128, 128]; e * e], smoothness: vec![60; e * e] } }
pub fn grass(_s: u32) -> MaterialLayer { flat(512, [84, 96, 48, 255]) }
pub fn snow(_s: u32) -> MaterialLayer { flat(512, [232, 236, 240, 255]) }
pub fn rock(_s: u32) -> MaterialLayer { flat(512, [128, 120, 112, 255]) }
pub fn mips(m: &MaterialLayer) -> Vec<MaterialLayer> { (0..10).map(|i| flat(512 >> i, m.color[0])).collect() }
