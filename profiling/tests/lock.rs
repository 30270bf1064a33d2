//! In: Cargo.lock. Out: whether the Tracy clients in it are those that their servers understand.
//! Never knows: Tracy itself.

/// Speaks protocol 66 of Tracy 0.11.0, as the capture program does.
const CAPTURE: (&str, &str) = ("0.18.4", "0.23.1");
/// Speaks protocol 82 of Tracy 0.14.
const WINDOW: &str = "0.19.0";

#[test]
fn the_capture_client_is_pinned() {
    let lock = lock();
    let (client, wanted) = CAPTURE;
    let sys = sys_of(&lock, client).unwrap_or_else(|| {
        panic!("Cargo.lock has no tracy-client {client}: profiling/Cargo.toml asks for it by the feature `profiling-capture`, see profiling/README.md")
    });
    assert_eq!(
        sys, wanted,
        "tracy-client {client} uses tracy-client-sys {sys}, whose protocol the capture program does not speak: \
         run `cargo update -p tracy-client-sys@{sys} --precise {wanted}` and commit Cargo.lock"
    );
}

#[test]
fn the_window_client_is_the_documented_one() {
    let lock = lock();
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("the room has a README");
    assert!(
        sys_of(&lock, WINDOW).is_some(),
        "Cargo.lock has no tracy-client {WINDOW}: after an update, put the new version and the Tracy that speaks its protocol \
         here and into profiling/README.md"
    );
    assert!(readme.contains(&format!("tracy-client {WINDOW}")), "profiling/README.md does not name tracy-client {WINDOW}");
}

fn lock() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock")).expect("the workspace has a Cargo.lock")
}

/// The version of tracy-client-sys that a version of tracy-client is locked to.
fn sys_of(lock: &str, client: &str) -> Option<String> {
    let head = format!("name = \"tracy-client\"\nversion = \"{client}\"\n");
    let package = lock.split("[[package]]\n").find(|package| package.starts_with(&head))?;
    let sys = package.lines().map(str::trim).find(|line| line.starts_with("\"tracy-client-sys"))?;
    match sys.trim_matches(['"', ',']).split_once(' ') {
        Some((_, version)) => Some(version.to_owned()),
        // The lock names a version only where there are several.
        None => lock.split("name = \"tracy-client-sys\"\nversion = \"").nth(1)?.split('"').next().map(str::to_owned),
    }
}
