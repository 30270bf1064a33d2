//! In: a .tracy file and names. Out: success when every name stands in it; else the missing ones and failure.
//! `cargo run -p terrane-profiling --example names_in -- capture.tracy heightmap meshing`
//!
//! The file (Tracy 0.11, server/TracyFileHeader.hpp and TracyFileWrite.hpp): 4 bytes of magic, one of compression (1 is Zstandard), one
//! of the number of streams, then blocks that go round the streams, each with its length before it as 4 bytes, little end first.
#![forbid(unsafe_code)]

use ruzstd::decoding::StreamingDecoder;
use std::{error::Error, fs, io::Read, process::ExitCode};

const MAGIC: &[u8] = &[b't', b'r', 0xfd, b'P'];
const ZSTANDARD: u8 = 1;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let file = words.next().ok_or("names_in FILE NAME...")?;
    let text = unpack(&fs::read(&file).map_err(|error| format!("{file}: {error}"))?)?;
    let missing: Vec<_> = words.filter(|name| !text.windows(name.len()).any(|window| window == name.as_bytes())).collect();
    if missing.is_empty() {
        println!("{file}: all there, {} KiB unpacked", text.len() / 1024);
        return Ok(ExitCode::SUCCESS);
    }
    eprintln!("{file} lacks {}", missing.join(", "));
    Ok(ExitCode::FAILURE)
}

/// The streams one after the other.
fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let rest = bytes.strip_prefix(MAGIC).ok_or("not a file of Tracy 0.11")?;
    let [compression, streams, blocks @ ..] = rest else { return Err("the file ends in its header".into()) };
    if *compression != ZSTANDARD || *streams == 0 {
        return Err(format!("compression {compression} with {streams} streams: this reads Zstandard (1) alone").into());
    }
    let mut packed = vec![Vec::new(); usize::from(*streams)];
    let (mut rest, mut turn) = (blocks, 0);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let block = after.get(..u32::from_le_bytes(*length) as usize).ok_or("the file ends in a block")?;
        packed[turn % usize::from(*streams)].extend_from_slice(block);
        rest = &after[block.len()..];
        turn += 1;
    }
    let mut text = Vec::new();
    for stream in packed.iter().filter(|stream| !stream.is_empty()) {
        unpack_stream(stream, &mut text)?;
    }
    Ok(text)
}

/// An empty last block (RFC 8878, 3.1.1.2): Tracy leaves its frames without an end.
const LAST_BLOCK: [u8; 3] = [1, 0, 0];

fn unpack_stream(stream: &[u8], text: &mut Vec<u8>) -> Result<(), Box<dyn Error>> {
    StreamingDecoder::new(stream.chain(&LAST_BLOCK[..]))?.read_to_end(text)?;
    Ok(())
}
