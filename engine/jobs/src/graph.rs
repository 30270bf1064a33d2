//! In: functions from components to a component. Out: a graph whose edges follow from their types.
//! Never knows: threads, queues, entities' other components.

use hecs::EntityBuilder;
use std::{
    any::{Any, TypeId, type_name},
    collections::HashMap,
    fmt::Write,
    marker::PhantomData,
    sync::Arc,
};
use terrane_profiling::Stage;
use thiserror::Error;

/// The output of a job as a component; shared, so that later jobs read it without a borrow of the world.
#[derive(Debug)]
pub struct Made<T>(pub Arc<T>);

/// An output whose type is known to its job alone.
pub(crate) type Value = Arc<dyn Any + Send + Sync>;

/// A graph that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GraphError {
    /// Two jobs make the same component.
    #[error("the jobs '{first}' and '{second}' both make {component}: each component has one job")]
    DuplicateProducer {
        /// The component.
        component: &'static str,
        /// One job.
        first: &'static str,
        /// The other.
        second: &'static str,
    },
    /// A job reads what no job makes.
    #[error("the job '{job}' reads {component}, which no job makes")]
    MissingInput {
        /// The job.
        job: &'static str,
        /// What it reads.
        component: &'static str,
    },
    /// Jobs wait for each other.
    #[error("these jobs wait for each other: {}", jobs.join(", "))]
    Cycle {
        /// The jobs.
        jobs: Vec<&'static str>,
    },
    /// There are no jobs.
    #[error("the graph has no jobs")]
    Empty,
    /// There are more than a chunk keeps account of.
    #[error("the graph has {jobs} jobs, at most {JOBS_MAX} are possible: put some together")]
    TooManyJobs {
        /// How many.
        jobs: usize,
    },
    /// Two jobs have one name, and so one row of statistics.
    #[error("two jobs are named '{name}'")]
    DuplicateName {
        /// The name.
        name: &'static str,
    },
}

/// Jobs of a graph: what is ready to run is a bit of a u64.
pub const JOBS_MAX: usize = 64;
/// What a job reads, at most.
pub const INPUTS_MAX: usize = 6;

/// A function that can be a job: its first argument is the context, the others the key or outputs of other jobs.
pub trait JobFn<C, K, Args>: Send + Sync + 'static {
    /// What it makes.
    type Output: Send + Sync + 'static;
    /// The types that it reads.
    fn inputs() -> Vec<(TypeId, &'static str)>;
    /// Runs it.
    fn run(&self, context: &C, inputs: &[&dyn Any]) -> Self::Output;
}

macro_rules! job_fn {
    ($( $arg:ident $index:tt ),*) => {
        impl<F, C, K, O, $($arg),*> JobFn<C, K, ($($arg,)*)> for F
        where
            F: Fn(&C, $(&$arg),*) -> O + Send + Sync + 'static,
            O: Send + Sync + 'static,
            $( $arg: 'static, )*
        {
            type Output = O;

            fn inputs() -> Vec<(TypeId, &'static str)> {
                vec![$( (TypeId::of::<$arg>(), type_name::<$arg>()) ),*]
            }

            fn run(&self, context: &C, inputs: &[&dyn Any]) -> O {
                self(context, $( inputs[$index].downcast_ref::<$arg>().expect("the graph hands each job the types that it reads") ),*)
            }
        }
    };
}

job_fn!(A0 0);
job_fn!(A0 0, A1 1);
job_fn!(A0 0, A1 1, A2 2);
job_fn!(A0 0, A1 1, A2 2, A3 3);
job_fn!(A0 0, A1 1, A2 2, A3 3, A4 4);
job_fn!(A0 0, A1 1, A2 2, A3 3, A4 4, A5 5);

type Run<C> = Box<dyn Fn(&C, &[&dyn Any]) -> Value + Send + Sync>;

/// Where an input comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Key,
    Job(usize),
}

pub(crate) struct Node<C> {
    pub name: &'static str,
    pub stage: &'static Stage,
    pub run: Run<C>,
    pub add: fn(&mut EntityBuilder, Value),
    pub sources: Vec<Source>,
    pub dependents: Vec<usize>,
    /// How many jobs it waits for.
    pub waits_for: usize,
    inputs: Vec<(TypeId, &'static str)>,
    output: (TypeId, &'static str),
}

/// Jobs with their edges.
pub struct ChunkGraph<C, K> {
    pub(crate) nodes: Vec<Node<C>>,
    /// The jobs that wait for none, a bit each.
    pub(crate) roots: u64,
    key: PhantomData<fn(K)>,
}

/// A job as it is drawn.
#[derive(Clone, Debug)]
pub struct JobInfo {
    /// Its name.
    pub name: &'static str,
    /// Its times.
    pub stage: &'static Stage,
    /// What it reads: the jobs that make it, by their place in the graph; none for the key.
    pub inputs: Vec<Option<usize>>,
}

/// Collects jobs.
pub struct GraphBuilder<C, K> {
    nodes: Vec<Node<C>>,
    key: PhantomData<fn(K)>,
}

impl<C: 'static, K: 'static> ChunkGraph<C, K> {
    /// A graph without jobs.
    pub fn builder() -> GraphBuilder<C, K> {
        GraphBuilder { nodes: Vec::new(), key: PhantomData }
    }

    /// Its jobs in the order in which they were added, for drawing.
    pub fn jobs(&self) -> impl Iterator<Item = JobInfo> + '_ {
        self.nodes.iter().map(|node| {
            let input = |source: &Source| if let Source::Job(index) = source { Some(*index) } else { None };
            JobInfo { name: node.name, stage: node.stage, inputs: node.sources.iter().map(input).collect() }
        })
    }

    /// The graph in DOT, for Graphviz.
    pub fn dot(&self) -> String {
        let mut text = "digraph jobs {\n    rankdir=LR;\n".to_owned();
        self.write_edges(&mut text);
        text.push_str("}\n");
        text
    }

    /// Its nodes and edges in DOT.
    pub(crate) fn write_edges(&self, text: &mut String) {
        text.push_str("    \"key\" [shape=box];\n");
        for node in &self.nodes {
            for source in &node.sources {
                let from = match source {
                    Source::Key => "key",
                    Source::Job(index) => self.nodes[*index].name,
                };
                let _ = writeln!(text, "    {from:?} -> {:?};", node.name);
            }
        }
    }
}

impl<C: 'static, K: 'static> GraphBuilder<C, K> {
    /// Adds a job. `name` is that of its statistics.
    pub fn job<Args, F: JobFn<C, K, Args>>(mut self, name: &'static str, function: F) -> Self {
        self.nodes.push(Node {
            name,
            stage: terrane_profiling::stage(name),
            run: Box::new(move |context, inputs| Arc::new(function.run(context, inputs)) as Value),
            add: |builder, value| {
                if let Ok(output) = value.downcast::<F::Output>() {
                    builder.add(Made(output));
                }
            },
            sources: Vec::new(),
            dependents: Vec::new(),
            waits_for: 0,
            inputs: F::inputs(),
            output: (TypeId::of::<F::Output>(), type_name::<F::Output>()),
        });
        self
    }

    /// Finds the edges.
    pub fn build(mut self) -> Result<ChunkGraph<C, K>, GraphError> {
        let producers = self.producers()?;
        for index in 0..self.nodes.len() {
            for (input, component) in self.nodes[index].inputs.clone() {
                let source = match producers.get(&input) {
                    _ if input == TypeId::of::<K>() => Source::Key,
                    Some(producer) => Source::Job(*producer),
                    None => return Err(GraphError::MissingInput { job: self.nodes[index].name, component }),
                };
                self.nodes[index].sources.push(source);
                // A job that reads one thing twice waits for it once.
                if let Source::Job(producer) = source
                    && !self.nodes[producer].dependents.contains(&index)
                {
                    self.nodes[producer].dependents.push(index);
                    self.nodes[index].waits_for += 1;
                }
            }
        }
        refuse_cycles(&self.nodes)?;
        let roots = self.nodes.iter().enumerate().filter(|(_, node)| node.waits_for == 0).fold(0, |roots, (index, _)| roots | 1 << index);
        Ok(ChunkGraph { nodes: self.nodes, roots, key: PhantomData })
    }

    /// Which job makes a component.
    fn producers(&self) -> Result<HashMap<TypeId, usize>, GraphError> {
        match self.nodes.len() {
            0 => return Err(GraphError::Empty),
            jobs if jobs > JOBS_MAX => return Err(GraphError::TooManyJobs { jobs }),
            _ => {}
        }
        let mut producers: HashMap<TypeId, usize> = HashMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if self.nodes[..index].iter().any(|other| other.name == node.name) {
                return Err(GraphError::DuplicateName { name: node.name });
            }
            let first = if node.output.0 == TypeId::of::<K>() { Some("key") } else { None };
            let first = first.or_else(|| producers.insert(node.output.0, index).map(|first| self.nodes[first].name));
            if let Some(first) = first {
                return Err(GraphError::DuplicateProducer { component: node.output.1, first, second: node.name });
            }
        }
        Ok(producers)
    }
}

/// Takes away what waits for nothing until nothing is left (Kahn 1962).
fn refuse_cycles<C>(nodes: &[Node<C>]) -> Result<(), GraphError> {
    let mut waiting: Vec<usize> = nodes.iter().map(|node| node.waits_for).collect();
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|index| waiting[*index] == 0).collect();
    let mut done = vec![false; nodes.len()];
    while let Some(index) = ready.pop() {
        done[index] = true;
        for dependent in &nodes[index].dependents {
            waiting[*dependent] -= 1;
            if waiting[*dependent] == 0 {
                ready.push(*dependent);
            }
        }
    }
    let jobs: Vec<_> = nodes.iter().zip(&done).filter(|(_, done)| !**done).map(|(node, _)| node.name).collect();
    if jobs.is_empty() { Ok(()) } else { Err(GraphError::Cycle { jobs }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct A;
    struct B;
    struct D;

    #[test]
    fn edges_follow_from_types_and_print_as_dot() {
        let graph = ChunkGraph::<(), u8>::builder()
            .job("mesh", |_: &(), _: &A| B)
            .job("height", |_: &(), _: &u8| A)
            .job("scatter", |_: &(), _: &u8, _: &A| D)
            .build()
            .expect("a graph");
        let jobs: Vec<_> = graph.jobs().map(|job| (job.name, job.inputs)).collect();
        assert_eq!(jobs, [("mesh", vec![Some(1)]), ("height", vec![None]), ("scatter", vec![None, Some(1)])]);
        let dot = graph.dot();
        assert_eq!(
            dot,
            concat!(
                "digraph jobs {\n    rankdir=LR;\n    \"key\" [shape=box];\n    \"height\" -> \"mesh\";\n",
                "    \"key\" -> \"height\";\n    \"key\" -> \"scatter\";\n    \"height\" -> \"scatter\";\n}\n"
            )
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let error = |result: Result<ChunkGraph<(), u8>, GraphError>| result.err().expect("refused").to_string();
        assert!(error(ChunkGraph::builder().build()).contains("no jobs"));
        let twice = ChunkGraph::builder().job("one", |_: &(), _: &u8| A).job("two", |_: &(), _: &u8| A);
        assert!(error(twice.build()).contains("'one' and 'two' both make"));
        let missing = ChunkGraph::builder().job("mesh", |_: &(), _: &A| B);
        assert!(error(missing.build()).contains("'mesh' reads"));
        let circle = ChunkGraph::builder().job("x", |_: &(), _: &A| B).job("y", |_: &(), _: &B| A);
        assert!(error(circle.build()).contains("x, y"));
        let key = ChunkGraph::builder().job("keys", |_: &(), _: &u8| 1u8);
        assert!(error(key.build()).contains("'key' and 'keys' both make u8"));
        let named = ChunkGraph::builder().job("same", |_: &(), _: &u8| A).job("same", |_: &(), _: &u8| B);
        assert!(error(named.build()).contains("two jobs are named 'same'"));
    }
}
