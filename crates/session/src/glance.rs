//! What a session does, in a few words, at most once a second: for readers who watch many sessions and opened none.
//!
//! Pure: time is an argument. What it keeps is bounded, and a text is let go as soon as its last line was read.

use std::sync::Arc;
use std::time::Duration;

use contract::{
    ItemId, MessageOrigin, SessionGlance, SessionId, Timestamp, ToolCall, TurnEvent, TurnEventKind,
    TurnId, UpsertBody, UpsertObject,
};
use pipeline::{Moment, Now};
use store::Change;

/// Between one glance of a session and the next.
const PACE: Duration = Duration::from_secs(1);
/// Characters of a line.
const LONGEST: usize = 200;
/// Of a text, where its last line is looked for: characters have at most four bytes.
const LOOKED_AT: usize = 4 * LONGEST;
/// Calls and turns that are remembered while they run; of more the oldest are forgotten.
const REMEMBERED: usize = 16;
/// Arguments that say what a call works on, the best first.
const TELLING: [&str; 8] =
    ["command", "file_path", "path", "pattern", "url", "query", "description", "prompt"];

#[derive(Debug, Default)]
pub(crate) struct Glance {
    turns: Vec<(TurnId, Timestamp)>,
    tools: Vec<(ItemId, String)>,
    line: Option<String>,
    /// What was said last, until its line is needed.
    said: Option<Arc<UpsertObject>>,
    heard_at: Timestamp,
    is_news: bool,
    told_at: Option<Moment>,
}

impl Glance {
    /// The agent said something, whatever it was.
    pub(crate) fn hear(&mut self, now: Now) {
        self.heard_at = now.wall;
        self.is_news = true;
    }

    pub(crate) fn note(&mut self, change: &Change) {
        match change {
            Change::Upsert(item) => self.note_item(item),
            Change::Turn(event) => self.note_turn(event),
            Change::Queue(_)
            | Change::Attachments(..)
            | Change::Permission(_)
            | Change::Sent(..)
            | Change::Record(_) => {}
        }
    }

    /// When `take` has something to tell.
    pub(crate) fn deadline(&self) -> Option<Moment> {
        self.is_news.then(|| self.told_at.map_or(Moment::default(), |told| told + PACE))
    }

    /// What is to be told now, if anything is.
    pub(crate) fn take(&mut self, session: &SessionId, now: Now) -> Option<SessionGlance> {
        if self.deadline()? > now.moment {
            return None;
        }
        self.is_news = false;
        self.told_at = Some(now.moment);
        if let Some(text) = self.said.take().as_deref().and_then(UpsertObject::content) {
            self.line = last_line(&text.tail(LOOKED_AT)).or(self.line.take());
        }
        Some(SessionGlance {
            session_id: session.clone(),
            turn_started_at: self.turns.first().map(|(_, began)| *began),
            tool: self.tools.last().map(|(_, label)| label.clone()),
            line: self.line.clone(),
            at: self.heard_at,
        })
    }

    fn note_item(&mut self, item: &Arc<UpsertObject>) {
        match &item.body {
            UpsertBody::Message { origin: MessageOrigin::User, .. } => {}
            UpsertBody::Message { .. } | UpsertBody::Thinking { .. } => {
                self.said = Some(item.clone());
                self.is_news = true;
            }
            UpsertBody::ToolCall(tool) => self.note_tool(item, tool),
        }
    }

    fn note_tool(&mut self, item: &UpsertObject, tool: &ToolCall) {
        let known = self.tools.iter().position(|(id, _)| *id == item.item_id);
        match known {
            Some(at) if item.is_final() => drop(self.tools.remove(at)),
            Some(at) => {
                if let Some((_, label)) = self.tools.get_mut(at) {
                    *label = label_of(tool);
                }
            }
            None if item.is_final() => {}
            None => remember(&mut self.tools, (item.item_id.clone(), label_of(tool))),
        }
        self.is_news = true;
    }

    fn note_turn(&mut self, event: &TurnEvent) {
        self.is_news = true;
        let began = event.at.unwrap_or_default();
        match &event.kind {
            TurnEventKind::TurnStarted { .. } => {
                remember(&mut self.turns, (event.turn_id.clone(), began));
                self.heard_at = self.heard_at.max(began);
            }
            TurnEventKind::TurnComplete { .. } => self.end(&event.turn_id),
            TurnEventKind::TurnError { error_message, .. } => {
                self.end(&event.turn_id);
                self.said = None;
                self.line = last_line(error_message).or(self.line.take());
            }
        }
    }

    fn end(&mut self, turn: &TurnId) {
        self.turns.retain(|(known, _)| known != turn);
        if self.turns.is_empty() {
            self.tools.clear();
        }
    }
}

fn remember<T>(kept: &mut Vec<T>, new: T) {
    if kept.len() == REMEMBERED {
        kept.remove(0);
    }
    kept.push(new);
}

/// The name of the tool and what it works on.
fn label_of(tool: &ToolCall) -> String {
    let arguments = tool.tool_arguments.as_map();
    let telling = TELLING.iter().find_map(|name| arguments.get(*name)?.as_str());
    let named = tool.tool_name.as_str();
    // Some agents name a call by what it does, arguments included.
    let detail = telling.filter(|detail| !named.contains(*detail));
    let label: String = named.chars().take(LONGEST).collect();
    let Some(detail) = detail else { return one_line(&label) };
    let detail: String = detail.chars().take(LONGEST).collect();
    one_line(&format!("{label}: {detail}")).chars().take(LONGEST).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last line with words in it, or its end: the fence below a block of code tells nothing.
fn last_line(text: &str) -> Option<String> {
    let has_words = |line: &&str| line.chars().any(char::is_alphanumeric);
    let line = one_line(text.lines().rev().find(has_words)?);
    let length = line.chars().count();
    if length <= LONGEST {
        return Some(line);
    }
    let end: String = line.chars().skip(length - (LONGEST - 1)).collect();
    Some(format!("…{end}"))
}

#[cfg(test)]
mod tests;
