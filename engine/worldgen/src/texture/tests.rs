//! Material layers of any seed: the same each time, seamless, of plausible light at every mip.

use super::*;

type Material = (&'static str, fn(u32) -> MaterialLayer, [f32; 2]);

/// Name, function, and the bounds of its mean linear luminance.
const MATERIALS: [Material; 3] = [("grass", grass, [0.05, 0.12]), ("snow", snow, [0.75, 0.9]), ("rock", rock, [0.12, 0.3])];

fn luminance(color: [u8; 4]) -> f32 {
    let linear = |code: u8| {
        let value = code as f32 / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(color[0]) + 0.7152 * linear(color[1]) + 0.0722 * linear(color[2])
}

fn mean(values: impl Iterator<Item = f32>) -> f32 {
    let (sum, count) = values.fold((0.0f64, 0u32), |(sum, count), value| (sum + value as f64, count + 1));
    (sum / count as f64) as f32
}

#[test]
fn a_seed_gives_the_same_layer_and_another_seed_another() {
    for (name, material, _) in MATERIALS {
        assert_eq!(material(7), material(7), "{name}");
        assert_ne!(material(7), material(8), "{name}");
    }
}

#[test]
fn tiles_are_seamless() {
    // The step over the border must be no larger than the steps inside, for rows and columns.
    for (name, material, _) in MATERIALS {
        let layer = material(3);
        let value = |x: usize, y: usize| luminance(layer.color[y * TEXTURE_EDGE + x % TEXTURE_EDGE]);
        let step_x = |x: usize| mean((0..TEXTURE_EDGE).map(|y| (value(x + 1, y) - value(x, y)).abs()));
        let step_y = |y: usize| mean((0..TEXTURE_EDGE).map(|x| (value(x, (y + 1) % TEXTURE_EDGE) - value(x, y)).abs()));
        for (axis, step) in [("x", &step_x as &dyn Fn(usize) -> f32), ("y", &step_y)] {
            let inside = (0..TEXTURE_EDGE - 1).map(step).fold(0.0, f32::max);
            let border = step(TEXTURE_EDGE - 1);
            assert!(border <= inside, "{name} {axis}: {border} over the border, at most {inside} inside");
        }
    }
}

#[test]
fn albedo_is_plausible_and_even() {
    for (name, material, [low, high]) in MATERIALS {
        let layer = material(1);
        let whole = mean(layer.color.iter().map(|&color| luminance(color)));
        assert!((low..=high).contains(&whole), "{name}: {whole}");
        // No quarter of an edge is brighter than the whole by more than a tenth: repeats must not show.
        const PART: usize = TEXTURE_EDGE / 4;
        for part in 0..16 {
            let (left, top) = (part % 4 * PART, part / 4 * PART);
            let texels = (0..PART * PART).map(|i| layer.color[(top + i / PART) * TEXTURE_EDGE + left + i % PART]);
            let part_mean = mean(texels.map(luminance));
            assert!((part_mean / whole - 1.0).abs() < 0.1, "{name} part {part}: {part_mean} of {whole}");
        }
    }
}

#[test]
fn mips_keep_the_light_and_lose_smoothness() {
    for (name, material, _) in MATERIALS {
        let chain = mips(&material(2));
        assert_eq!(chain.len(), TEXTURE_EDGE.ilog2() as usize + 1);
        let light = |layer: &MaterialLayer| mean(layer.color.iter().map(|&color| luminance(color)));
        for (level, layer) in chain.iter().enumerate() {
            let texels = (TEXTURE_EDGE >> level).pow(2);
            assert_eq!((layer.color.len(), layer.normal.len(), layer.smoothness.len()), (texels, texels, texels));
            assert!((light(layer) / light(&chain[0]) - 1.0).abs() < 0.03, "{name} level {level}");
        }
        let smooth = |layer: &MaterialLayer| mean(layer.smoothness.iter().map(|&code| code as f32));
        let last = &chain[chain.len() - 1];
        assert!(smooth(last) < smooth(&chain[0]), "{name}");
        assert!(last.normal[0].iter().all(|code| code.abs_diff(128) <= 6), "{name} leans: {:?}", last.normal[0]);
    }
}

#[test]
fn normals_are_within_the_unit_circle() {
    for (name, material, _) in MATERIALS {
        for [x, y] in material(4).normal {
            let (x, y) = ((x as f32 - 128.0) / 127.0, (y as f32 - 128.0) / 127.0);
            assert!(x * x + y * y < 1.01, "{name}: {x} {y}");
        }
    }
}
