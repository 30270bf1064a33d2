//! In: systems, with what they read and write. Out: the same, run in order on the main thread, each with its statistics.
//! Never knows: what they do. They cost microseconds; what costs more is a chunk job.

use crate::graph::ChunkGraph;
use std::{collections::HashSet, fmt::Write};
use terrane_profiling::Stage;
use thiserror::Error;

type Run<W> = Box<dyn FnMut(&mut W)>;

struct System<W> {
    name: &'static str,
    stage: &'static Stage,
    reads: Vec<&'static str>,
    writes: Vec<&'static str>,
    run: Run<W>,
}

/// Systems in the order in which they run.
pub struct Schedule<W> {
    systems: Vec<System<W>>,
}

/// Collects systems.
pub struct ScheduleBuilder<W> {
    systems: Vec<System<W>>,
}

/// A schedule that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScheduleError {
    /// Two systems have one name.
    #[error("two systems are named '{name}'")]
    DuplicateName {
        /// The name.
        name: &'static str,
    },
    /// A system reads what only a later one writes.
    #[error("the system '{reader}' reads '{what}' before '{writer}' writes it: put it after")]
    ReadBeforeWrite {
        /// Who reads.
        reader: &'static str,
        /// What.
        what: &'static str,
        /// Who writes it.
        writer: &'static str,
    },
}

impl<W> Schedule<W> {
    /// No systems.
    pub fn builder() -> ScheduleBuilder<W> {
        ScheduleBuilder { systems: Vec::new() }
    }

    /// Runs every system once.
    pub fn run(&mut self, world: &mut W) {
        for system in &mut self.systems {
            let _zone = system.stage.enter();
            (system.run)(world);
        }
    }

    /// The statistics of each system, in the order in which they run.
    pub fn stages(&self) -> impl Iterator<Item = &'static Stage> + '_ {
        self.systems.iter().map(|system| system.stage)
    }

    /// Systems and what flows between them, in DOT.
    pub fn dot(&self) -> String {
        let mut text = "digraph systems {\n    rankdir=LR;\n".to_owned();
        self.write_edges(&mut text);
        text.push_str("}\n");
        text
    }

    /// Systems and chunk jobs in one picture: what the main thread runs in order, and what workers run beside it.
    pub fn dot_with<C: 'static, K: 'static>(&self, graph: &ChunkGraph<C, K>) -> String {
        let mut text = "digraph tick {\n    rankdir=LR;\n    subgraph cluster_systems {\n    label=\"systems, on the main thread\";\n".to_owned();
        self.write_edges(&mut text);
        text.push_str("    }\n    subgraph cluster_jobs {\n    label=\"chunk jobs, on workers\";\n");
        graph.write_edges(&mut text);
        text.push_str("    }\n}\n");
        text
    }

    /// Reads what the last system before it wrote; what none wrote comes from outside. A system that writes after another keeps its place.
    fn write_edges(&self, text: &mut String) {
        for (index, system) in self.systems.iter().enumerate() {
            let _ = writeln!(text, "    {:?};", system.name);
            for what in system.reads.iter().chain(system.writes.iter().filter(|what| !system.reads.contains(what))) {
                let writer = self.systems[..index].iter().rev().find(|writer| writer.writes.contains(what));
                let (from, style) = match (writer, system.reads.contains(what)) {
                    (Some(writer), true) => (writer.name, ""),
                    (None, true) => (*what, ""),
                    (Some(writer), false) => (writer.name, ", style=dashed"),
                    (None, false) => continue,
                };
                let _ = writeln!(text, "    {from:?} -> {:?} [label={what:?}{style}];", system.name);
            }
        }
    }
}

impl<W> ScheduleBuilder<W> {
    /// Adds a system after those before. What it reads and writes are names of components or of parts of the state.
    pub fn system(mut self, name: &'static str, reads: &[&'static str], writes: &[&'static str], run: impl FnMut(&mut W) + 'static) -> Self {
        self.systems.push(System { name, stage: terrane_profiling::stage(name), reads: reads.to_vec(), writes: writes.to_vec(), run: Box::new(run) });
        self
    }

    /// Checks the order.
    pub fn build(self) -> Result<Schedule<W>, ScheduleError> {
        let mut seen = HashSet::new();
        if let Some(system) = self.systems.iter().find(|system| !seen.insert(system.name)) {
            return Err(ScheduleError::DuplicateName { name: system.name });
        }
        for (index, system) in self.systems.iter().enumerate() {
            for what in &system.reads {
                let before = self.systems[..index].iter().any(|other| other.writes.contains(what));
                let after = self.systems[index + 1..].iter().find(|other| other.writes.contains(what));
                if let (false, Some(writer)) = (before || system.writes.contains(what), after) {
                    return Err(ScheduleError::ReadBeforeWrite { reader: system.name, what, writer: writer.name });
                }
            }
        }
        Ok(Schedule { systems: self.systems })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_in_order_and_prints_what_flows() {
        let mut schedule = Schedule::<Vec<u8>>::builder()
            .system("rings", &["viewer"], &["wanted"], |log| log.push(1))
            .system("cut", &["wanted"], &["cut"], |log| log.push(2))
            .build()
            .expect("a schedule");
        let mut log = Vec::new();
        schedule.run(&mut log);
        assert_eq!(log, [1, 2]);
        assert!(schedule.stages().map(Stage::name).eq(["rings", "cut"]));
        assert!(schedule.dot().contains("\"rings\" -> \"cut\" [label=\"wanted\"]"));
        assert_eq!(terrane_profiling::stage("cut").histogram().count(), 1);
    }

    #[test]
    fn systems_and_jobs_print_as_one_graph() {
        struct Samples;
        let schedule = Schedule::<()>::builder()
            .system("rings", &["viewer"], &["wanted"], |()| ())
            .system("stream", &["wanted"], &["chunks"], |()| ())
            .system("accept", &["chunks"], &["wanted"], |()| ())
            .build()
            .expect("a schedule");
        let graph = ChunkGraph::<(), u8>::builder().job("heightmap", |(): &(), _: &u8| Samples).build().expect("a graph");
        let wanted = r#"digraph tick {
    rankdir=LR;
    subgraph cluster_systems {
    label="systems, on the main thread";
    "rings";
    "viewer" -> "rings" [label="viewer"];
    "stream";
    "rings" -> "stream" [label="wanted"];
    "accept";
    "stream" -> "accept" [label="chunks"];
    "rings" -> "accept" [label="wanted", style=dashed];
    }
    subgraph cluster_jobs {
    label="chunk jobs, on workers";
    "key" [shape=box];
    "key" -> "heightmap";
    }
}
"#;
        assert_eq!(schedule.dot_with(&graph), wanted);
    }

    #[test]
    fn a_wrong_order_is_refused_by_name() {
        let build = |first: &'static str, second: &'static str| {
            Schedule::<()>::builder().system(first, &["wanted"], &[], |()| ()).system(second, &[], &["wanted"], |()| ()).build()
        };
        assert_eq!(build("x", "x").err(), Some(ScheduleError::DuplicateName { name: "x" }));
        assert!(build("cut", "rings").err().expect("refused").to_string().contains("'cut' reads 'wanted' before 'rings'"));
    }
}
