//! FLIP tells equal from different, a failed check leaves what a person needs to judge it, and accepting makes it the golden one.

use std::{fs, path::Path};
use tempfile::TempDir;
use terrane_tools::golden::{GoldenError, Limits, Picture, accept, check, compare, read, write};

const LIMITS: Limits = Limits { mean_max: 0.01, p99_max: 0.05 };
const EDGE: u32 = 32;

#[test]
fn the_same_picture_does_not_differ_and_black_is_not_white() {
    let (same, _) = compare(&gradient(0), &gradient(0)).expect("compared");
    assert_eq!((same.mean, same.p99, same.max), (0.0, 0.0, 0.0));
    let (most, heat) = compare(&flat(0), &flat(255)).expect("compared");
    assert!(most.mean > 0.8 && most.p99 >= most.mean && most.max >= most.p99, "{most}");
    assert_eq!(heat.size(), (EDGE, EDGE));
    let (little, _) = compare(&gradient(0), &gradient(8)).expect("compared");
    assert!(little.mean > 0.0 && little.mean < most.mean, "{little}");
}

#[test]
fn one_wrong_pixel_shows_in_the_maximum_and_hardly_in_the_mean() {
    let mut pixels = flat(0).rgb().to_vec();
    pixels[..3].fill(255);
    let (difference, _) = compare(&flat(0), &picture(&pixels)).expect("compared");
    assert!(difference.max > 0.3 && difference.mean < 0.05, "{difference}");
}

#[test]
fn a_failed_check_leaves_files_that_accepting_takes() {
    let folder = TempDir::new().expect("a folder");
    let golden = folder.path().join("golden/valley.png");
    let beside = |name: &str| golden.with_file_name(name);
    assert!(matches!(check(&golden, &flat(9), LIMITS), Err(GoldenError::Missing { .. })));
    assert_eq!(accept(folder.path()).expect("accepted"), std::slice::from_ref(&golden));
    check(&golden, &flat(9), LIMITS).expect("just accepted");

    let error = check(&golden, &flat(200), LIMITS).expect_err("it differs").to_string();
    assert!(error.contains("FLIP mean") && error.contains("accept") && error.contains("valley.heat.png"), "{error}");
    assert!(beside("valley.actual.png").exists() && beside("valley.heat.png").exists());
    check(&golden, &flat(9), LIMITS).expect("right again");
    assert!(!beside("valley.actual.png").exists() && !beside("valley.heat.png").exists(), "old files mislead");

    let _ = check(&golden, &flat(200), LIMITS);
    accept(folder.path()).expect("accepted");
    check(&golden, &flat(200), LIMITS).expect("accepted");
    assert!(!beside("valley.heat.png").exists());
}

#[test]
fn sizes_and_files_are_checked() {
    let small = Picture::new(1, 1, &[1, 2, 3, 255]).expect("RGBA");
    assert_eq!(small.rgb(), [1, 2, 3]);
    assert!(matches!(compare(&small, &flat(0)), Err(GoldenError::Size((1, 1), (EDGE, EDGE)))));
    assert!(Picture::new(2, 2, &[0; 11]).is_none() && Picture::new(0, 2, &[]).is_none());
    assert!(matches!(read(Path::new("nowhere.png")), Err(GoldenError::File { .. })));

    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("a.png");
    write(&path, &gradient(3)).expect("written");
    assert_eq!(read(&path).expect("read"), gradient(3));
    fs::write(&path, "no picture").expect("written");
    assert!(matches!(read(&path), Err(GoldenError::Format { .. })));
}

fn flat(value: u8) -> Picture {
    picture(&[value; (EDGE * EDGE * 3) as usize])
}

fn gradient(offset: u8) -> Picture {
    picture(&(0..EDGE * EDGE * 3).map(|at| (at % 200) as u8 + offset).collect::<Vec<_>>())
}

fn picture(pixels: &[u8]) -> Picture {
    Picture::new(EDGE, EDGE, pixels).expect("the right count")
}
