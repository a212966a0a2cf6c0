//! Recorded turns to be said again and again, each time with ids of its own, as one long session has them.

use std::collections::BTreeSet;
use std::path::Path;

use claude::{ClaudeTranslator, Output};
use contract::{PermissionId, SessionId, Timestamp, TurnId};
use pipeline::{Moment, Now};
use recording::{Direction, Entry, Recorded, Recording};
use serde_json::Value;

/// Time that passes between one saying of a recording and the next.
const PAUSE: u64 = 1000;

/// A recording whose ids can be replaced.
pub(crate) struct Script {
    entries: Vec<(u64, Kind, Template)>,
}

/// One thing that happens in a session.
pub(crate) struct Step {
    ms: u64,
    pub(crate) what: What,
}

pub(crate) enum What {
    /// The agent says a line.
    Line(String),
    /// We have sent a message.
    Sent(TurnId, bool),
    /// We have answered a permission request.
    Answered(PermissionId),
    /// We have interrupted the turn.
    Stopped,
}

#[derive(Clone, Copy)]
enum Kind {
    Line,
    Sent { is_named: bool },
    Answered,
    Stopped,
}

/// A text in which every second piece, from the second on, is an id.
struct Template(Vec<String>);

impl Script {
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the recordings")]
    pub(crate) fn read(version: &str, name: &str) -> Self {
        let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
        let path = recordings.join(version).join(format!("{name}.rec.jsonl"));
        let recording = Recording::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut ids = BTreeSet::new();
        for (_, line) in lines(&recording) {
            collect_ids(&serde_json::from_str(line).unwrap_or_default(), &mut ids);
        }
        let entries = lines(&recording).filter_map(|(entry, line)| {
            let (kind, text) = kind(entry.from, line)?;
            Some((entry.ms, kind, Template::new(&text, &ids)))
        });
        Self { entries: entries.collect() }
    }

    /// The steps of one saying; `number` makes its ids differ from those of all others.
    pub(crate) fn render(&self, number: usize) -> impl Iterator<Item = Step> {
        self.entries.iter().map(move |(ms, kind, template)| {
            let text = template.render(number);
            let id = text.trim_matches('"');
            let what = match *kind {
                Kind::Sent { is_named } => What::Sent(TurnId::from(id), is_named),
                Kind::Answered => What::Answered(PermissionId::from(id)),
                Kind::Line => What::Line(text),
                Kind::Stopped => What::Stopped,
            };
            Step { ms: *ms, what }
        })
    }
}

/// A translator, driven as the provider drives it.
pub(crate) struct Session {
    translator: ClaudeTranslator,
    begun_at: u64,
    last_ms: u64,
    /// Turns that ended.
    pub(crate) turns: usize,
    pub(crate) upserts: usize,
}

impl Session {
    pub(crate) fn new() -> Self {
        let mut count = 0_u64;
        let fresh_turn = move || {
            count += 1;
            TurnId::from(format!("own-{count}"))
        };
        let translator = ClaudeTranslator::new(SessionId::from("session-1"), fresh_turn);
        Self { translator, begun_at: 0, last_ms: 0, turns: 0, upserts: 0 }
    }

    pub(crate) fn feed(&mut self, step: &Step) {
        if step.ms < self.last_ms {
            self.begun_at += self.last_ms + PAUSE;
        }
        self.last_ms = step.ms;
        let ms = self.begun_at + step.ms;
        let wall = Timestamp::from_millis(i64::try_from(ms).unwrap());
        let now = Now { moment: Moment::from_millis(ms), wall };
        match &step.what {
            What::Line(line) => {
                std::hint::black_box(self.translator.poll_timeout());
                self.translator.handle_timeout(now);
                self.translator.handle_line(line, now);
            }
            What::Sent(turn, is_named) => self.translator.note_sent(turn.clone(), *is_named),
            What::Answered(id) => self.translator.note_answered(id),
            What::Stopped => drop(self.translator.stop(None)),
        }
        while let Some(output) = self.translator.poll_output() {
            match std::hint::black_box(output) {
                Output::Upsert(_) => self.upserts += 1,
                Output::Turn(event) => self.turns += usize::from(event.kind.is_terminal()),
                _ => {}
            }
        }
    }

    /// Ends loudly if what was measured is not what was meant.
    pub(crate) fn judge(&self) {
        let odd = self.translator.odd_lines();
        assert_eq!((odd.invalid, odd.malformed), (0, 0), "every line was understood");
        assert!(self.turns > 0 && self.upserts > self.turns, "turns ended and items were told");
    }
}

fn lines(recording: &Recording) -> impl Iterator<Item = (&Entry, &str)> {
    recording.entries.iter().filter_map(|entry| match &entry.what {
        Recorded::Line(line) => Some((entry, line.as_str())),
        Recorded::Event(_) => None,
    })
}

/// What an entry is to a translator, and its text or, in quotes, the id that it is about.
fn kind(from: Direction, line: &str) -> Option<(Kind, String)> {
    if from == Direction::Agent {
        return Some((Kind::Line, line.to_owned()));
    }
    let line: Value = serde_json::from_str(line).ok()?;
    let id = |value: &Value| value.as_str().map(|id| format!("\"{id}\""));
    match line["type"].as_str()? {
        "user" => {
            let named = id(&line["uuid"]);
            let kind = Kind::Sent { is_named: named.is_some() };
            Some((kind, named.unwrap_or_else(|| "\"unnamed\"".to_owned())))
        }
        "control_response" => Some((Kind::Answered, id(&line["response"]["request_id"])?)),
        "control_request" if line["request"]["subtype"] == "interrupt" => {
            Some((Kind::Stopped, String::new()))
        }
        _ => None,
    }
}

/// Everything in a line that names one message, call, task or request. The session's own id stays the same.
fn collect_ids(value: &Value, ids: &mut BTreeSet<String>) {
    const NAMES: [&str; 10] = [
        "uuid",
        "id",
        "tool_use_id",
        "parent_tool_use_id",
        "request_id",
        "command_uuid",
        "message_uuid",
        "task_id",
        "agent_id",
        "user_message_uuids",
    ];
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if NAMES.contains(&name.as_str()) {
                    let many =
                        member.as_array().map_or(std::slice::from_ref(member), Vec::as_slice);
                    ids.extend(many.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                collect_ids(member, ids);
            }
        }
        Value::Array(members) => members.iter().for_each(|member| collect_ids(member, ids)),
        _ => {}
    }
}

impl Template {
    fn new(text: &str, ids: &BTreeSet<String>) -> Self {
        let mut pieces = vec![String::new()];
        // Cut at the quotes, every second part is the inside of a string or of a part of one.
        for (index, part) in text.split('"').enumerate() {
            let is_id = ids.contains(part) || part == "unnamed";
            let last = pieces.last_mut().unwrap();
            last.push_str(if index == 0 { "" } else { "\"" });
            if is_id {
                pieces.extend([part.to_owned(), String::new()]);
            } else {
                last.push_str(part);
            }
        }
        Self(pieces)
    }

    fn render(&self, number: usize) -> String {
        let mut text = String::new();
        for (index, piece) in self.0.iter().enumerate() {
            text.push_str(piece);
            if index % 2 == 1 {
                text.push_str(&format!("-{number}"));
            }
        }
        text
    }
}
