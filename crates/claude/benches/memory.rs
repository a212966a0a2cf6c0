//! What a session's translator holds after very many turns, compared with after a thousand.
//!
//! Run by `cargo xtask bench claude`, which reads the `bound:` lines.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    reason = "a benchmark may end loudly"
)]

mod corpus;

use std::io::Write;

use corpus::{Script, Session, Step};
use measure::{Bound, Estimate, Limit};

const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];
/// Tool calls, permissions, questions, denials, subagents before and behind, tasks, interrupts, failures.
/// Subagents are so many that what stays known of them has reached its bound before the first look.
const RECORDINGS: [&str; 16] = [
    "sub_basic",
    "chain",
    "sub_bg",
    "tool_allow",
    "sub_basic",
    "bg_basic",
    "sub_bg",
    "ask",
    "sub_basic",
    "tool_deny",
    "sub_bg",
    "int_text",
    "sub_basic",
    "bg_stop_task",
    "sub_bg",
    "err_500",
];
const EARLY: usize = 1_000;
const LATE: usize = 100_000;
const GROWTH_KIB: f64 = 64.0;

fn main() -> std::io::Result<()> {
    let quick = std::env::var_os("LIMINAL_BENCH_QUICK").is_some();
    let late = if quick { LATE / 10 } else { LATE };
    let mut out = std::io::stdout().lock();
    writeln!(out, "### Memory\n")?;
    writeln!(
        out,
        "| Claude Code | turns | upserts | held at turn {EARLY}, KiB | at turn {late}, KiB | growth, KiB |"
    )?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|")?;
    let mut growths = Vec::new();
    for version in VERSIONS {
        let scripts = RECORDINGS.map(|name| Script::read(version, name));
        let mut talk = Talk { session: None, said: 0 };
        // What is held is what was allocated and not freed while the talk went on.
        let early = held_after(|| talk.go_on(&scripts, EARLY));
        let growth = held_after(|| talk.go_on(&scripts, late));
        let session = talk.session.unwrap();
        session.judge();
        writeln!(
            out,
            "| {version} | {} | {} | {early:.1} | {:.1} | {growth:.1} |",
            session.turns,
            session.upserts,
            early + growth
        )?;
        growths.push(growth);
    }
    writeln!(
        out,
        "\nLive heap of one translator, in a session with tool calls, permissions, questions, subagents, background tasks,\n\
         interrupts and failures; every turn, message, call and task has an id of its own.\n"
    )?;
    for (version, growth) in VERSIONS.iter().zip(growths) {
        let text = format!("{version}: live heap at turn {late} beyond that at turn {EARLY}");
        let bound = Bound {
            name: "nfr_claude_memory",
            text: &text,
            limit: Limit::AtMost(GROWTH_KIB),
            figure: Estimate::exact(growth),
            unit: " KiB",
        };
        writeln!(out, "{bound}")?;
    }
    Ok(())
}

struct Talk {
    session: Option<Session>,
    said: usize,
}

impl Talk {
    /// Says one recording after the other until this many turns have ended.
    fn go_on(&mut self, scripts: &[Script], turns: usize) {
        let session = self.session.get_or_insert_with(Session::new);
        while session.turns < turns {
            let script = &scripts[self.said % scripts.len()];
            script.render(self.said).for_each(|step: Step| session.feed(&step));
            self.said += 1;
        }
    }
}

/// In KiB.
fn held_after(run: impl FnOnce()) -> f64 {
    allocation_counter::measure(run).bytes_current as f64 / 1024.0
}
