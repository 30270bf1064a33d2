//! The low-poly world: what it is made of, and what its model keeps.
#![forbid(unsafe_code)]

use terrane::{
    cli::GlobalArgs,
    config::Config,
    session::{FrameDesc, Session, SessionDesc, camera},
    worlds::WorldInstance,
};
use terrane_base::Place;
use terrane_worldgen::props::Prop;

fn config(text: &str) -> Config {
    let args = GlobalArgs { world: Some("lowpoly".into()), view_distance: Some(512.0), driver: std::env::var("TERRANE_DRIVER").ok(), ..GlobalArgs::default() };
    Config::from_text(&args, "the test's settings", &format!("shadow_resolution = 256\n[lowpoly]\n{text}")).expect("they are settings")
}

fn world(text: &str) -> WorldInstance {
    config(text).make_world().expect("a world")
}

fn named<'a>(props: &'a [Prop], name: &'a str) -> impl Iterator<Item = &'a Prop> {
    props.iter().filter(move |prop| prop.name == name)
}

/// Extents of the box whose eight corners start at a vertex: lengths of its three edges from the first corner.
fn edges(prop: &Prop, first: usize) -> [f32; 3] {
    let at = |corner: usize| glam_of(prop.lods[0].vertices[first + corner].position);
    [1, 2, 4].map(|corner| at(corner).distance(at(0)))
}

fn glam_of(at: [f32; 3]) -> glam::Vec3 {
    glam::Vec3::from_array(at)
}

#[test]
fn trees_rocks_and_grass_have_their_measures() {
    let near = |a: f32, b: f32| (a - b).abs() < 1e-4;
    for seed in 0..200 {
        let props = (world("").props)(seed);
        for tree in named(&props, "tree") {
            assert_eq!(tree.lods[0].vertices.len(), 16, "a trunk and a crown of eight corners each");
            let (trunk, crown) = (edges(tree, 0), edges(tree, 8));
            assert!(near(trunk[0], 0.2) && near(trunk[1], 2.0) && near(trunk[2], 0.2), "{trunk:?}");
            assert!(crown.iter().all(|edge| near(*edge, 1.5)) && near(tree.lods[0].height_m, 3.5), "{crown:?}");
        }
        for rock in named(&props, "rock") {
            let [width, height, depth] = edges(rock, 0);
            assert!((0.4..=1.7).contains(&width) && (0.3..=1.0).contains(&height) && (0.4..=1.7).contains(&depth));
        }
        for bunch in named(&props, "grass") {
            let mesh = &bunch.lods[0];
            assert!([16, 24].contains(&mesh.vertices.len()), "two or three boxes");
            assert!(mesh.vertices.iter().all(|vertex| vertex.position[0].abs() <= 0.25 && vertex.position[2].abs() <= 0.25), "within half a metre");
            for triangle in mesh.indices.chunks_exact(3) {
                let [a, b, c] = [0, 1, 2].map(|i| glam_of(mesh.vertices[usize::from(triangle[i])].position));
                assert!((b - a).cross(c - a).y > -1e-6, "a face looks down");
            }
        }
        assert!(props.iter().flat_map(|prop| &prop.lods[0].vertices).all(|vertex| vertex.normal == [0.0; 3]), "no normals: faces are flat");
    }
}

#[test]
fn the_palette_colours_crowns_and_meadows() {
    let crowns = |text: &str| {
        let props = (world(text).props)(1);
        named(&props, "tree").map(|tree| tree.lods[0].vertices[15].color).collect::<Vec<_>>()
    };
    let (green, autumn) = (crowns(""), crowns("palette = 'autumn'"));
    assert!(green.iter().all(|[red, green, ..]| green > red) && autumn.iter().all(|[red, green, ..]| red > green));
    assert_eq!(crowns("palette = 'green'"), green);
}

/// 25 chunks live, wherever one goes, and not one byte of texture.
#[test]
#[ignore = "needs a Vulkan driver"]
fn the_model_keeps_exactly_25_chunks_and_no_texture() {
    let desc = SessionDesc { extent: (64, 36), samples: 1, validation: true, ..SessionDesc::default() };
    let mut session = Session::open(&config("preset = 'model'"), &desc).expect("a session; this test needs a Vulkan driver");
    for at in [[0.0, 60.0, 0.0], [7.0, 60.0, -9.0], [16.0, 60.0, 16.0], [-400.0, 60.0, 1e6], [1e7, 60.0, -1e7]] {
        let camera = camera(Place::from_f64(at), 30.0, -60.0);
        session.settle(&camera, |_| ()).expect("it settles");
        let progress = session.stream.progress();
        assert_eq!((progress.wanted, progress.resident, session.stream.cut().len()), (25, 25, 25), "at {at:?}");
        let mut cmd = session.device.begin_frame().expect("a frame");
        let stats = session.record(&mut cmd, &FrameDesc::new(camera)).expect("it is recorded");
        session.device.submit_frame(cmd).expect("it is sent");
        assert_eq!(stats.texture_bytes, 0);
        // The view twice and four cascades of ground and boxes, sky, water, and the last step.
        assert!(stats.draws <= 15, "{} draws", stats.draws);
    }
    assert_eq!(session.close().expect("it closes"), 0, "validation messages");
}

#[test]
#[ignore = "needs a Vulkan driver"]
fn a_world_with_textures_counts_them() {
    let args = GlobalArgs { view_distance: Some(512.0), driver: std::env::var("TERRANE_DRIVER").ok(), ..GlobalArgs::default() };
    let config = Config::from_text(&args, "the test's settings", "shadow_resolution = 0").expect("they are settings");
    let mut session = Session::open(&config, &SessionDesc { extent: (64, 36), samples: 1, ..SessionDesc::default() }).expect("a session");
    let mut cmd = session.device.begin_frame().expect("a frame");
    let camera = camera(Place::from_f64([0.0, 500.0, 0.0]), 0.0, 0.0);
    let stats = session.record(&mut cmd, &FrameDesc::new(camera)).expect("it is recorded");
    session.device.submit_frame(cmd).expect("it is sent");
    assert!(stats.texture_bytes > 3 * 512 * 512 * 7, "three layers of seven bytes a texel: {}", stats.texture_bytes);
    session.close().expect("it closes");
}
