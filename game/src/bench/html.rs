//! In: a report. Out: one page to read, with everything in it: no link to anything else.
//! Never knows: how anything was measured; all its numbers are those of the JSON.

use super::{
    page::{cell, escaped, figure, mib, pair, table},
    plots::{Axes, Line, bars, histogram, lines, short},
    report::{Head, Report, Run, SceneReport},
    scene::Way,
};
use crate::error::GameError;

/// Stages that make a chunk; their histograms are shown.
const CHUNK_STAGES: [&str; 4] = ["heightmap", "meshing", "scatter", "arrange"];
/// Points of a line at most.
const POINTS_MAX: usize = 200;
const WIDE: (u32, u32) = (520, 230);

/// The page.
pub fn page(report: &Report) -> Result<String, GameError> {
    let mut body = String::new();
    body += &head(&report.head);
    body += &summary(report);
    body += &growth_with_distance(report)?;
    body += &growth_with_threads(report)?;
    for scene in &report.scenes {
        body += &scene_section(scene)?;
    }
    body += "<h2>How to read it</h2><p class=\"soft\">A frame's milliseconds run from the end of the frame before to its end. The main thread's are CPU time of \
             that thread: what it computed, without waiting and without what other programs took. GPU passes are timed by the device. On a software driver the GPU \
             is the processor, so frames are slow and chunk jobs compete with pictures for the same cores; ratios between scenes and counts still hold. The camera \
             moves by 1/60 s of its way in each frame, however long the frame takes; chunk jobs run beside it as in play.</p>";
    let style = include_str!("report.css");
    Ok(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Terrane: measured {date}</title><style>{style}</style></head><body><main>{body}</main></body></html>\n",
        date = escaped(&report.head.date)
    ))
}

fn head(head: &Head) -> String {
    let changed = if head.commit_changed { " with changes that are not committed" } else { "" };
    let memory = if head.memory_bytes > 0 { format!(", {} of memory", mib(head.memory_bytes)) } else { String::new() };
    let load = if head.load >= 0.0 { format!("; load of other programs {:.1}", head.load) } else { String::new() };
    let settings: Vec<String> = head.settings.iter().map(|(name, value)| format!("{name} {value}")).collect();
    let rows = [
        ("machine", format!("{}, {} threads{memory}; {}{load}", head.processor, head.processors, head.system)),
        ("device", format!("{} ({}), Vulkan {}, driver {}", head.device, head.device_kind, head.vulkan, head.driver)),
        ("program", format!("terrane {}, {} build of commit {}{changed}, {:.1} MB", head.version, head.build, head.commit, head.binary_bytes as f64 / 1e6)),
        ("settings", settings.join(", ")),
    ];
    let rows: String = rows.iter().map(|(name, value)| format!("<tr><td>{name}</td><td>{}</td></tr>", escaped(value))).collect();
    format!("<h1>Terrane, measured</h1><p class=\"soft\">{} UTC</p><div class=\"card\"><table class=\"head\">{rows}</table></div>", escaped(&head.date))
}

fn summary(report: &Report) -> String {
    let header = [
        "scene",
        "frame ms<br>p50 / p99",
        "main thread ms<br>p50 / p99",
        "streaming ms<br>p99",
        "GPU ms<br>p50",
        "visible after ms<br>p50 / p99",
        "chunks",
        "instances<br>resident",
        "instances<br>drawn",
        "uploaded",
        "device",
        "hitches",
    ];
    let rows = report.scenes.iter().map(|scene| {
        let run = scene.typical();
        vec![
            format!("<a href=\"#{0}\">{0}</a>", escaped(&scene.title())),
            pair(run.frame_ms.p50, run.frame_ms.p99),
            pair(run.main_ms.p50, run.main_ms.p99),
            short(run.streaming_ms.p99),
            if run.gpu_ms.count > 0 { short(run.gpu_ms.p50) } else { "-".to_owned() },
            if run.visible.count > 0 { pair(run.visible.p50_ms, run.visible.p99_ms) } else { "-".to_owned() },
            run.chunks.resident_max.to_string(),
            short(run.instances.resident as f64),
            short(run.instances.drawn as f64),
            mib(run.upload.total_bytes),
            mib(run.memory.device_bytes),
            run.hitches.len().to_string(),
        ]
    });
    let repeats = report.scenes.iter().map(|scene| scene.runs.len()).max().unwrap_or(0);
    let repeated = if repeats > 1 { format!(" Each ran {repeats} times; the run with the median frame is shown.") } else { String::new() };
    format!("<h2>Scenes</h2><p>What a frame takes, and what is there.{repeated}</p><div class=\"card\">{}</div>", table(&header, rows))
}

/// Still scenes that differ in their view distance alone, world by world.
fn growth_with_distance(report: &Report) -> Result<String, GameError> {
    let mut text = String::new();
    let mut worlds: Vec<&str> = report.scenes.iter().map(|scene| scene.scene.world.as_str()).collect();
    worlds.dedup();
    for world in worlds {
        let is_still = |scene: &&SceneReport| scene.scene.world == world && scene.scene.path == Way::Still && scene.scene.draw && scene.without.is_none();
        let mut still: Vec<&SceneReport> = report.scenes.iter().filter(is_still).collect();
        still.sort_by(|a, b| a.scene.view_distance_m.total_cmp(&b.scene.view_distance_m));
        if still.len() > 1 {
            text += &distance_section(world, &still)?;
        }
    }
    Ok(text)
}

fn distance_section(world: &str, still: &[&SceneReport]) -> Result<String, GameError> {
    type Cost = (&'static str, fn(&Run) -> f64);
    let costs: [Cost; 6] = [
        ("GPU frame", |run| run.gpu_ms.p50),
        ("GPU culling", Run::cull_ms),
        ("main thread", |run| run.main_ms.p50),
        ("chunks resident", |run| f64::from(run.chunks.resident_max)),
        ("instances resident", |run| run.instances.resident as f64),
        ("device memory", |run| run.memory.device_bytes as f64),
    ];
    let x = |scene: &SceneReport| (f64::from(scene.scene.view_distance_m) / 250.0).log2();
    let first = still[0].typical();
    let series = |(name, of): &Cost| Line {
        name: (*name).to_owned(),
        points: still.iter().map(|scene| (x(scene), (of(scene.typical()) / of(first)).log2())).filter(|point| point.1.is_finite()).collect(),
    };
    let names = (0..=8).map(|doublings| distance(250.0 * f64::from(1 << doublings))).collect();
    let first_m = distance(f64::from(still[0].scene.view_distance_m));
    let y = format!("times that at {first_m}");
    let axes = Axes { x: "view distance", y: &y, doubling: true, x_names: names, ..Axes::default() };
    let plot = lines((1040, 340), &axes, &costs.iter().map(series).collect::<Vec<_>>())?;
    let header = [
        "view distance",
        "GPU frame ms",
        "GPU culling ms",
        "main thread ms",
        "frame ms",
        "chunks resident",
        "drawn",
        "instances resident",
        "drawn",
        "device memory",
    ];
    let rows = still.iter().map(|scene| {
        let run = scene.typical();
        let cells = [run.gpu_ms.p50, run.cull_ms(), run.main_ms.p50, run.frame_ms.p50, f64::from(run.chunks.resident_max), f64::from(run.chunks.drawn)];
        let mut row = vec![distance(f64::from(scene.scene.view_distance_m))];
        row.extend(cells.map(short));
        row.extend([short(run.instances.resident as f64), short(run.instances.drawn as f64), mib(run.memory.device_bytes)]);
        row
    });
    Ok(format!(
        "<h2>How costs grow with view distance: {}</h2><p>Still scenes, medians, as multiples of those at {first_m}. A flat grid of chunks would have 4 times \
         as many at twice the distance.</p><div class=\"card\">{plot}</div><div class=\"card\">{}</div>",
        escaped(world),
        table(&header, rows)
    ))
}

fn distance(metres: f64) -> String {
    if metres < 1000.0 { format!("{metres:.0} m") } else { format!("{} km", short(metres / 1000.0)) }
}

fn growth_with_threads(report: &Report) -> Result<String, GameError> {
    if report.growth.is_empty() {
        return Ok(String::new());
    }
    let mut series: Vec<Line> = Vec::new();
    for row in &report.growth {
        let point = (f64::from(row.threads), row.chunks_per_s);
        match series.iter_mut().find(|line| line.name == row.world) {
            Some(line) => line.points.push(point),
            None => series.push(Line { name: row.world.clone(), points: vec![point] }),
        }
    }
    let most = report.growth.iter().map(|row| row.threads).max().unwrap_or(1);
    // Many workers are numbered by the axis itself.
    let names = if most > 16 { Vec::new() } else { (0..=most).map(|threads| threads.to_string()).collect() };
    let plot = lines(WIDE, &Axes { x: "workers", y: "chunks/s", x_names: names, ..Axes::default() }, &series)?;
    let rows = report.growth.iter().map(|row| {
        let one = report.growth.iter().find(|other| other.world == row.world && other.threads == 1).map_or(f64::NAN, |one| one.chunks_per_s);
        vec![escaped(&row.world), row.threads.to_string(), short(row.chunks_per_s), format!("{:.2}", row.chunks_per_s / one)]
    });
    let table = table(&["world", "workers", "chunks/s", "times one worker"], rows);
    Ok(format!(
        "<h2>Chunks a second by workers</h2><p>{} chunks that a viewer wants, made from the first request to the last result, without a picture.</p>\
         <div class=\"pair\"><div class=\"card\">{plot}</div><div class=\"card\">{table}</div></div>",
        report.growth[0].chunks
    ))
}

fn scene_section(scene: &SceneReport) -> Result<String, GameError> {
    let (about, run) = (&scene.scene, scene.typical());
    let title = escaped(&scene.title());
    let told = format!(
        "{}. World {} with seed {}, view distance {}, {} x {} pixels, {} sample{}, {}; {} frames after {} of warm-up.",
        about.about,
        about.world,
        about.seed,
        distance(f64::from(about.view_distance_m)),
        about.size[0],
        about.size[1],
        about.samples,
        if about.samples == 1 { "" } else { "s" },
        if about.shadow_resolution == 0 { "no shadows".to_owned() } else { format!("shadow maps of {}", about.shadow_resolution) },
        about.frames,
        about.warm_up_frames
    );
    let mut text = format!("<h2 id=\"{title}\">{title}</h2><p>{}</p>", escaped(&told));
    text += &format!("<div class=\"pair\">{}{}</div>", frame_plot(run)?, main_plot(run)?);
    if !run.passes.is_empty() {
        let rows: Vec<_> = run.passes.iter().map(|pass| (pass.name.clone(), pass.ms.p50, pass.ms.p99)).collect();
        text += &figure("GPU passes", &bars(1040, "ms", &rows)?);
    }
    text += &stages(run)?;
    text += &counts(run);
    text += &format!("<p class=\"soft\">State hash {}; the run took {} s.</p>", escaped(&run.state), short(run.took_s));
    Ok(text)
}

/// A column of the frames. Of very many only the longest of each few: a page is small, and no hitch is lost.
fn column(run: &Run, name: &str, column: usize) -> Line {
    let few = run.frames.len().div_ceil(POINTS_MAX).max(1);
    let longest = |(index, rows): (usize, &[[f64; 4]])| ((index * few) as f64, rows.iter().map(|row| row[column]).fold(0.0, f64::max));
    Line { name: name.to_owned(), points: run.frames.chunks(few).enumerate().map(longest).collect() }
}

fn frame_plot(run: &Run) -> Result<String, GameError> {
    let of = |name: &str, index: usize| column(run, name, index);
    let mut series = vec![of("frame", 0)];
    if run.gpu_ms.count > 0 {
        series.push(of("GPU", 3));
    }
    let levels = vec![(run.frame_ms.p50, "p50".to_owned()), (run.frame_ms.p99, "p99".to_owned())];
    let marks = run.hitches.iter().map(|hitch| (f64::from(hitch.frame), hitch.ms, hitch.cause.clone())).collect();
    let told = match run.hitches.len() {
        0 => "Frame time, no hitch".to_owned(),
        count => format!("Frame time, {count} hitch{} marked by cause", if count == 1 { "" } else { "es" }),
    };
    Ok(figure(&told, &lines(WIDE, &Axes { x: "frame", y: "ms", levels, marks, ..Axes::default() }, &series)?))
}

fn main_plot(run: &Run) -> Result<String, GameError> {
    let of = |name: &str, index: usize| column(run, name, index);
    let levels = vec![(run.main_ms.p50, "p50".to_owned()), (run.main_ms.p99, "p99".to_owned())];
    let axes = Axes { x: "frame", y: "ms of CPU time", levels, ..Axes::default() };
    Ok(figure("Main thread, and chunks on it", &lines(WIDE, &axes, &[of("main thread", 1), of("streaming", 2)])?))
}

fn stages(run: &Run) -> Result<String, GameError> {
    let mut text = String::new();
    let made: Vec<_> = CHUNK_STAGES.iter().filter_map(|name| run.stages.iter().find(|stage| stage.name == *name)).collect();
    if !made.is_empty() {
        let rows: Vec<_> = made.iter().map(|stage| (stage.name.clone(), stage.p50_ms, stage.p99_ms)).collect();
        text += &figure("A chunk, stage by stage: wall-clock on a worker", &bars(1040, "ms a chunk", &rows)?);
        text += "<div class=\"few\">";
        for stage in made {
            let plot = histogram((250, 150), "ms, doubling", &stage.buckets)?;
            text += &figure(&format!("{}: {} chunks", escaped(&stage.name), stage.count), &plot);
        }
        text += "</div>";
    }
    let rows = run.stages.iter().map(|stage| {
        let ms = [stage.p50_ms, stage.p99_ms, stage.max_ms, stage.total_ms].map(short);
        [vec![escaped(&stage.name), stage.count.to_string()], ms.to_vec()].concat()
    });
    let table = table(&["stage", "count", "p50 ms", "p99 ms", "max ms", "total ms"], rows);
    Ok(text + &format!("<details><summary>All stages of the CPU</summary><div class=\"card\">{table}</div></details>"))
}

fn counts(run: &Run) -> String {
    let reasons = |name: &str, counts: &super::report::Counts| {
        let numbers = [counts.resident, counts.cut, counts.drawn, counts.outside, counts.occluded, counts.too_far, counts.thinned, counts.dropped];
        [vec![name.to_owned()], numbers.map(|number| short(number as f64)).to_vec()].concat()
    };
    let drawn = table(
        &["last frame", "resident", "in the cut", "drawn", "outside of the view", "hidden", "too far", "thinned", "no room"],
        [reasons("ground of chunks", &run.ground), reasons("instances", &run.instances)],
    );
    let (chunks, upload, memory, visible) = (&run.chunks, &run.upload, &run.memory, &run.visible);
    let cells = [
        cell("first picture", &format!("{} ms", short(run.start.first_picture_ms))),
        cell("all chunks there", &format!("{} ms", short(run.start.complete_ms))),
        cell("chunks made / given up", &format!("{} / {}", chunks.made, chunks.given_up)),
        cell("made a second", &short(chunks.made_per_s)),
        cell("seen after, frames p50 / p99", &pair(visible.p50_frames, visible.p99_frames)),
        cell("draws / dispatches recorded", &format!("{} / {}", run.draws, run.dispatches)),
        cell("accepted in a frame, most", &chunks.accepted_per_frame_max.to_string()),
        cell("uploaded in a frame, most", &format!("{} of {}", mib(upload.per_frame_max_bytes), mib(upload.budget_bytes))),
        cell("device memory", &format!("{} of {} in {} allocations", mib(memory.device_bytes), mib(memory.device_budget_bytes), memory.allocations)),
        cell("host memory", &format!("{} of {}", mib(memory.host_bytes), mib(memory.host_budget_bytes))),
    ];
    format!("<div class=\"card\">{drawn}</div><div class=\"card\"><table class=\"head\">{}</table></div>", cells.concat())
}

impl Run {
    /// GPU milliseconds of the culling, both times.
    pub fn cull_ms(&self) -> f64 {
        self.passes.iter().filter(|pass| pass.name.starts_with("cull")).map(|pass| pass.ms.p50).sum()
    }
}
