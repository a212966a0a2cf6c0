//! Lines as no agent would say them: nothing panics, and the promises hold all the same.

use recording::{Judge, mangled};

use crate::recordings;

/// Of each recording; `LIMINAL_FUZZ` asks for more.
const ROUNDS: u64 = 4;

#[test]
fn s_41_whatever_lines_say_the_invariants_hold() {
    let asked = std::env::var("LIMINAL_FUZZ").ok().and_then(|rounds| rounds.parse().ok());
    let mut wrong = Vec::new();
    for (sample, number) in recordings::all().iter().zip(0_u64..) {
        for round in 0..asked.unwrap_or(ROUNDS) {
            let seed = number * 1_000_003 + round;
            let events = recordings::replay(&mangled(&sample.recording, seed));
            let problems = Judge::problems(&events);
            let others = problems.iter().filter(|problem| !problem.starts_with("unknown line"));
            wrong.extend(others.map(|problem| format!("{} {seed}: {problem}", sample.name)));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{:.6000}", wrong.len(), wrong.join("\n"));
}
