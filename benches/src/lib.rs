//! Benchmarks of the engine.
