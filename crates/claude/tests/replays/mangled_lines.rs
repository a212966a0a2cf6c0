//! Lines as no agent would say them: nothing panics, and the promises hold all the same.

use recording::{Judge, mangled};

use crate::recordings;

/// Of each recording; `LIMINAL_FUZZ` asks for more.
const ROUNDS: u64 = 4;

/// What a line that lies may cause: the session refuses changes of what has ended, and takes items that never began.
const FORGIVEN: [&str; 3] =
    ["unknown line", "an item that did not begin", "a change of what had ended"];

#[test]
fn s_41_whatever_lines_say_the_invariants_hold() {
    #[expect(clippy::disallowed_methods, reason = "how much a test tries is for whoever runs it")]
    let asked = std::env::var("LIMINAL_FUZZ").ok().and_then(|rounds| rounds.parse().ok());
    let mut wrong = Vec::new();
    for (sample, number) in recordings::all().iter().zip(0_u64..) {
        for round in 0..asked.unwrap_or(ROUNDS) {
            let seed = number * 1_000_003 + round;
            let events = recordings::replay(&mangled(&sample.recording, seed));
            let problems = Judge::problems(&events);
            let broken = problems
                .iter()
                .filter(|problem| !FORGIVEN.iter().any(|known| problem.starts_with(known)));
            wrong.extend(broken.map(|problem| format!("{} {seed}: {problem}", sample.name)));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{:.6000}", wrong.len(), wrong.join("\n"));
}
