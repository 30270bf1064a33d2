//! In: two closures that do the same work. Out: their times, taken in turn, and what is to be said about them.
//! Never knows: what the work is.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};
use terrane_simd::Isa;

/// Samples of each side: enough for a median that does not move.
const ROUNDS_MAX: usize = 201;
const ROUNDS_MIN: usize = 21;
/// A sample repeats short work until it takes so long; the clock's steps do not count then.
const SAMPLE: Duration = Duration::from_micros(400);
/// Time for one row, both sides together.
const ROW: Duration = Duration::from_millis(900);

/// Nanoseconds of one piece of work.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub median_ns: f64,
    pub min_ns: f64,
}

/// One line of the table.
pub struct Row {
    /// Number in the table of goals and what is compared.
    pub name: String,
    /// What the ratio must be at least, or at most.
    pub must: Option<f64>,
    pub goal: Option<f64>,
    /// The ratio is the peer's time by ours, and should be large; or another figure that should be small.
    pub lower_is_better: bool,
    pub ratio: f64,
    pub ours: Times,
    pub peer: Times,
    /// What the figures leave out.
    pub note: String,
}

/// What a run was asked for, and what it found.
pub struct Session {
    pub json: bool,
    pub only: Option<String>,
    pub isa: Isa,
    pub rows: Vec<Row>,
    pub wrong: Vec<String>,
}

/// The goal of a row: how many times faster than the peer.
#[derive(Clone, Copy)]
pub struct Goal {
    pub must: Option<f64>,
    pub goal: Option<f64>,
}

impl Goal {
    /// At least so many times faster; wished for so many.
    pub const fn times(must: f64, goal: f64) -> Goal {
        Goal { must: Some(must), goal: Some(goal) }
    }

    /// For orientation.
    pub const NONE: Goal = Goal { must: None, goal: None };
}

impl Session {
    /// Whether a row is wanted: all without a filter; those of a number; else those whose name has the text.
    pub fn wants(&self, name: &str) -> bool {
        match self.only.as_deref() {
            None => true,
            Some(only) if only.parse::<u32>().is_ok() => name.split(' ').next() == Some(only),
            Some(only) => name.contains(only),
        }
    }

    /// Whether rows of a number may be wanted.
    pub fn wants_row(&self, number: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only.parse::<u32>().is_err() || only == number)
    }

    /// Races ours, with the chosen instruction set, against the peer. The note says what the narrower sets take.
    pub fn race(&mut self, name: &str, goal: Goal, note: &str, mut ours: impl FnMut(Isa), peer: impl FnMut()) {
        if !self.wants(name) {
            return;
        }
        let isa = self.isa;
        let [mine, peer] = interleaved(|| ours(isa), peer);
        let narrower = Isa::supported().filter(|other| *other < isa).map(|other| {
            let [times, _] = interleaved(|| ours(other), || ());
            format!("{other} {}", span(times.median_ns))
        });
        let note = narrower.chain((!note.is_empty()).then(|| note.to_owned())).collect::<Vec<_>>().join("; ");
        let ratio = peer.median_ns / mine.median_ns;
        self.add(Row { name: name.to_owned(), must: goal.must, goal: goal.goal, lower_is_better: false, ratio, ours: mine, peer, note });
    }

    pub fn add(&mut self, row: Row) {
        if !self.json {
            println!("{row}");
        }
        self.rows.push(row);
    }

    /// Nobody was faster by doing something else: our output's hash is what it was when it was checked against a reference.
    pub fn check_hash(&mut self, what: &str, found: u64, pinned: u64) {
        if !self.json {
            println!("  {what}: output {found:016x}");
        }
        if found != pinned {
            self.wrong.push(format!("{what}: the output's hash is {found:016x}, not {pinned:016x}"));
        }
    }

    pub fn check(&mut self, what: &str, holds: bool) {
        if !holds {
            self.wrong.push(what.to_owned());
        }
    }
}

/// Times two sides in turn, each first every second time.
pub fn interleaved(mut a: impl FnMut(), mut b: impl FnMut()) -> [Times; 2] {
    let repeats = [warm(&mut a), warm(&mut b)];
    let (mut samples, start) = ([Vec::new(), Vec::new()], Instant::now());
    while samples[0].len() < ROUNDS_MIN || samples[0].len() < ROUNDS_MAX && start.elapsed() < ROW {
        let a_first = samples[0].len() % 2 == 0;
        for side in if a_first { [0, 1] } else { [1, 0] } {
            let ns = if side == 0 { sample(&mut a, repeats[0]) } else { sample(&mut b, repeats[1]) };
            samples[side].push(ns);
        }
    }
    samples.map(|mut ns| {
        ns.sort_by(f64::total_cmp);
        Times { median_ns: ns[ns.len() / 2], min_ns: ns[0] }
    })
}

/// Runs the work until buffers and caches are warm. Says how often a sample repeats it.
fn warm(work: &mut impl FnMut()) -> u32 {
    work();
    let start = Instant::now();
    let mut runs = 0u32;
    while runs < 3 || start.elapsed() < 10 * SAMPLE && runs < 100_000 {
        work();
        runs += 1;
    }
    let one = start.elapsed() / runs;
    (SAMPLE.as_nanos() / one.as_nanos().max(1)).clamp(1, 100_000) as u32
}

fn sample(work: &mut impl FnMut(), repeats: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats {
        work();
    }
    black_box(start.elapsed()).as_nanos() as f64 / f64::from(repeats)
}

/// A time with a unit that suits it.
pub fn span(ns: f64) -> String {
    match ns {
        _ if ns < 1e3 => format!("{ns:.1} ns"),
        _ if ns < 1e6 => format!("{:.1} us", ns / 1e3),
        _ => format!("{:.2} ms", ns / 1e6),
    }
}

impl Row {
    /// The same ratio from the least times: what other work on the machine disturbs least.
    pub fn ratio_of_minima(&self) -> f64 {
        let [ours, peer] = [self.ours.min_ns, self.peer.min_ns];
        if self.lower_is_better { ours / peer } else { peer / ours }
    }

    /// Where the ratio stands.
    pub fn verdict(&self) -> &'static str {
        let reaches = |limit: Option<f64>| limit.is_none_or(|limit| if self.lower_is_better { self.ratio <= limit } else { self.ratio >= limit });
        match (self.must, reaches(self.must), reaches(self.goal)) {
            (None, ..) => "",
            (_, true, true) => "goal",
            (_, true, false) => "must",
            _ => "MISSED",
        }
    }
}
