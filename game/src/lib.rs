//! Terrane turns one seed into a world, without a single asset.
