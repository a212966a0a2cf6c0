//! Recordings as no agent would speak them: for tests of what a translator makes of anything.

use serde_json::Value;

use crate::{Direction, Entry, Recorded, Recording};

/// Changes a few lines of the agent, the same ones in the same way for the same seed.
pub fn mangled(recording: &Recording, seed: u64) -> Recording {
    let mut dice = Dice(seed);
    let mut entries = recording.entries.clone();
    for _ in 0..=dice.below(4) {
        let lines = entries.iter().enumerate().filter(|(_, entry)| is_agent_line(entry));
        let lines: Vec<usize> = lines.map(|(index, _)| index).collect();
        let Some(&index) = lines.get(dice.below(lines.len().max(1))) else { break };
        mangle(&mut entries, index, &mut dice);
    }
    Recording { header: recording.header.clone(), entries }
}

fn is_agent_line(entry: &Entry) -> bool {
    entry.from == Direction::Agent && matches!(entry.what, Recorded::Line(_))
}

fn mangle(entries: &mut Vec<Entry>, index: usize, dice: &mut Dice) {
    let Some(entry) = entries.get_mut(index) else { return };
    let Recorded::Line(line) = &mut entry.what else { return };
    match dice.below(10) {
        0 => {
            entries.remove(index);
        }
        1 => {
            let again = entry.clone();
            entries.insert(index, again);
        }
        2 => {
            let other = dice.below(entries.len());
            // Times stay where they are, and what is no line, such as the end, too.
            if let Ok([one, two]) = entries.get_disjoint_mut([index, other])
                && is_agent_line(two)
            {
                std::mem::swap(&mut one.what, &mut two.what);
            }
        }
        3 => *line = scribbled(line, dice),
        4 => *line = dice.text(),
        _ => {
            if let Ok(mut value) = serde_json::from_str(line) {
                change(&mut value, dice);
                *line = value.to_string();
            }
        }
    }
}

/// With a piece of it replaced by something else.
fn scribbled(line: &str, dice: &mut Dice) -> String {
    let from = line.floor_char_boundary(dice.below(line.len() + 1));
    let to = line.ceil_char_boundary((from + dice.below(20)).min(line.len()));
    format!("{}{}{}", line.get(..from).unwrap_or(""), dice.text(), line.get(to..).unwrap_or(""))
}

/// Somewhere in it something else stands, or nothing.
fn change(value: &mut Value, dice: &mut Dice) {
    let goes_deeper = dice.below(4) > 0;
    match value {
        Value::Object(fields) if goes_deeper && !fields.is_empty() => {
            let at = dice.below(fields.len());
            let Some(name) = fields.keys().nth(at).cloned() else { return };
            match (dice.below(8), fields.get_mut(&name)) {
                (0, _) => drop(fields.remove(&name)),
                (1, _) => {
                    let moved = fields.remove(&name).unwrap_or_default();
                    fields.insert(dice.text(), moved);
                }
                (_, Some(field)) => change(field, dice),
                (_, None) => {}
            }
        }
        Value::Array(items) if goes_deeper && !items.is_empty() => {
            let at = dice.below(items.len());
            match (dice.below(6), items.get_mut(at)) {
                (0, _) => drop(items.remove(at)),
                (1, Some(item)) => {
                    let again = item.clone();
                    items.push(again);
                }
                (_, Some(item)) => change(item, dice),
                (_, None) => {}
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => *value = dice.value(),
    }
}

/// The same numbers for the same seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Less than `bound`, which is more than nothing.
    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }

    fn text(&mut self) -> String {
        let odd = [
            "",
            "{",
            "}",
            "[]",
            "null",
            "\"",
            "\\",
            "\\ud800",
            "\u{0}",
            "\u{feff}",
            "\u{1f600}",
            "💥",
            "type",
            "result",
            "assistant",
            "stream_event",
            "session/update",
            "id",
            "0",
            "-1",
            "1e999",
            "\n",
            "\r",
            " ",
        ];
        (0..self.below(4)).map(|_| odd.get(self.below(odd.len())).copied().unwrap_or("")).collect()
    }

    fn value(&mut self) -> Value {
        match self.below(10) {
            0 => Value::Null,
            1 => Value::Bool(self.below(2) == 0),
            2 => Value::from(self.next()),
            3 => Value::from(-1),
            4 => Value::from(1.5e300),
            5 => Value::from(self.text()),
            6 => Value::from("x".repeat(self.below(5000))),
            7 => Value::Array((0..self.below(4)).map(|_| self.value()).collect()),
            8 => Value::Object((0..self.below(4)).map(|_| (self.text(), self.value())).collect()),
            _ => (0..self.below(100)).fold(Value::Null, |inner, _| Value::Array(vec![inner])),
        }
    }
}
