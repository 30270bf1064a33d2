//! In: what the system says about this user's folders. Out: where settings and caches are.
//! Never knows: what is in them. A folder that cannot be found or written is a state: the program works without.

use directories::ProjectDirs;
use std::path::PathBuf;

/// Name of the settings file.
pub const SETTINGS_FILE: &str = "terrane.toml";

/// Where the settings file usually is: the user's configuration folder, for instance `~/.config/terrane/terrane.toml`.
pub fn settings() -> Option<PathBuf> {
    project().map(|dirs| dirs.config_dir().join(SETTINGS_FILE))
}

/// Where caches are, for instance `~/.cache/terrane`. Deleting it costs time at the next start, nothing else.
pub fn cache() -> Option<PathBuf> {
    project().map(|dirs| dirs.cache_dir().to_owned())
}

/// Where pictures go that a key press takes: the current folder.
pub fn pictures() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

fn project() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "terrane")
}
