//! Checks of the tree and of pictures: tidy, golden.
