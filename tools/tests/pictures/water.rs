//! In: a lake of the low-poly world, cut into chunks of two sizes. Out: that its water is one sheet, blended once, wherever the chunks end.
//! Never knows: how the water is drawn.

use crate::common::{Picture, close, desc, draw, keep};
use terrane::{
    cli::GlobalArgs,
    config::Config,
    session::{FrameDesc, Session, camera},
};
use terrane_base::Place;
use terrane_render::Look;

const EXTENT: (u32, u32) = (192, 144);
/// Over the lake of the pose `cove`, in the middle of a chunk and so low that what is seen lies within the 80 m that the model shows.
const PLACE_M: [f64; 3] = [-200.0, 13.0, 40.0];
const PITCH_DEG: f64 = -64.0;

fn open(preset: &str) -> Session {
    let args = GlobalArgs { world: Some("lowpoly".into()), view_distance: Some(1000.0), driver: std::env::var("TERRANE_DRIVER").ok(), ..GlobalArgs::default() };
    let text = format!("shadow_resolution = 512\n[lowpoly]\npreset = '{preset}'\n");
    let config = Config::from_text(&args, "the test's settings", &text).expect("they are settings");
    Session::open(&config, &desc(EXTENT)).expect("a session; this test needs a Vulkan driver")
}

/// From every eighth of the compass; `look` changes the light.
fn pictures(session: &mut Session, look: impl Fn(Look) -> Look) -> Vec<Picture> {
    session.look = look(session.look);
    let octants = (0..8).map(|octant| camera(Place::from_f64(PLACE_M), f64::from(octant) * 45.0, PITCH_DEG));
    octants
        .map(|camera| {
            session.settle(&camera, |_| ()).expect("it settles");
            draw(session, &FrameDesc::new(camera))
        })
        .collect()
}

/// The model's chunks end every 16 m, those of the horizon every 64 m: a border that were blended twice, or not at all, shows as a difference.
#[test]
#[ignore = "needs a Vulkan driver"]
fn water_is_blended_once_across_the_borders_of_chunks_from_every_octant() {
    let (mut small, mut large) = (open("model"), open("horizon"));
    let with = [pictures(&mut small, |look| look), pictures(&mut large, |look| look)];
    // Water of another colour shows how much of each picture is water.
    let other = pictures(&mut large, |look| Look { water_color: look.water_color * 8.0, ..look });
    let mut seen = 0;
    for octant in 0..8 {
        let (a, b, c) = (&with[0][octant], &with[1][octant], &other[octant]);
        let pixels = || a.rgba.chunks_exact(4).zip(b.rgba.chunks_exact(4)).zip(c.rgba.chunks_exact(4));
        let apart = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        let wrong = pixels().filter(|((a, b), _)| apart(a, b) > 3).count();
        let water = pixels().filter(|((_, b), c)| apart(b, c) > 8).count();
        println!("octant {octant}: {wrong} pixels differ, {water} of {} are water", a.rgba.len() / 4);
        if wrong > 0 {
            keep(a, &format!("water-{octant}-small"));
            keep(b, &format!("water-{octant}-large"));
        }
        // A pixel on an edge may fall to either side where chunks are placed by other numbers.
        assert!(wrong * 2000 <= a.rgba.len() / 4, "octant {octant}: {wrong} pixels differ");
        seen += water;
    }
    assert!(seen > 8 * (EXTENT.0 * EXTENT.1) as usize / 5, "there is water to look at: {seen} pixels");
    close(small);
    close(large);
}
