//! Runs a benchmark, judges its bounds and keeps `docs/BENCHMARKS.md` current.

mod bounds;
mod document;
mod page;
mod source;

use std::{env, fs};

use anyhow::{Context, Result, ensure};

use crate::bench::bounds::Bounds;
use crate::install;
use crate::terminal::complain;
use crate::workspace::Workspace;

/// A benchmark we know, and its parts in the order in which they run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bench {
    name: &'static str,
    parts: &'static [Part],
}

#[derive(Debug, PartialEq, Eq)]
enum Part {
    /// `cargo bench -p <package> --bench <target>`.
    Cargo {
        package: &'static str,
        target: &'static str,
        /// Whether it runs the real agents.
        needs_agents: bool,
    },
    /// The page in a real browser.
    Page,
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "pipeline",
        parts: &[Part::Cargo { package: "pipeline", target: "pipeline", needs_agents: false }],
    },
    Bench {
        name: "claude",
        parts: &[
            Part::Cargo { package: "claude", target: "translate", needs_agents: false },
            Part::Cargo { package: "claude", target: "memory", needs_agents: false },
            Part::Cargo { package: "liminal", target: "claude", needs_agents: true },
        ],
    },
    Bench {
        name: "server",
        parts: &[Part::Cargo { package: "liminal", target: "server", needs_agents: false }],
    },
    Bench { name: "web", parts: &[Part::Page] },
    Bench {
        name: "acp",
        parts: &[Part::Cargo { package: "liminal", target: "acp", needs_agents: true }],
    },
];

/// Any of them set, a benchmark runs a few rounds or parts only, for those who work on it; nothing of that is written down.
const PARTIAL: [&str; 3] = ["LIMINAL_BENCH_QUICK", "LIMINAL_BENCH_ONLY", "LIMINAL_BENCH_ROUNDS"];

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
    let outputs: Result<Vec<String>> = bench.parts.iter().map(|part| part.run(workspace)).collect();
    let output = outputs?.join("\n");
    if PARTIAL.iter().all(|name| env::var_os(name).is_none()) {
        let measured = format!("{}\n\n{}", source::told(workspace)?, output.trim());
        refresh_document(workspace, bench.name, &measured)?;
    }
    let bounds = Bounds::read(&output);
    for missed in &bounds.missed {
        complain(format_args!("missed: {missed}"));
    }
    Ok(bounds.missed.is_empty())
}

impl Part {
    fn run(&self, workspace: &Workspace) -> Result<String> {
        let finished = match self {
            Self::Page => page::run(workspace)?,
            Self::Cargo { package, target, needs_agents } => {
                if *needs_agents {
                    install::agents(workspace)?;
                }
                let line = format!("bench -p {package} --bench {target}");
                workspace.cargo_without_web_ui(&line).stream()?
            }
        };
        ensure!(finished.success, "the benchmark did not run to its end");
        let bounds = Bounds::read(&finished.stdout);
        ensure!(!bounds.are_absent(), "the benchmark printed no line `bound: <text>: ok`");
        Ok(finished.stdout)
    }
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
