//! The tree keeps the rules of the house; and each rule, broken in a small tree, is noticed at its place.

use std::{fs, path::Path};
use tempfile::TempDir;
use terrane_tools::tidy::{LINES_MAX, check};

#[test]
fn this_tree_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tools stands in the root");
    let found = check(root).expect("the tree can be read");
    assert!(found.is_empty(), "\n{}", found.iter().map(|violation| format!("{violation}\n")).collect::<String>());
}

/// What a rule complains about: files beside a tree that is tidy, and the start of the one message they cause.
const BROKEN: &[(&[(&str, &str)], &str)] = &[
    (
        &[("engine/base/Cargo.toml", "[dependencies]\nterrane-gpu.workspace = true\n")],
        "engine/base/Cargo.toml:2: direction: engine/base must not know terrane-gpu",
    ),
    (&[("engine/gpu/Cargo.toml", "[dependencies]\n\nterrane-worldgen = { path = \"x\" }\n")], "engine/gpu/Cargo.toml:3: direction: "),
    (&[("engine/jobs/Cargo.toml", "[build-dependencies]\nterrane = \"1\"\n")], "engine/jobs/Cargo.toml:2: direction: "),
    (&[("game/Cargo.toml", "[dependencies]\nash.workspace = true\n")], "game/Cargo.toml:2: home: ash lives in engine/gpu"),
    (&[("game/Cargo.toml", "[target.'cfg(unix)'.dependencies]\nash-window = \"1\"\n")], "game/Cargo.toml:2: home: "),
    (&[("game/Cargo.toml", "[dependencies]\ntracy = { package = \"tracy-client\", version = \"1\" }\n")], "game/Cargo.toml:2: home: tracy-client"),
    (&[("engine/render/Cargo.toml", "[dependencies]\nhecs = \"1\"\n")], "engine/render/Cargo.toml:2: home: hecs"),
    (
        &[
            ("engine/render/Cargo.toml", ""),
            ("engine/render/src/lib.rs", "//! Render.\nmod sky;\n"),
            ("engine/render/src/sky.rs", "//! Sky.\nuse egui::Color32;\n"),
        ],
        "engine/render/src/sky.rs:2: home: of this room overlay.rs alone names egui",
    ),
    (&[("game/src/lost.rs", "//! Lost.\n")], "game/src/lost.rs:1: dead: "),
    (&[("game/src/main.rs", "//! Main.\n// mod lost;\n"), ("game/src/lost.rs", "//! Lost.\n")], "game/src/lost.rs:1: dead: "),
    (&[("shaders/glsl/lost.glsl", "// Lost.\n")], "shaders/glsl/lost.glsl:1: dead: "),
    (
        &[("shaders/glsl/a.glsl", "#include \"b.glsl\"\n"), ("shaders/glsl/b.glsl", "\n"), ("shaders/glsl/c.comp", "#include \"b.glsl\"\n")],
        "shaders/glsl/a.glsl:1: dead: ",
    ),
    (&[("game/src/main.rs", "//! Main.\n\nfn f() { unsafe { g() } }\n")], "game/src/main.rs:3: unsafe: "),
    (&[("game/picture.PNG", "")], "game/picture.PNG:1: asset: "),
    (&[("game/notes.md", "a\nsee /home/me/x\n")], "game/notes.md:2: path: '/home/'"),
    (&[("game/notes.md", "at `/tmp/target-x`\n")], "game/notes.md:1: path: '/tmp/target'"),
    (&[("game/notes.md", "see file:///work/x\n")], "game/notes.md:1: path: '/work/'"),
    (&[("game/src/main.rs", "fn main() {}\n")], "game/src/main.rs:1: card: "),
    (&[("CHANGELOG.md", "# 1.0\n")], "CHANGELOG.md:1: changelog: "),
    (
        &[("tools/tidy.toml", "[[exception]]\nrule = \"card\"\npath = \"game/x.rs\"\nreason = \"It was needed, long ago.\"\n")],
        "tools/tidy.toml:1: exception: nothing needs",
    ),
    (&[("tools/tidy.toml", "[[exception\n")], "tools/tidy.toml:1: exception: this is not TOML"),
];

#[test]
fn each_broken_rule_is_noticed() {
    for (files, message) in BROKEN {
        let messages = messages(files);
        assert_eq!(messages.len(), 1, "{files:?} gave {messages:#?}");
        assert!(messages[0].starts_with(message), "{files:?} gave {messages:#?}");
    }
}

/// What looks like a violation and is none.
const FINE: &[&[(&str, &str)]] = &[
    &[],
    &[("engine/base/Cargo.toml", "[dev-dependencies]\nterrane-gpu.workspace = true\nhecs = \"1\"\n")],
    &[("benches/Cargo.toml", "[dependencies]\nterrane.workspace = true\nrayon = \"1\"\n")],
    &[("game/src/main.rs", "//! Main.\n#![forbid(unsafe_code)]\n// unsafe\nconst TEXT: &str = \"unsafe\";\n")],
    &[
        ("game/src/main.rs", "//! Main.\nmod a;\n"),
        ("game/src/a.rs", "//! A.\nmod b;\n"),
        ("game/src/a/b/mod.rs", "//! B.\nmod c;\n"),
        ("game/src/a/b/c.rs", "//! C.\n"),
    ],
    &[("game/src/main.rs", "//! Main.\n#[path = \"other/place.rs\"]\nmod a;\n"), ("game/src/other/place.rs", "//! A.\n")],
    &[("game/tests/all/main.rs", "//! Tests.\nmod part;\n"), ("game/tests/all/part.rs", "//! Part.\n"), ("game/src/bin/b.rs", "//! Bin.\n")],
    &[("game/Cargo.toml", "[[bench]]\nname = \"b\"\npath = \"speed/b.rs\"\n"), ("game/speed/b.rs", "//! Bench.\n")],
    &[("shaders/glsl/a.glsl", "#include \"b.glsl\"\n"), ("shaders/glsl/b.glsl", "\n"), ("shaders/glsl/c.comp", "  #include \"a.glsl\"\n")],
    &[("engine/gpu/src/lib.rs", "//! Vulkan.\nfn f() { unsafe { g() } }\n")],
    &[("docs/pictures/a.png", ""), ("tools/tests/golden/a.png", "")],
    &[
        ("engine/render/Cargo.toml", ""),
        ("engine/render/src/lib.rs", "//! Render: egui.\nmod overlay;\n"),
        ("engine/render/src/overlay.rs", "//! Over.\nuse egui::Color32;\n"),
    ],
    &[("game/notes.md", "docs/work/x, $HOME/root/x, ~/home/\n")],
    &[
        ("game/src/main.rs", "fn main() {}\n"),
        ("tools/tidy.toml", "[[exception]]\nrule = \"card\"\npath = \"game/src/main.rs\"\nreason = \"It is written by a generator.\"\n"),
    ],
];

#[test]
fn what_is_allowed_is_not_reported() {
    for files in FINE {
        let messages = messages(files);
        assert!(messages.is_empty(), "{files:?} gave {messages:#?}");
    }
}

#[test]
fn a_long_file_needs_a_reason_and_stays_within_its_own_limit() {
    let long = format!("//! Long.\n{}", "\n".repeat(LINES_MAX + 9));
    let exception = |lines_max: usize| {
        format!(
            "[[exception]]\nrule = \"size\"\npath = \"game/src/main.rs\"\nlines_max = {lines_max}\nreason = \"One table, which reads best in one piece.\"\n"
        )
    };
    let with = |toml: &str| messages(&[("game/src/main.rs", &long), ("tools/tidy.toml", toml)]);
    assert!(messages(&[("game/src/main.rs", &long)])[0].starts_with("game/src/main.rs:401: size: 410 lines"));
    assert!(with(&exception(410)).is_empty());
    assert!(with(&exception(409)).iter().any(|message| message.contains("size: 410 lines")));
    assert!(with(&exception(410).replace("One table, which reads best in one piece.", "Because."))[0].contains("reason"));
}

fn messages(files: &[(&str, &str)]) -> Vec<String> {
    let tree = tree(files);
    check(tree.path()).expect("the tree can be read").iter().map(ToString::to_string).collect()
}

/// A small tree that is tidy, but for these files.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let tidy = [("CHANGELOG.md", "## Unreleased\n"), ("Cargo.toml", "[workspace]\n"), ("game/Cargo.toml", ""), ("engine/gpu/Cargo.toml", "")];
    for (path, text) in tidy.iter().chain(files) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    folder
}
