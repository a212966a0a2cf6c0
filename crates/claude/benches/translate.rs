//! What it costs to translate the agent's lines, compared with only parsing them.
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
use std::time::Instant;

use claude::bench_support::parse_only;
use corpus::{Script, Session, Step, What};
use measure::{Bound, Limit, Quantile, of_ratio};

const VERSIONS: [&str; 2] = ["2.1.197", "2.1.325"];
const RECORDINGS: [&str; 5] = ["long", "chain", "tool_allow", "sub_basic", "bg_basic"];
/// Every recording is said as often as gives this many bytes, so that all weigh the same.
const BYTES: usize = 3_000_000;
const ROUNDS: usize = 41;
const PER_PARSING: f64 = 2.0;

fn main() -> std::io::Result<()> {
    let quick = std::env::var_os("LIMINAL_BENCH_QUICK").is_some();
    let workloads: Vec<Workload> = VERSIONS
        .iter()
        .flat_map(|version| RECORDINGS.map(|name| Workload::new(version, name)))
        .collect();
    let rounds = if quick { 9 } else { ROUNDS };
    let costs: Vec<Vec<Cost>> = (0..rounds)
        .map(|round| workloads.iter().map(|workload| workload.measure(round)).collect())
        .collect();

    let mut out = std::io::stdout().lock();
    writeln!(out, "### Translating\n")?;
    writeln!(
        out,
        "| recording | lines | bytes per line | parsing, ns per line | translating, ns per line | ratio of medians | 95 % interval |"
    )?;
    writeln!(out, "|---|---:|---:|---:|---:|---:|---:|")?;
    for (index, workload) in workloads.iter().enumerate() {
        let of_round = |cost: fn(&Cost) -> f64| -> Vec<f64> {
            costs.iter().map(|round| cost(&round[index]) / workload.lines() as f64).collect()
        };
        let (parsing, translating) =
            (of_round(|cost| cost.parsing), of_round(|cost| cost.translating));
        let ratio = of_ratio(Quantile::Median, &translating, &parsing);
        writeln!(
            out,
            "| {} | {} | {} | {:.0} | {:.0} | {:.2} | {:.2} to {:.2} |",
            workload.name,
            workload.lines(),
            workload.bytes / workload.lines(),
            Quantile::Median.of(&parsing),
            Quantile::Median.of(&translating),
            ratio.value,
            ratio.low,
            ratio.high
        )?;
    }
    writeln!(
        out,
        "\n{rounds} rounds, the two taking turns. Parsing reads the same lines with the same serde_json into the same borrowed\n\
         fields and makes nothing of them. Translating is from a line to upserts that are taken out, deadlines included.\n"
    )?;
    let all = |cost: fn(&Cost) -> f64| -> Vec<f64> {
        costs.iter().map(|round| round.iter().map(cost).sum()).collect()
    };
    let (translating, parsing) = (all(|cost| cost.translating), all(|cost| cost.parsing));
    for (quantile, text) in [
        (Quantile::Median, "line to upsert to only parsing the line, all recordings, median"),
        (Quantile::P95, "the same, P95 of the rounds"),
    ] {
        let figure = of_ratio(quantile, &translating, &parsing);
        let limit = Limit::AtMost(PER_PARSING);
        let bound = Bound { name: "nfr_claude_translate", text, limit, figure, unit: "" };
        writeln!(out, "{bound}")?;
    }
    Ok(())
}

/// A session in which one recording is said over and over.
struct Workload {
    name: String,
    steps: Vec<Step>,
    bytes: usize,
}

/// In nanoseconds.
struct Cost {
    parsing: f64,
    translating: f64,
}

impl Workload {
    fn new(version: &str, name: &str) -> Self {
        let script = Script::read(version, name);
        let bytes_of = |steps: &[Step]| steps.iter().filter_map(line).map(str::len).sum::<usize>();
        let times = BYTES.div_ceil(bytes_of(&script.render(0).collect::<Vec<_>>()));
        let steps: Vec<Step> = (0..times).flat_map(|number| script.render(number)).collect();
        let bytes = bytes_of(&steps);
        let workload = Self { name: format!("{version} {name}"), steps, bytes };
        workload.translate().judge();
        workload
    }

    fn lines(&self) -> usize {
        self.steps.iter().filter_map(line).count()
    }

    fn measure(&self, round: usize) -> Cost {
        let parse = || nanos(|| assert!(self.parse(), "every line can be parsed"));
        let translate = || nanos(|| drop(self.translate()));
        if round.is_multiple_of(2) {
            let parsing = parse();
            Cost { parsing, translating: translate() }
        } else {
            let translating = translate();
            Cost { parsing: parse(), translating }
        }
    }

    fn parse(&self) -> bool {
        self.steps.iter().filter_map(line).all(parse_only)
    }

    fn translate(&self) -> Session {
        let mut session = Session::new();
        self.steps.iter().for_each(|step| session.feed(step));
        session
    }
}

fn line(step: &Step) -> Option<&str> {
    match &step.what {
        What::Line(line) => Some(line),
        _ => None,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock; the crate it measures does not"
)]
fn nanos(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64() * 1e9
}
