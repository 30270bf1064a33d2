//! In: systems, with what they read and write. Out: the same, run in order on the main thread, each with its statistics.
//! Never knows: what they do. They cost microseconds; what costs more is a chunk job.

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

    /// Systems and what flows between them, in DOT.
    pub fn dot(&self) -> String {
        let mut text = "digraph systems {\n    rankdir=LR;\n".to_owned();
        for (index, system) in self.systems.iter().enumerate() {
            for read in &system.reads {
                let writer = self.systems[..index].iter().rev().find(|writer| writer.writes.contains(read));
                let from = writer.map_or(*read, |writer| writer.name);
                let _ = writeln!(text, "    \"{from}\" -> \"{}\" [label=\"{read}\"];", system.name);
            }
        }
        text.push_str("}\n");
        text
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
        assert!(schedule.dot().contains("\"rings\" -> \"cut\" [label=\"wanted\"]"));
        assert_eq!(terrane_profiling::stage("cut").histogram().count(), 1);
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
