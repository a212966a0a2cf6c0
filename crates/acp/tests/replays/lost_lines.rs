//! A line that is lost costs what it said, and nothing else.

use recording::{Direction, Entry, Judge, Recorded, Recording};

use crate::recordings;

fn is_agent_line(entry: &Entry) -> bool {
    entry.from == Direction::Agent && matches!(entry.what, Recorded::Line(_))
}

/// The recording without one of its lines.
fn without(recording: &Recording, lost: usize) -> Recording {
    let mut entries = recording.entries.clone();
    entries.remove(lost);
    Recording { header: recording.header.clone(), entries }
}

#[test]
fn with_any_one_line_lost_the_invariants_hold() {
    let mut cases = 0;
    for sample in recordings::all() {
        let lines = sample.recording.entries.iter().enumerate();
        let lost: Vec<usize> =
            lines.filter(|(_, entry)| is_agent_line(entry)).map(|(index, _)| index).collect();
        // Long ones repeat themselves.
        let step = if lost.len() > 200 { 5 } else { 1 };
        for index in lost.into_iter().step_by(step) {
            let events = recordings::replay(&without(&sample.recording, index));
            assert_eq!(Judge::problems(&events), [""; 0], "{} without {index}", sample.name);
            cases += 1;
        }
    }
    assert!(cases > 1000, "{cases} lines");
}

#[test]
fn with_any_line_cut_short_the_invariants_hold_but_for_the_line() {
    for sample in recordings::all() {
        let lines = sample.recording.entries.iter().enumerate();
        let lines = lines.filter(|(_, entry)| is_agent_line(entry)).step_by(3);
        for (index, entry) in lines {
            let mut cut = sample.recording.clone();
            let Recorded::Line(line) = &entry.what else { continue };
            let half = line.floor_char_boundary(line.len() / 2);
            cut.entries[index].what = Recorded::Line(line[..half].to_owned());
            let problems = Judge::problems(&recordings::replay(&cut));
            let others = problems.iter().filter(|problem| !problem.starts_with("unknown line"));
            assert_eq!(others.count(), 0, "{} with half of {index}: {problems:?}", sample.name);
        }
    }
}
