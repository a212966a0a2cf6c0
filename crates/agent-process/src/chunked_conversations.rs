//! Whole conversations cut into chunks: however a pipe delivers their bytes, the same comes of them.

use std::path::Path;

use claude::{ClaudeTranslator, Direction, Output, Recorded, Recording};
use contract::TurnId;
use pipeline::{Moment, Now};
use proptest::prelude::*;

use crate::line_splitter::{LONGEST_LINE, LineSplitter};

/// The bytes that the agent of a recording wrote.
fn bytes_of(name: &str) -> Vec<u8> {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../claude/tests/recordings");
    let text = std::fs::read_to_string(recordings.join(name)).unwrap();
    let mut bytes = Vec::new();
    for entry in Recording::parse(&text).unwrap().entries {
        if let (Direction::Agent, Recorded::Line(line)) = (entry.from, &entry.what) {
            bytes.extend_from_slice(line.as_bytes());
            bytes.push(b'\n');
        }
    }
    bytes
}

/// What a translator makes of the bytes, cut as given; the cuts repeat until nothing is left.
fn outputs(mut bytes: &[u8], cuts: &[usize]) -> Vec<String> {
    let mut splitter = LineSplitter::new(LONGEST_LINE);
    let mut names = 0;
    let mut translator = ClaudeTranslator::new("session".into(), move || {
        names += 1;
        TurnId::from(format!("auto-{names}"))
    });
    let mut lines = 0;
    let mut outputs = Vec::new();
    for cut in cuts.iter().cycle() {
        let (chunk, rest) = bytes.split_at((*cut).min(bytes.len()));
        splitter.room().extend_from_slice(chunk);
        while let Some(found) = splitter.next_line() {
            lines += 1;
            let line = String::from_utf8_lossy(splitter.line(found).bytes).into_owned();
            // Time is the number of the line: it does not depend on the cuts either.
            let now = Now { moment: Moment::from_millis(lines * 20), ..Now::default() };
            translator.handle_timeout(now);
            translator.handle_line(&line, now);
            outputs.extend(std::iter::from_fn(|| translator.poll_output()).map(|o| tell(&o)));
        }
        bytes = rest;
        if bytes.is_empty() {
            return outputs;
        }
    }
    outputs
}

fn tell(output: &Output) -> String {
    format!("{output:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_chunking_of_the_bytes_gives_the_same_events(
        cuts in proptest::collection::vec(1_usize..700, 1..40),
        which in 0_usize..4,
    ) {
        let names = ["2.1.197/tool_allow", "2.1.325/sub_basic", "2.1.325/think", "2.1.197/int_text"];
        let bytes = bytes_of(&format!("{}.rec.jsonl", names[which]));
        let whole = outputs(&bytes, &[bytes.len()]);
        prop_assert!(whole.len() > 5);
        prop_assert_eq!(outputs(&bytes, &cuts), whole);
    }
}
