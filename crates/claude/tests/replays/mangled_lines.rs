//! Lines as no agent would say them: nothing panics, and the promises hold all the same.

use recording::{Judge, mangled};

use crate::recordings;

/// Of each recording; `LIMINAL_FUZZ` asks for more.
const ROUNDS: u64 = 4;

/// What a line that lies may cause. The session stands behind it: it refuses changes of what has ended and items of ended
/// turns, denies requests under a name that was used, and shows what belongs to no turn.
const FORGIVEN: [&str; 7] = [
    "unknown line",
    "an item that did not begin",
    "an item that begins twice",
    "a change of what had ended",
    "after its turn's end",
    "an item of a turn that did not start",
    "a permission",
];

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
