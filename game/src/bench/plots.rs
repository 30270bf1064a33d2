//! In: numbers. Out: pictures of them as SVG text, without fonts or links of their own.
//! Never knows: scenes or reports.
//!
//! Colours are those of the light page; its style sheet replaces each on a dark one.

use crate::error::GameError;
use plotters::{
    coord::Shift,
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Text and axes, and lines of the grid: the light page's colours; `report.css` replaces them on a dark one.
const INK: RGBColor = RGBColor(0x23, 0x27, 0x2b);
const GRID: RGBColor = RGBColor(0xec, 0xeb, 0xe5);
/// Series; the style sheet has the same.
const SERIES: [RGBColor; 6] = [
    RGBColor(0x2f, 0x6f, 0x8f),
    RGBColor(0xc8, 0x70, 0x2a),
    RGBColor(0x5b, 0x8c, 0x3a),
    RGBColor(0xb2, 0x3a, 0x48),
    RGBColor(0x7a, 0x5b, 0xa6),
    RGBColor(0x98, 0x80, 0x2c),
];
const FONT_PX: u32 = 12;
const ROW_PX: i32 = 22;

/// A series of a plot of lines.
pub struct Line {
    /// For the legend.
    pub name: String,
    /// Points, x rising.
    pub points: Vec<(f64, f64)>,
}

/// What a plot of lines looks like.
#[derive(Default)]
pub struct Axes<'a> {
    /// What x is, with its unit.
    pub x: &'a str,
    /// What y is, with its unit.
    pub y: &'a str,
    /// Each step doubles: x and y are logarithms to the base 2 then.
    pub doubling: bool,
    /// Names of whole numbers on the x axis, from 0 on; numbers without.
    pub x_names: Vec<String>,
    /// Lines across, with a word for each.
    pub levels: Vec<(f64, String)>,
    /// Points that are marked, with a word for each.
    pub marks: Vec<(f64, f64, String)>,
}

/// Lines over a common axis.
pub fn lines(size: (u32, u32), axes: &Axes, lines: &[Line]) -> Result<String, GameError> {
    draw(size, |root| draw_lines(root, axes, lines))
}

/// Bars that lie: name, value, and a further value that is marked behind it.
pub fn bars(width: u32, unit: &str, rows: &[(String, f64, f64)]) -> Result<String, GameError> {
    let height = ROW_PX as u32 * (rows.len() as u32 + 1) + 8;
    draw((width, height), |root| draw_bars(root, width as i32, unit, rows))
}

/// How often values lie where; from, to, how many. Both axes begin where the values do; x doubles from mark to mark.
pub fn histogram(size: (u32, u32), x: &str, buckets: &[(f64, f64, u64)]) -> Result<String, GameError> {
    draw(size, |root| draw_histogram(root, x, buckets))
}

fn draw(size: (u32, u32), drawn: impl FnOnce(&Area) -> Drawn) -> Result<String, GameError> {
    let mut svg = String::new();
    let done = {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        drawn(&root).and_then(|()| root.present().map_err(Into::into))
    };
    done.map_err(|error| GameError::Bug(format!("a plot cannot be drawn: {error}")))?;
    // What the page or SVG says anyway is a third of the text.
    for said in [" opacity=\"1\"", " font-family=\"sans-serif\"", " stroke=\"none\""] {
        svg = svg.replace(said, "");
    }
    Ok(svg.replacen("<svg ", "<svg class=\"plot\" role=\"img\" ", 1))
}

fn text() -> TextStyle<'static> {
    ("sans-serif", FONT_PX).into_font().color(&INK)
}

fn anchored(horizontal: HPos) -> TextStyle<'static> {
    text().pos(Pos::new(horizontal, VPos::Center))
}

/// The ends of an axis: what is in it, and a little more.
fn ends(values: impl Iterator<Item = f64>, from_zero: bool) -> (f64, f64) {
    let (low, high) = values.filter(|value| value.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    match (low.is_finite(), from_zero) {
        (false, _) => (0.0, 1.0),
        (true, true) => (0.0, if high > 0.0 { high * 1.08 } else { 1.0 }),
        (true, false) if high - low < 1e-9 => (low - 0.5, high + 0.5),
        (true, false) => (low - (high - low) * 0.04, high + (high - low) * 0.08),
    }
}

fn draw_lines(root: &Area, axes: &Axes, lines: &[Line]) -> Drawn {
    let points = || lines.iter().flat_map(|line| &line.points);
    let (x_low, x_high) = ends(points().map(|point| point.0), false);
    let ys = points().map(|point| point.1).chain(axes.levels.iter().map(|level| level.0));
    let (y_low, y_high) = ends(ys, !axes.doubling);
    let mut chart = ChartBuilder::on(root)
        .margin(8)
        .margin_top(if lines.len() > 1 { 26 } else { 10 })
        .margin_right(12)
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d(x_low..x_high, y_low..y_high)?;
    let x_label = |x: &f64| match axes.x_names.get(x.round().max(0.0) as usize) {
        Some(name) if (x - x.round()).abs() < 1e-6 && *x > -0.5 => name.clone(),
        Some(_) => String::new(),
        None if axes.x_names.is_empty() => short(*x),
        None => String::new(),
    };
    let y_label = |y: &f64| match axes.doubling {
        true if (y - y.round()).abs() > 1e-6 => String::new(),
        true => short(y.exp2()),
        false => short(*y),
    };
    let y_labels = if axes.doubling { (y_high - y_low).ceil() as usize + 1 } else { 6 };
    chart
        .configure_mesh()
        .x_desc(axes.x)
        .y_desc(axes.y)
        .axis_desc_style(text())
        .label_style(text())
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .disable_x_mesh()
        .x_labels(if axes.x_names.is_empty() { 8 } else { axes.x_names.len() * 2 })
        .y_labels(y_labels)
        .x_label_formatter(&x_label)
        .y_label_formatter(&y_label)
        .draw()?;
    let mut legend_px = 66;
    for (line, color) in lines.iter().zip(SERIES.iter().cycle()) {
        chart.draw_series(LineSeries::new(line.points.iter().copied(), color.stroke_width(2)))?;
        if lines.len() > 1 {
            root.draw(&Rectangle::new([(legend_px, 11), (legend_px + 16, 14)], color.filled()))?;
            root.draw(&Text::new(line.name.clone(), (legend_px + 22, 12), anchored(HPos::Left)))?;
            // Wide enough for any sans-serif font of that size.
            legend_px += 44 + line.name.chars().count() as i32 * 7;
        }
        if line.points.len() <= 16 {
            chart.draw_series(line.points.iter().map(|point| Circle::new(*point, 3, color.filled())))?;
        }
    }
    for (level, name) in &axes.levels {
        // No dashes: each would be an element of its own.
        chart.draw_series(LineSeries::new([(x_low, *level), (x_high, *level)], INK.mix(0.45).stroke_width(1)))?;
        let at = (x_high, *level);
        chart.draw_series([EmptyElement::at(at) + Text::new(name.clone(), (-4, -8), anchored(HPos::Right))])?;
    }
    for (x, y, name) in &axes.marks {
        let mark = EmptyElement::at((*x, *y)) + Circle::new((0, 0), 4, SERIES[3].filled()) + Text::new(name.clone(), (7, -2), anchored(HPos::Left));
        chart.draw_series([mark])?;
    }
    Ok(())
}

fn draw_bars(root: &Area, width: i32, unit: &str, rows: &[(String, f64, f64)]) -> Drawn {
    let (name_px, value_px) = (150, 130);
    let most = rows.iter().map(|row| row.1.max(row.2)).fold(f64::MIN_POSITIVE, f64::max);
    let scale = |value: f64| name_px + (f64::from(width - name_px - value_px) * value / most) as i32;
    root.draw(&Text::new(format!("{unit}: bar p50, line p99"), (name_px, ROW_PX / 2), anchored(HPos::Left)))?;
    for (row, (name, value, further)) in (1..).zip(rows) {
        let y = row * ROW_PX + ROW_PX / 2;
        root.draw(&Text::new(name.clone(), (name_px - 8, y), anchored(HPos::Right)))?;
        root.draw(&Rectangle::new([(name_px, y - 6), (scale(*value).max(name_px + 1), y + 6)], SERIES[0].filled()))?;
        root.draw(&PathElement::new([(scale(*value), y), (scale(*further), y)], SERIES[1].stroke_width(1)))?;
        root.draw(&PathElement::new([(scale(*further), y - 6), (scale(*further), y + 6)], SERIES[1].stroke_width(2)))?;
        root.draw(&Text::new(format!("{} / {}", short(*value), short(*further)), (scale(value.max(*further)) + 8, y), anchored(HPos::Left)))?;
    }
    Ok(())
}

fn draw_histogram(root: &Area, x: &str, buckets: &[(f64, f64, u64)]) -> Drawn {
    let log = |value: f64| value.max(1e-4).log2();
    let (low, high) = ends(buckets.iter().flat_map(|bucket| [log(bucket.0), log(bucket.1)]), false);
    // Narrow buckets would make a line of what is one value.
    let (low, high) = if high - low < 2.0 { ((low + high) / 2.0 - 1.0, (low + high) / 2.0 + 1.0) } else { (low, high) };
    let most = buckets.iter().map(|bucket| bucket.2).max().unwrap_or(1) as f64 * 1.08;
    let mut chart = ChartBuilder::on(root).margin(6).x_label_area_size(36).y_label_area_size(40).build_cartesian_2d(low..high, 0.0..most)?;
    chart
        .configure_mesh()
        .x_desc(x)
        .axis_desc_style(text())
        .label_style(text())
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .disable_x_mesh()
        .x_labels(5)
        .y_labels(4)
        .x_label_formatter(&|x| short(x.exp2()))
        .y_label_formatter(&|y| short(*y))
        .draw()?;
    let bars = buckets.iter().map(|(from, to, count)| Rectangle::new([(log(*from), 0.0), (log(to.max(from * 1.03)), *count as f64)], SERIES[0].filled()));
    chart.draw_series(bars)?;
    Ok(())
}

/// Three figures, no more: 0.0123, 1.23, 123, 12.3k, 1.23M.
pub fn short(value: f64) -> String {
    let (scaled, suffix) = match value.abs() {
        v if v >= 999_500.0 => (value / 1e6, "M"),
        v if v >= 9_995.0 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let digits = match scaled.abs() {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 || v == 0.0 => 2,
        v if v >= 0.09995 => 3,
        _ => 4,
    };
    let text = format!("{scaled:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_figures() {
        for (value, wanted) in
            [(0.0, "0"), (0.012_345, "0.0123"), (1.0, "1"), (1.234, "1.23"), (12.34, "12.3"), (1234.5, "1234"), (43_210.0, "43.2k"), (1_043_112.0, "1.04M")]
        {
            assert_eq!(short(value), wanted);
        }
    }

    #[test]
    fn plots_of_nothing_and_of_anything_are_drawn() {
        let line = |points: &[(f64, f64)]| [Line { name: "a<b".into(), points: points.to_vec() }];
        let axes = Axes { x: "frame", y: "ms", levels: vec![(2.0, "p99".into())], marks: vec![(1.0, 1.0, "GPU & more".into())], ..Axes::default() };
        for points in [&[][..], &[(0.0, 1.0)], &[(0.0, 0.0), (1.0, 0.0)], &[(0.0, 3.0), (1.0, f64::NAN), (2.0, 1e9)]] {
            let svg = lines((400, 200), &axes, &line(points)).expect("a plot");
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>") && !svg.contains("GPU & more"), "{svg}");
        }
        let svg = bars(400, "ms", &[("cull".into(), 1.0, 2.0), ("none".into(), 0.0, 0.0)]).expect("bars");
        assert!(svg.contains("cull") && svg.contains("1 / 2"));
        assert!(histogram((300, 150), "ms", &[]).is_ok() && histogram((300, 150), "ms", &[(0.1, 0.11, 5)]).expect("one").contains("<rect"));
    }
}
