//! The legacy family: items and turns as clients know them that were made before items were told whole.
//!
//! An entry has the id of its item. Text begins empty, grows by chunks and ends with one message; everything else is
//! told as entries that replace the one before. What an agent took back is passed over: what was told of it ends.

use std::sync::Arc;

use contract::{
    ChatEntry, ErrorCode, ItemStatus, LegacyHistory, LegacyToolStatus, MessageOrigin, Seq,
    ServerMessage, Text, Timestamp, ToolCall, TurnEvent, TurnEventKind, UpsertBody, UpsertObject,
};
use serde::Serialize;
use session::{History, Publication};

use super::sent_items::{Sent, SentItems};
use super::upserts;

/// A message, or the one that only this family has.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum LegacyMessage {
    Message(Box<ServerMessage>),
    History(LegacyHistory),
}

/// What a publication reads as, in order; nothing for what this family does not know.
pub(super) fn messages(publication: &Publication, sent: &SentItems) -> Vec<LegacyMessage> {
    match publication {
        Publication::Upsert(item) => told_of(item, sent).into_iter().map(message).collect(),
        Publication::History(history) => vec![LegacyMessage::History(entries(history))],
        Publication::Turn(event) => failure(event).into_iter().map(message).collect(),
        Publication::PermissionRequested(request) => {
            let text = format!("{} (this waits for an answer)", request.title);
            vec![message(ServerMessage::SessionError {
                session_id: request.session_id.clone(),
                message: text,
            })]
        }
        Publication::Created(_) | Publication::News(_) | Publication::Problem(_) => {
            vec![message(upserts::message(publication))]
        }
        Publication::Plan(_)
        | Publication::Status(_)
        | Publication::Glance(_)
        | Publication::PermissionResolved(_) => Vec::new(),
    }
}

/// Notes that it was told.
pub(super) fn note(publication: &Publication, sent: &mut SentItems) {
    if let Publication::Upsert(item) = publication {
        sent.note(Sent::new(item.clone()));
    } else if let Publication::History(history) = publication {
        sent.note_history(history);
    }
}

/// The state from which the messages go on; the same for all that need no other. Nothing if it cannot be named.
pub(super) fn since(publication: &Publication, sent: &SentItems) -> Option<Option<Seq>> {
    match publication {
        Publication::Upsert(item) => match sent.last(item) {
            Some(last) => last.item.seq.map(Some),
            None if is_taken_back(item) && sent.has_forgotten() => None,
            None => Some(None),
        },
        Publication::History(_)
        | Publication::Turn(_)
        | Publication::PermissionRequested(_)
        | Publication::PermissionResolved(_)
        | Publication::Created(_)
        | Publication::News(_)
        | Publication::Problem(_)
        | Publication::Plan(_)
        | Publication::Status(_)
        | Publication::Glance(_) => Some(None),
    }
}

fn message(message: ServerMessage) -> LegacyMessage {
    LegacyMessage::Message(Box::new(message))
}

fn entries(history: &History) -> LegacyHistory {
    let kept = history.page.entries.iter().filter(|item| !is_taken_back(item));
    let entries = kept.map(|item| entry(item, None)).collect();
    LegacyHistory { session_id: history.session_id.clone(), entries }
}

/// The agent says it anew in a later item. Old clients have no word for that: to them the same text would stand there twice.
fn is_taken_back(item: &UpsertObject) -> bool {
    item.error_code == Some(ErrorCode::SUPERSEDED)
}

/// An answer or a call that was told does not stay open; no more of its text is told. Thoughts have no end.
fn end_of_what_was_taken_back(item: &UpsertObject) -> Option<ServerMessage> {
    match &item.body {
        UpsertBody::Message { .. } => ending(item),
        UpsertBody::ToolCall(_) => Some(update(item, None)),
        UpsertBody::Thinking { .. } => None,
    }
}

fn failure(event: &TurnEvent) -> Option<ServerMessage> {
    match &event.kind {
        TurnEventKind::TurnError { error_message, .. } => Some(ServerMessage::SessionError {
            session_id: event.session_id.clone(),
            message: error_message.clone(),
        }),
        TurnEventKind::TurnStarted { .. } | TurnEventKind::TurnComplete { .. } => None,
    }
}

fn told_of(item: &Arc<UpsertObject>, sent: &SentItems) -> Vec<ServerMessage> {
    let told = sent.last(item).map(|last| &*last.item);
    if !is_taken_back(item) {
        return changes(item, told);
    }
    let was_told = told.is_some() || sent.has_forgotten();
    end_of_what_was_taken_back(item).filter(|_| was_told).into_iter().collect()
}

/// From what the connection was told of the item to what it is now.
fn changes(item: &Arc<UpsertObject>, told: Option<&UpsertObject>) -> Vec<ServerMessage> {
    match &item.body {
        UpsertBody::Message { content, origin: MessageOrigin::Agent | MessageOrigin::System } => {
            let mut messages = Vec::new();
            if told.is_none() {
                messages.push(update(item, Some(Text::default())));
            }
            messages.extend(growth(item, content, told.and_then(UpsertObject::content)));
            messages.extend(ending(item));
            messages
        }
        UpsertBody::Thinking { content, .. } => match told.and_then(UpsertObject::content) {
            Some(before) => growth(item, content, Some(before)).into_iter().collect(),
            None => vec![update(item, None)],
        },
        UpsertBody::Message { origin: MessageOrigin::User, .. } | UpsertBody::ToolCall(_) => {
            let is_news = told.is_none_or(|told| entry(told, None) != entry(item, None));
            is_news.then(|| update(item, None)).into_iter().collect()
        }
    }
}

/// Text that goes on is appended; text that does not takes the place of what is there.
fn growth(item: &UpsertObject, text: &Text, before: Option<&Text>) -> Option<ServerMessage> {
    let before = before.cloned().unwrap_or_default();
    if !text.starts_with(&before) {
        return Some(update(item, None));
    }
    (text.len() > before.len()).then(|| ServerMessage::LegacyChunk {
        session_id: item.session_id.clone(),
        entry_id: item.item_id.clone(),
        content: text.after(before.len()),
    })
}

/// Text that was cut short is never told as complete.
fn ending(item: &UpsertObject) -> Option<ServerMessage> {
    let (session_id, entry_id) = (item.session_id.clone(), item.item_id.clone());
    match item.status {
        ItemStatus::Create | ItemStatus::Update => None,
        ItemStatus::Complete => Some(ServerMessage::LegacyComplete { session_id, entry_id }),
        ItemStatus::Error => Some(ServerMessage::LegacyCancelled { session_id, entry_id }),
    }
}

fn update(item: &UpsertObject, text: Option<Text>) -> ServerMessage {
    let session_id = item.session_id.clone();
    ServerMessage::LegacyUpdate { session_id, entry: entry(item, text) }
}

/// An item as an entry, with another text if one is given.
fn entry(item: &UpsertObject, text: Option<Text>) -> ChatEntry {
    let entry_id = item.item_id.clone();
    let timestamp: Timestamp = item.started_at.unwrap_or(item.source_timestamp);
    match &item.body {
        UpsertBody::Message { content, origin } => {
            let content = text.unwrap_or_else(|| content.clone());
            match origin {
                MessageOrigin::User => ChatEntry::User { entry_id, content, timestamp },
                MessageOrigin::Agent | MessageOrigin::System => {
                    ChatEntry::Assistant { entry_id, content, timestamp }
                }
            }
        }
        UpsertBody::Thinking { content, .. } => {
            ChatEntry::Thinking { entry_id, content: content.clone() }
        }
        UpsertBody::ToolCall(tool) => tool_entry(item, tool),
    }
}

/// A call has a result or an error once it has ended.
fn tool_entry(item: &UpsertObject, tool: &ToolCall) -> ChatEntry {
    let status = match item.status {
        _ if !item.is_final() => LegacyToolStatus::Running,
        ItemStatus::Error => LegacyToolStatus::Error,
        _ if tool.tool_output_is_error == Some(true) => LegacyToolStatus::Error,
        ItemStatus::Create | ItemStatus::Update | ItemStatus::Complete => {
            LegacyToolStatus::Complete
        }
    };
    let output = || tool.tool_output.as_ref();
    let reason = || {
        let told = item.error_message.clone().or_else(|| output().map(Text::to_string));
        told.or_else(|| item.error_code.as_ref().map(ToString::to_string))
    };
    ChatEntry::ToolCall {
        entry_id: item.item_id.clone(),
        tool_call_id: tool.call_id.clone(),
        name: tool.tool_name.clone(),
        status,
        result: output().filter(|_| status == LegacyToolStatus::Complete).cloned(),
        error: Some(()).filter(|()| status == LegacyToolStatus::Error).and_then(|()| reason()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// An entry as a legacy client keeps it.
    #[derive(Clone, Debug, Default, PartialEq)]
    struct Shown {
        text: String,
        endings: usize,
    }

    fn state(item: usize, text: &str, status: ItemStatus, thinks: bool) -> UpsertObject {
        let content = Text::from(text);
        let body = if thinks {
            UpsertBody::Thinking { content, provider_id: "p".into() }
        } else {
            UpsertBody::Message { content, origin: MessageOrigin::Agent }
        };
        let id = format!("i{item}").as_str().into();
        UpsertObject { status, ..UpsertObject::new("t".into(), "s".into(), id, body) }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]
    fn apply(shown: &mut HashMap<String, Shown>, message: LegacyMessage) {
        let LegacyMessage::Message(message) = message else { panic!("no history: {message:?}") };
        match *message {
            ServerMessage::LegacyUpdate { entry, .. } => {
                let (ChatEntry::Assistant { entry_id, content, .. }
                | ChatEntry::Thinking { entry_id, content }) = entry
                else {
                    panic!("{entry:?}")
                };
                shown.entry(entry_id.to_string()).or_default().text = content.to_string();
            }
            ServerMessage::LegacyChunk { entry_id, content, .. } => {
                shown.get_mut(entry_id.as_str()).expect("it began").text.push_str(&content);
            }
            ServerMessage::LegacyComplete { entry_id, .. }
            | ServerMessage::LegacyCancelled { entry_id, .. } => {
                shown.get_mut(entry_id.as_str()).expect("it began").endings += 1;
            }
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        /// Whatever states of an item reach a client, it ends with the text of the last, and an answer ends once.
        #[test]
        fn a_legacy_client_ends_with_the_last_text(
            steps in proptest::collection::vec((0..3_usize, "[a\u{e4}]{0,3}", 0..8_u8), 0..60),
        ) {
            let (mut sent, mut shown) = (SentItems::default(), HashMap::new());
            let mut texts: HashMap<usize, (String, bool)> = HashMap::new();
            for (item, text, what) in steps {
                let (whole, has_ended) = texts.entry(item).or_default();
                if *has_ended {
                    continue;
                }
                // One rewrites, one ends, one is forgotten about, the others grow.
                match what {
                    0 => whole.clone_from(&text),
                    1 => sent.forget(&"s".into()),
                    _ => whole.push_str(&text),
                }
                *has_ended = what == 2;
                let status = if *has_ended { ItemStatus::Complete } else { ItemStatus::Update };
                let publication = Publication::Upsert(Arc::new(state(item, whole, status, item == 2)));
                messages(&publication, &sent).into_iter().for_each(|told| apply(&mut shown, told));
                note(&publication, &mut sent);
            }
            for (item, (text, has_ended)) in texts {
                let endings = usize::from(has_ended && item != 2);
                prop_assert_eq!(&shown[&format!("i{item}")], &Shown { text, endings });
            }
        }
    }
}
