//! In: the lock file and this test's own binary. Out: whether Tracy's client is the right one, and there only when asked for.
//! Never knows: a Tracy server.

use std::{fs, path::Path};

/// What the capture program's protocol asks for; the two crates go together only so.
const CAPTURE_CLIENT: &str = "0.18.4";
const CAPTURE_SYS: &str = "0.23.1";

#[test]
fn the_capture_client_is_the_one_that_its_program_understands() {
    let lock = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock")).expect("the workspace has a lock file");
    let package = |name: &str, version: &str| format!("name = \"{name}\"\nversion = \"{version}\"\n");
    let (_, client) = lock.split_once(&package("tracy-client", CAPTURE_CLIENT)).expect("the lock file holds tracy-client 0.18.4");
    let (client, _) = client.split_once("[[package]]").unwrap_or((client, ""));
    assert!(
        client.contains(&format!("\"tracy-client-sys {CAPTURE_SYS}\"")),
        "captures need another version: cargo update -p tracy-client-sys@WRONG --precise {CAPTURE_SYS}; now:{client}"
    );
}

#[test]
fn tracy_is_in_the_binary_only_with_a_feature() {
    // So that something of it would be linked, if it were there.
    terrane_profiling::start();
    let binary = fs::read(std::env::current_exe().expect("a path")).expect("readable");
    // Put together at run time, or the test would find itself.
    let needle = ["TRACY", "PORT"].join("_");
    let found = binary.windows(needle.len()).any(|window| window == needle.as_bytes());
    assert_eq!(found, cfg!(any(feature = "profiling", feature = "profiling-capture")), "{needle}");
}
