//! In: a settings file that someone edits. Out: new settings once they are right, or why they are refused.
//! Never knows: what is done with them; whoever asks keeps the last good ones until there are new ones.

use crate::{
    cli::GlobalArgs,
    config::{self, Config},
    error::GameError,
};
use notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};
use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

/// Editors write a file in several steps; this long after the last one it is read.
const QUIET: Duration = Duration::from_millis(200);

/// Watches the folder of a settings file: editors save by renaming, and that loses a watch on the file itself.
#[derive(Debug)]
pub struct SettingsWatcher {
    args: GlobalArgs,
    path: PathBuf,
    last_text: String,
    watch: FolderWatch,
}

/// A folder whose changes are collected until somebody asks.
#[derive(Debug)]
pub struct FolderWatch {
    changes: Receiver<DebounceEventResult>,
    _debouncer: Debouncer<RecommendedWatcher, RecommendedCache>,
}

/// Watches a folder, not what is below it.
pub fn watch_folder(folder: &Path) -> notify::Result<FolderWatch> {
    let (send, changes) = channel();
    let mut debouncer = new_debouncer(QUIET, None, send)?;
    debouncer.watch(folder, RecursiveMode::NonRecursive)?;
    Ok(FolderWatch { changes, _debouncer: debouncer })
}

impl FolderWatch {
    /// Paths that changed since the last call. Never waits.
    pub fn changed_paths(&self) -> Vec<PathBuf> {
        let events = self.changes.try_iter().flatten().flatten();
        events.flat_map(|event| event.event.paths).collect()
    }

    /// Whether a file of that name may have changed. An error of the watcher may hide a change, so it counts as one.
    fn touched(&self, name: Option<&std::ffi::OsStr>) -> bool {
        self.changes.try_iter().fold(false, |touched, changes| {
            touched | changes.map_or(true, |events| events.iter().any(|event| event.paths.iter().any(|path| path.file_name() == name)))
        })
    }
}

impl SettingsWatcher {
    /// Watches the file of a configuration; none if it has no folder that can be watched, which is told in the log.
    pub fn new(config: &Config) -> Option<SettingsWatcher> {
        let path = config.settings_path.clone()?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return None;
        }
        match watch_folder(folder) {
            Ok(watch) => {
                let last_text = config::read(&path).unwrap_or_default();
                Some(SettingsWatcher { args: config.args.clone(), path, last_text, watch })
            }
            Err(error) => {
                tracing::warn!("settings are not read again when they change: {error}");
                None
            }
        }
    }

    /// The program itself wrote the file: what it says is no news.
    pub fn wrote(&mut self, text: &str) {
        text.clone_into(&mut self.last_text);
    }

    /// New settings, or why the file is refused; nothing if it did not change. Never waits.
    pub fn poll(&mut self) -> Option<Result<Config, GameError>> {
        if !self.watch.touched(self.path.file_name()) {
            return None;
        }
        let text = match config::read(&self.path) {
            Ok(text) => text,
            Err(error) => return Some(Err(error)),
        };
        if text == self.last_text {
            return None;
        }
        self.last_text = text;
        let name = self.path.display().to_string();
        let settings_path = Some(self.path.clone());
        Some(Config::from_text(&self.args, &name, &self.last_text).map(|config| Config { settings_path, ..config }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, thread, time::Instant};

    fn wait(watcher: &mut SettingsWatcher) -> Result<Config, GameError> {
        let start = Instant::now();
        loop {
            if let Some(news) = watcher.poll() {
                return news;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "no news of the file");
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[test]
    fn a_saved_file_gives_new_settings_and_a_bad_one_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("terrane.toml");
        fs::write(&path, "seed = 1\n").expect("written");
        let args = GlobalArgs { config: Some(path.clone()), ..GlobalArgs::default() };
        let mut watcher = SettingsWatcher::new(&Config::load(&args).expect("right")).expect("watched");
        assert!(watcher.poll().is_none());
        fs::write(&path, "seed = 9\n").expect("written");
        watcher.wrote("seed = 9\n");
        // As editors do: a new file takes the old one's name.
        fs::write(folder.path().join("new"), "seed = 2\n").expect("written");
        fs::rename(folder.path().join("new"), &path).expect("renamed");
        assert_eq!(wait(&mut watcher).expect("right").seed_text, "2");
        fs::write(&path, "seed = 2\nview_distance_m = nan\n").expect("written");
        let message = wait(&mut watcher).expect_err("wrong").to_string();
        assert!(message.starts_with("line 2: view_distance_m is NaN"), "{message}");
        fs::write(&path, "seed = 3\n").expect("written");
        assert_eq!(wait(&mut watcher).expect("right again").seed_text, "3");
    }
}
