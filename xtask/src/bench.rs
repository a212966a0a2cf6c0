//! Runs a benchmark, judges its bounds and keeps `docs/BENCHMARKS.md` current.

mod bounds;
mod document;

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::bench::bounds::Bounds;
use crate::terminal::complain;
use crate::workspace::Workspace;

/// A benchmark we know: `cargo bench -p <package> --bench <name>`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bench {
    name: &'static str,
    package: &'static str,
}

const BENCHES: &[Bench] = &[Bench { name: "pipeline", package: "pipeline" }];

const DOCUMENT: &str = "docs/BENCHMARKS.md";

/// Refuses an unknown name with the known ones.
pub(crate) fn named(name: &str) -> Result<&'static Bench, String> {
    let found = BENCHES.iter().find(|bench| bench.name == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
        format!("unknown benchmark: {name}; known are: {}", known.join(", "))
    })
}

/// Tells whether all bounds were met.
///
/// A missed bound is written down as well; what does not follow the protocol is not.
pub(crate) fn run(workspace: &Workspace, bench: &Bench) -> Result<bool> {
    let line = format!("bench -p {} --bench {}", bench.package, bench.name);
    let finished = workspace.cargo_without_web_ui(&line).stream()?;
    ensure!(finished.success, "the benchmark did not run to its end");
    let bounds = Bounds::read(&finished.stdout);
    ensure!(!bounds.are_absent(), "the benchmark printed no line `bound: <text>: ok`");
    refresh_document(workspace, bench.name, &finished.stdout)?;
    for missed in &bounds.missed {
        complain(format_args!("missed: {missed}"));
    }
    Ok(bounds.missed.is_empty())
}

fn refresh_document(workspace: &Workspace, name: &str, output: &str) -> Result<()> {
    let path = workspace.root.join(DOCUMENT);
    let before = if path.exists() {
        fs::read_to_string(&path).with_context(|| format!("cannot read {DOCUMENT}"))?
    } else {
        document::EMPTY.to_owned()
    };
    let after = document::with_section(&before, name, output)?;
    fs::write(&path, after).with_context(|| format!("cannot write {DOCUMENT}"))
}
