//! Coordinates, hashing, seeds: the vocabulary of every other room.
