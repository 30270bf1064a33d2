//! In: nothing. Out: which plants and stones stand where in the terrain world.
//! Never knows: their meshes; a kind names them by number, in the order of `terrain_props`.

use terrane_render::Look;
use terrane_worldgen::scatter::ScatterKind;

/// Kinds for a world whose masks are those of `look`. `density` scales all of them.
pub fn kinds(look: &Look, density: f32) -> Vec<ScatterKind> {
    let tree_line_m = look.tree_line_m;
    let forest = [look.forest_cover_low - 0.08, look.forest_cover_high - 0.05];
    let kind = |name, spacing_m, share: f32, slope, height_m, height_fade_m, cover, keep, scale, props| ScatterKind {
        name,
        spacing_m,
        density: (share * density).clamp(0.0, 1.0),
        slope,
        height_m,
        height_fade_m,
        cover,
        keep,
        scale,
        props,
    };
    let meadow_top_m = look.snow_offset_m + 40.0;
    vec![
        // Within 8,192 a chunk: closed forest holds (1,024 m / 5)^2 x 0.9 x 0.19 = 7,172 conifers at level 3, and at level 0
        // (128 / 1.5)^2 x 0.9 = 6,554 tufts stand where no forest is. Past the cap density would step from level to level.
        // Tufts end after 130 m, within the first ring of 512 m: the few at level 1 stand where a low viewer sees that level.
        kind("tuft", 1.5, 0.9, [0.0, 0.75], [-500.0, meadow_top_m], 160.0, [0.85, 0.35], [1.0, 0.05, 0.0, 0.0, 0.0, 0.0], [0.6, 1.5], [0, 2]),
        kind("flower", 4.0, 0.6, [0.0, 0.5], [-500.0, look.snow_offset_m], 120.0, [0.55, 0.2], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.7, 1.3], [2, 1]),
        kind("meadow stone", 11.0, 0.25, [0.0, 0.6], [-500.0, 4000.0], 0.0, [0.0, 0.0], [1.0, 0.3, 0.0, 0.0, 0.0, 0.0], [0.4, 1.4], [3, 1]),
        kind("scree", 4.0, 0.65, [0.42, 1.4], [60.0, 4000.0], 120.0, [0.0, 0.0], [1.0, 0.6, 0.0, 0.0, 0.0, 0.0], [0.6, 2.6], [3, 1]),
        kind("boulder", 17.0, 0.35, [0.15, 1.1], [-500.0, 4000.0], 0.0, [0.0, 0.0], [1.0, 1.0, 0.5, 0.0, 0.0, 0.0], [0.5, 2.2], [4, 1]),
        kind("conifer", 5.0, 0.9, [0.0, 0.7], [-500.0, tree_line_m], 160.0, forest, [1.0, 1.0, 0.75, 0.19, 0.0, 0.0], [0.6, 1.35], [5, 2]),
        kind("lone conifer", 34.0, 0.3, [0.0, 0.7], [-500.0, tree_line_m + 50.0], 120.0, [0.15, 0.5], [1.0, 1.0, 0.7, 0.3, 0.0, 0.0], [0.5, 1.2], [5, 2]),
        kind("broadleaf", 13.0, 0.55, [0.0, 0.4], [-500.0, tree_line_m * 0.4], 90.0, [0.38, 0.6], [1.0, 1.0, 0.8, 0.3, 0.0, 0.0], [0.7, 1.3], [7, 1]),
        kind("bush", 7.0, 0.4, [0.0, 0.65], [-500.0, tree_line_m + 90.0], 150.0, [0.3, 0.6], [1.0, 1.0, 0.25, 0.0, 0.0, 0.0], [0.6, 1.5], [8, 1]),
        kind("log", 29.0, 0.4, [0.0, 0.4], [-500.0, tree_line_m], 60.0, [0.4, 0.7], [1.0, 0.3, 0.0, 0.0, 0.0, 0.0], [0.7, 1.2], [9, 1]),
    ]
}
