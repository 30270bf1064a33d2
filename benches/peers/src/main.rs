//! In: nothing. Out: how fast each kernel is beside its peer, for the rows of docs/PERFORMANCE.md.
//!
//! `cargo run --release -p peers [-- --json] [-- --only TEXT] [-- --isa NAME]`, and with `--features fastnoise2` its rows too, which
//! needs cmake, a C++17 compiler and libclang (LIBCLANG_PATH). Ours and the peer run in turn in this process, on one thread.
//! Exit code 1: an output is wrong. A goal that is missed is only shown: on another machine that is news, not an error.
#![forbid(unsafe_code)]

mod harness;
mod plain;
mod rows;
mod scenes;
mod table;

use harness::Session;
use std::{error::Error, process::ExitCode};
use terrane_simd::Isa;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut session = Session { json: false, only: None, isa: Isa::detect(), rows: Vec::new(), wrong: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--json" => session.json = true,
            "--only" => session.only = Some(value()?),
            "--isa" => session.isa = Isa::parse(&value()?)?,
            _ => return Err(format!("unknown argument {argument}; there are --json, --only TEXT, --isa NAME").into()),
        }
    }
    // What chooses for itself shall choose the same.
    Isa::choose(session.isa);
    if !session.json {
        println!("{} (medians, ours and peer in turn, one thread; ratio is peer by ours)\n{}", session.isa, table::HEAD);
    }
    rows::noise(&mut session);
    rows::voxels(&mut session);
    rows::chunks(&mut session);
    rows::system(&mut session);
    if session.json {
        println!("{}", table::json(&session.rows, &session.isa.to_string()));
    }
    for wrong in &session.wrong {
        eprintln!("wrong: {wrong}");
    }
    Ok(if session.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
