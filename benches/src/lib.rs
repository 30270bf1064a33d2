//! Benchmarks of the engine: `cargo bench -p terrane-benches`. What is measured is in `benches/`.
