//! In: rows. Out: a table for people, or one JSON object for programs.
//! Never knows: how the figures were made.

use crate::harness::{Row, span};
use std::fmt;

/// Above the rows.
pub const HEAD: &str =
    "row                                                     ours      peer     ratio    must    goal           ours min  peer min  of minima";

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = |limit: Option<f64>| limit.map_or("-".to_owned(), |limit| format!("{}{limit}", if self.lower_is_better { "<=" } else { "" }));
        write!(
            f,
            "{:<50} {:>9} {:>9} {:>9} {:>7} {:>7} {:<7} {:>9} {:>9} {:>10}",
            self.name,
            span(self.ours.median_ns),
            span(self.peer.median_ns),
            format!("{:.2}", self.ratio),
            limit(self.must),
            limit(self.goal),
            self.verdict(),
            span(self.ours.min_ns),
            span(self.peer.min_ns),
            format!("{:.2}", self.ratio_of_minima()),
        )?;
        if self.note.is_empty() { Ok(()) } else { write!(f, "\n    {}", self.note) }
    }
}

/// One object with `rows`.
pub fn json(rows: &[Row], isa: &str) -> String {
    let number = |value: Option<f64>| value.map_or("null".to_owned(), |value| value.to_string());
    let rows = rows.iter().map(|row| {
        format!(
            "  {{\"name\": {:?}, \"ratio\": {:.4}, \"must\": {}, \"goal\": {}, \"lower_is_better\": {}, \"ours_ns\": {:.1}, \"peer_ns\": {:.1}, \"ours_min_ns\": {:.1}, \"peer_min_ns\": {:.1}, \"ratio_of_minima\": {:.4}}}",
            row.name,
            row.ratio,
            number(row.must),
            number(row.goal),
            row.lower_is_better,
            row.ours.median_ns,
            row.peer.median_ns,
            row.ours.min_ns,
            row.peer.min_ns,
            row.ratio_of_minima()
        )
    });
    format!("{{\"isa\": {isa:?}, \"rows\": [\n{}\n]}}", rows.collect::<Vec<_>>().join(",\n"))
}
