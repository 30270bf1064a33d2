//! In: two pictures. Out: how differently a person sees them (FLIP, Andersson et al. 2020), and files to look at when that is too much.
//! Never knows: what is in a picture.
//!
//! A golden picture is `NAME.png` in a folder `golden`. When a check fails, `NAME.actual.png` and `NAME.heat.png` stand beside it;
//! `cargo run -p terrane-tools --bin golden -- accept` makes what was drawn the new golden.

use nv_flip::{DEFAULT_PIXELS_PER_DEGREE, FlipImageRgb8, flip, magma_lut};
use std::{
    fmt, fs,
    io::{self, BufReader, BufWriter},
    path::{Path, PathBuf},
};

const ACTUAL: &str = "actual.png";
const HEAT: &str = "heat.png";

/// Red, green, blue of each pixel, 8 bits each, rows from the top.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

/// What FLIP says: 0 is the same, 1 is black against white.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Mean over all pixels.
    pub mean: f32,
    /// 99 of 100 pixels differ by at most this.
    pub p99: f32,
    /// The worst pixel.
    pub max: f32,
}

/// How much two pictures may differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest mean.
    pub mean_max: f32,
    /// Largest 99th percentile.
    pub p99_max: f32,
}

/// Why a check of a picture failed.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    /// A file could not be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Bytes that are no picture of 8 bits a channel.
    #[error("{path}: {what}")]
    Format {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Pictures of two sizes.
    #[error("one picture is {} x {} pixels, the other {} x {}", .0.0, .0.1, .1.0, .1.1)]
    Size((u32, u32), (u32, u32)),
    /// There is nothing to compare with yet.
    #[error("{golden} does not exist; look at {actual}, then run: cargo run -p terrane-tools --bin golden -- accept")]
    Missing {
        /// The golden picture.
        golden: PathBuf,
        /// What was drawn.
        actual: PathBuf,
    },
    /// The pictures differ by more than is allowed.
    #[error("{golden}: {difference}; allowed: {limits}. Look at {heat}; if the new picture is right, run: cargo run -p terrane-tools --bin golden -- accept")]
    Differs {
        /// The golden picture.
        golden: PathBuf,
        /// By how much.
        difference: Difference,
        /// How much it may be.
        limits: Limits,
        /// Where the difference is drawn.
        heat: PathBuf,
    },
}

/// Compares what was drawn with a golden picture. On failure leaves the picture and a heat map beside it.
pub fn check(golden: &Path, actual: &Picture, limits: Limits) -> Result<Difference, GoldenError> {
    let (actual_path, heat_path) = (golden.with_extension(ACTUAL), golden.with_extension(HEAT));
    if !golden.exists() {
        write(&actual_path, actual)?;
        return Err(GoldenError::Missing { golden: golden.to_owned(), actual: actual_path });
    }
    let compared = read(golden).and_then(|expected| compare(&expected, actual));
    let Ok((difference, heat)) = compared else {
        write(&actual_path, actual)?;
        return compared.map(|(difference, _)| difference);
    };
    if !limits.hold(&difference) {
        write(&actual_path, actual)?;
        write(&heat_path, &heat)?;
        return Err(GoldenError::Differs { golden: golden.to_owned(), difference, limits, heat: heat_path });
    }
    // What an earlier failure left would only mislead; that it is not there is the usual case.
    let _ = (fs::remove_file(&actual_path), fs::remove_file(&heat_path));
    Ok(difference)
}

/// How two pictures of one size differ, and where: a heat map, black where they are the same.
pub fn compare(expected: &Picture, actual: &Picture) -> Result<(Difference, Picture), GoldenError> {
    if expected.size() != actual.size() {
        return Err(GoldenError::Size(expected.size(), actual.size()));
    }
    let (width, height) = expected.size();
    let flip_of = |picture: &Picture| FlipImageRgb8::with_data(width, height, &picture.rgb);
    let errors = flip(flip_of(expected), flip_of(actual), DEFAULT_PIXELS_PER_DEGREE);
    let heat = Picture { width, height, rgb: errors.apply_color_lut(&magma_lut()).to_vec() };
    Ok((Difference::of(errors.to_vec()), heat))
}

/// Makes every picture that a failed check left in `folder` (or below) the golden one. Returns the golden paths.
pub fn accept(folder: &Path) -> Result<Vec<PathBuf>, GoldenError> {
    let mut accepted = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(at(&folder))? {
            let path = entry.map_err(at(&folder))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Some(golden) = golden_of(&path) {
                fs::rename(&path, &golden).map_err(at(&path))?;
                let _ = fs::remove_file(golden.with_extension(HEAT)); // there is none for a new picture
                accepted.push(golden);
            }
        }
    }
    accepted.sort();
    Ok(accepted)
}

fn golden_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?.strip_suffix(ACTUAL)?;
    Some(path.with_file_name(format!("{name}png")))
}

impl Picture {
    /// From RGB or RGBA rows; alpha is dropped. `None` if the bytes are not that many pixels, or none.
    pub fn new(width: u32, height: u32, pixels: &[u8]) -> Option<Picture> {
        let count = (width as usize).checked_mul(height as usize).filter(|count| *count > 0)?;
        let rgb = match pixels.len() {
            length if length == count * 3 => pixels.to_vec(),
            length if length == count * 4 => pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
            _ => return None,
        };
        Some(Picture { width, height, rgb })
    }

    /// Width and height.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Red, green, blue of each pixel.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({} x {})", self.width, self.height)
    }
}

/// Reads a PNG of 8 bits a channel, RGB or RGBA.
pub fn read(path: &Path) -> Result<Picture, GoldenError> {
    let format = |what: String| GoldenError::Format { path: path.to_owned(), what };
    let file = fs::File::open(path).map_err(at(path))?;
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().map_err(|error| format(error.to_string()))?;
    let bytes = reader.output_buffer_size().ok_or_else(|| format("the picture is too large".to_owned()))?;
    let mut pixels = vec![0; bytes];
    let info = reader.next_frame(&mut pixels).map_err(|error| format(error.to_string()))?;
    pixels.truncate(info.buffer_size());
    let is_color = matches!(info.color_type, png::ColorType::Rgb | png::ColorType::Rgba) && info.bit_depth == png::BitDepth::Eight;
    is_color
        .then(|| Picture::new(info.width, info.height, &pixels))
        .flatten()
        .ok_or_else(|| format(format!("{:?} with {:?} bits; needed is RGB or RGBA with 8", info.color_type, info.bit_depth)))
}

/// Writes a PNG, as small as it gets.
pub fn write(path: &Path, picture: &Picture) -> Result<(), GoldenError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(at(folder))?;
    }
    let file = BufWriter::new(fs::File::create(path).map_err(at(path))?);
    let mut encoder = png::Encoder::new(file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&picture.rgb)?;
        writer.finish()
    });
    written.map_err(|error| GoldenError::Format { path: path.to_owned(), what: error.to_string() })
}

fn at(path: &Path) -> impl Fn(io::Error) -> GoldenError + '_ {
    move |source| GoldenError::File { path: path.to_owned(), source }
}

impl Difference {
    fn of(mut errors: Vec<f32>) -> Difference {
        errors.sort_unstable_by(f32::total_cmp);
        let sum: f64 = errors.iter().map(|error| f64::from(*error)).sum();
        let last = errors.len() - 1; // a picture has a pixel
        Difference { mean: (sum / errors.len() as f64) as f32, p99: errors[(last * 99).div_ceil(100)], max: errors[last] }
    }
}

impl Limits {
    /// Whether a difference stays within both. What is not a number does not.
    pub fn hold(&self, difference: &Difference) -> bool {
        difference.mean <= self.mean_max && difference.p99 <= self.p99_max
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FLIP mean {:.5}, p99 {:.5}, max {:.5}", self.mean, self.p99, self.max)
    }
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mean {:.5}, p99 {:.5}", self.mean_max, self.p99_max)
    }
}
