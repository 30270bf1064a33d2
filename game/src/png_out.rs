//! In: pixels. Out: a PNG file, whole or not there at all.
//! Never knows: what they show.

use crate::error::GameError;
use png::{BitDepth, ColorType, Encoder};
use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// What kind of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pixels<'a> {
    /// sRGB, 3 bytes each.
    Rgb8(&'a [u8]),
    /// sRGB with alpha, 4 bytes each.
    Rgba8(&'a [u8]),
    /// 16-bit grey.
    Grey16(&'a [u16]),
}

/// Writes a picture. `notes` become text chunks of the file: keyword and text, Latin-1. Folders of the path are made.
pub fn write(path: &Path, width: u32, height: u32, pixels: Pixels, notes: &[(&str, String)]) -> Result<(), GameError> {
    let fail = |error| GameError::file("write the picture", path)(error);
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).map_err(fail)?;
    }
    // Written beside its place and then renamed: a reader never sees half a picture.
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part: PathBuf = path.with_file_name(name);
    let written = encode(&part, width, height, pixels, notes).and_then(|()| fs::rename(&part, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&part);
        fail(error)
    })
}

fn encode(path: &Path, width: u32, height: u32, pixels: Pixels, notes: &[(&str, String)]) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let mut encoder = Encoder::new(&mut file, width, height);
    let (color, depth) = match pixels {
        Pixels::Rgb8(_) => (ColorType::Rgb, BitDepth::Eight),
        Pixels::Rgba8(_) => (ColorType::Rgba, BitDepth::Eight),
        Pixels::Grey16(_) => (ColorType::Grayscale, BitDepth::Sixteen),
    };
    encoder.set_color(color);
    encoder.set_depth(depth);
    for (keyword, text) in notes {
        encoder.add_text_chunk((*keyword).to_owned(), text.clone())?;
    }
    let mut writer = encoder.write_header()?;
    match pixels {
        Pixels::Rgb8(bytes) | Pixels::Rgba8(bytes) => writer.write_image_data(bytes)?,
        Pixels::Grey16(values) => writer.write_image_data(&values.iter().flat_map(|value| value.to_be_bytes()).collect::<Vec<u8>>())?,
    }
    writer.finish()?;
    file.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_bits_come_back_as_they_went() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new folder/heights.png");
        write(&path, 2, 2, Pixels::Grey16(&[0, 1, 256, 65535]), &[("Unit", "1/16 m".into())]).expect("written");
        let mut reader = png::Decoder::new(io::BufReader::new(File::open(&path).expect("there"))).read_info().expect("a PNG");
        let mut bytes = [0; 8];
        reader.next_frame(&mut bytes).expect("pixels");
        assert_eq!(bytes, [0, 0, 0, 1, 1, 0, 255, 255]);
        assert!(!folder.path().join("new folder/heights.png.part").exists());
    }

    #[test]
    fn a_place_that_cannot_be_written_is_an_error_of_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = write(folder.path(), 1, 1, Pixels::Rgb8(&[1, 2, 3]), &[]).expect_err("a folder is in the way");
        assert_eq!(error.exit_code(), 5);
    }
}
