//! In: a folder of shaders that someone edits. Out: pipelines made of them, or the compiler's words; an error keeps the old ones.
//! Never knows: what a shader does. Only in builds with the feature `shaderc`, from a checkout.

use crate::settings_watch::{FolderWatch, watch_folder};
use std::path::{Path, PathBuf};
use terrane_gpu::{Device, GpuError};
use terrane_render::Renderer;
use terrane_shaders::LiveShaders;

/// Watches the shaders of the checkout that this program was built from.
pub struct ShaderWatcher {
    shaders: LiveShaders,
    watch: FolderWatch,
}

impl ShaderWatcher {
    /// None if the checkout is gone; that is told in the log.
    pub fn new() -> Option<ShaderWatcher> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders/glsl");
        let open = || -> Result<ShaderWatcher, Box<dyn std::error::Error>> {
            Ok(ShaderWatcher { shaders: LiveShaders::new(&folder)?, watch: watch_folder(&folder)? })
        };
        open().inspect_err(|error| tracing::warn!("shaders do not reload: {error}")).ok()
    }

    /// Recompiles what changed and hands it to the renderer. Never waits for the disk; waits for the GPU when something changed.
    pub fn poll(&mut self, device: &mut Device, renderer: &mut Renderer) {
        let changed: Vec<PathBuf> = self.watch.changed_paths();
        if changed.is_empty() {
            return;
        }
        let reloaded = match self.shaders.reload(&changed) {
            Ok(reloaded) => reloaded,
            Err(error) => return eprintln!("{error}"),
        };
        let mut compiled = 0;
        for shader in reloaded {
            match shader.result {
                Ok(_) => compiled += 1,
                Err(error) => eprintln!("{error}"),
            }
        }
        if compiled == 0 {
            return;
        }
        let source = |name: &'static str| {
            let missing = || GpuError::Shader { name: name.to_owned(), reason: "it is not in the table".to_owned() };
            self.shaders.spirv(name).map(<[u32]>::to_vec).ok_or_else(missing)
        };
        match renderer.reload_shaders(device, &source) {
            Ok(()) => println!("{compiled} shaders reloaded"),
            Err(error) => eprintln!("{error}"),
        }
    }
}
