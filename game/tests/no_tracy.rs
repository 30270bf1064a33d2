//! In: the program as this test's features built it. Out: whether Tracy is in it only where a feature asks for it.
//! Never knows: what Tracy does.

/// Names of the client's functions and of its environment variables: no build with it lacks them, stripped or not.
const TRACES: [&str; 3] = ["___tracy", "TracyClient", "TRACY_NO_EXIT"];

#[test]
fn only_a_profiling_build_has_tracy_in_it() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_terrane")).expect("cargo built it");
    let found: Vec<_> = TRACES.into_iter().filter(|text| program.windows(text.len()).any(|bytes| bytes == text.as_bytes())).collect();
    if cfg!(any(feature = "profiling", feature = "profiling-capture")) {
        assert!(found.contains(&"TRACY_NO_EXIT"), "a profiling build without Tracy: {found:?}");
    } else {
        assert!(found.is_empty(), "a build without a profiling feature holds {found:?}: who depends on tracy-client beside terrane-profiling?");
    }
}
