//! In: the files of this crate as committed. Out: proof that they belong together.
//! Never knows: a driver; only the last test knows the compiler.

use std::path::Path;

use terrane_shaders::compiled::{COMPILER, Compiled};
use terrane_shaders::declare::shared_glsl;
use terrane_shaders::source::{SHARED_GLSL, Sources};
use terrane_shaders::{SHADERS, ShaderError, spirv};

const AGAIN: &str = "run: cargo run -p terrane-shaders --features shaderc --bin shaders-compile";

fn crate_dir() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources() -> Sources {
    Sources::read(&crate_dir().join("glsl")).unwrap()
}

fn read_text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap().replace("\r\n", "\n")
}

#[test]
fn the_generated_glsl_is_fresh() {
    let on_disk = read_text(&crate_dir().join("glsl").join(SHARED_GLSL));
    assert!(on_disk == shared_glsl(), "{SHARED_GLSL} is older than shared.rs; {AGAIN}");
}

#[test]
fn table_sources_and_compiled_files_are_the_same_set() {
    let sources = sources();
    let in_folder: Vec<&str> = sources.shaders().collect();
    let in_table: Vec<&str> = SHADERS.iter().map(|(name, _)| *name).collect();
    let mut compiled: Vec<String> = std::fs::read_dir(crate_dir().join("spirv"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|file| file.strip_suffix(".spv").unwrap_or_else(|| panic!("spirv/{file} is no .spv file")).to_string())
        .collect();
    compiled.sort();
    assert_eq!(in_table, in_folder, "table.rs and glsl/ differ; {AGAIN}");
    assert_eq!(compiled, in_folder, "spirv/ and glsl/ differ; {AGAIN}");
}

#[test]
fn every_compiled_file_comes_from_its_source_as_it_is_now() {
    let sources = sources();
    for (name, bytes) in SHADERS {
        let compiled = Compiled::from_bytes(name, bytes).unwrap();
        assert!(compiled.source_hash == sources.hash(name).unwrap(), "{name} or an include changed; {AGAIN}");
        assert_eq!(spirv(name).unwrap(), compiled.words);
    }
}

#[test]
fn an_unknown_name_lists_the_known_ones() {
    let error = spirv("nothing.vert").unwrap_err();
    assert!(matches!(error, ShaderError::Unknown { .. }));
    for (name, _) in SHADERS {
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn headers_name_the_compiler_that_the_lock_file_pins() {
    let lock = read_text(&crate_dir().join("../Cargo.lock"));
    let version = |package: &str| {
        let start = format!("name = \"{package}\"\nversion = \"");
        let (_, rest) = lock.split_once(&start).unwrap_or_else(|| panic!("{package} is not in Cargo.lock"));
        rest.split('"').next().unwrap_or_default().to_string()
    };
    let pinned = format!("shaderc {} sys {}", version("shaderc"), version("shaderc-sys"));
    assert_eq!(COMPILER, pinned, "set compiled::COMPILER to the new pin, then {AGAIN}");
}

#[cfg(feature = "shaderc")]
#[test]
fn compiling_again_gives_the_committed_bytes() {
    use terrane_shaders::update::{Mode, update};
    let again = update(crate_dir(), Mode::Check, true).unwrap();
    assert!(again.errors.is_empty(), "{:?}", again.errors);
    assert_eq!(again.warnings, [""; 0]);
    assert!(again.changed.is_empty() && again.removed.is_empty(), "{:?} {:?}; {AGAIN}", again.changed, again.removed);
}
