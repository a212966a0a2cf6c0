//! A line that never arrives: nothing breaks, and the next turn is right again.

use std::collections::HashSet;

use contract::{TurnEventKind, TurnStatus};
use recording::{Direction, Entry, Recorded, Recording, ReplayEvent, ReplayedThing};

use crate::recordings;

/// What is told of the turns that begin after `ms`: their ids, ends, and items' last states without their times.
fn story_after(events: &[ReplayEvent], ms: u64) -> Vec<String> {
    let begun = events.iter().filter_map(|event| match &event.what {
        ReplayedThing::Turn(turn) if !turn.kind.is_terminal() && event.ms > ms => {
            Some(&turn.turn_id)
        }
        _ => None,
    });
    let begun: HashSet<_> = begun.collect();
    let told = events.iter().filter_map(|event| match &event.what {
        ReplayedThing::Turn(turn) if begun.contains(&turn.turn_id) => {
            Some(format!("{} {}", turn.turn_id, end_of(&turn.kind)))
        }
        ReplayedThing::Upsert(item) if item.is_final() && begun.contains(&item.turn_id) => {
            Some(format!("{} {:?}", item.item_id, item.body))
        }
        _ => None,
    });
    told.map(without_numbers_of_own_turns).collect()
}

fn end_of(kind: &TurnEventKind) -> &'static str {
    match kind {
        TurnEventKind::TurnStarted { .. } => "started",
        TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. } => "completed",
        TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. } => "cancelled",
        TurnEventKind::TurnError { .. } => "failed",
    }
}

/// A wake-up that was lost shifts the names of those that follow.
fn without_numbers_of_own_turns(line: String) -> String {
    match line.strip_prefix("auto-") {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned(),
        None => line,
    }
}

/// When everything that the line at `index` may have been part of is over: the turn in which it falls or that it ends, or
/// if it falls between two, the one that follows.
fn over_at(entries: &[Entry], index: usize) -> u64 {
    if let Some(end) = entries.get(index).filter(|lost| is(lost, r#""type":"result""#)) {
        return end.ms;
    }
    let later = entries.get(index + 1..).unwrap_or_default();
    let mut ends = later.iter().filter(|entry| is(entry, r#""type":"result""#));
    let is_turning_point = later.first().is_some_and(|next| is(next, r#""subtype":"init""#))
        && entries.get(index).is_some_and(|lost| is(lost, r#""subtype":"task_notification""#));
    // The older agent says with this line alone that the next turn is its own: losing it costs the two that it tells
    // apart.
    let lost = if is_turning_point { ends.nth(1) } else { ends.next() };
    lost.map_or(u64::MAX, |entry| entry.ms)
}

fn is(entry: &Entry, mark: &str) -> bool {
    let is_agents = entry.from == Direction::Agent;
    is_agents && matches!(&entry.what, Recorded::Line(line) if line.contains(mark))
}

#[test]
fn with_any_one_line_lost_nothing_breaks_and_the_next_turn_is_right() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for sample in recordings::all() {
        let entries = &sample.recording.entries;
        let whole = recordings::replay(&sample.recording);
        for (index, entry) in entries.iter().enumerate() {
            if entry.from != Direction::Agent || entries.len() > 400 && index % 7 != 0 {
                continue;
            }
            let mut lossy = entries.clone();
            lossy.remove(index);
            let header = sample.recording.header.clone();
            let lossy = recordings::replay(&Recording { header, entries: lossy });
            tried += 1;
            let over = over_at(entries, index);
            if story_after(&whole, over) != story_after(&lossy, over) {
                wrong.push(format!("{} line {index}: {:?}", sample.name, entry.what));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{:.6000}", wrong.len(), wrong.join("\n"));
}
