//! Stage statistics and the facade of Tracy.
