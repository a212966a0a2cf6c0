//! Items that are too long for the stream: what it carries of them.
//!
//! Invariant: what is carried of an item is at most `STREAM_LIMIT` bytes of text, and no character is cut.

use serde_json::{Map, Value};

use crate::text::beginning;
use crate::{
    DiffHunk, FileDiff, HistoryPage, ToolArguments, ToolCall, Truncation, UpsertBody, UpsertObject,
};

/// Bytes of text of an item that the stream carries; the whole is had by HTTP.
pub const STREAM_LIMIT: usize = 256 << 10;

impl UpsertObject {
    /// The beginning of an item that is too long for the stream; nothing if it fits.
    pub fn shortened(&self) -> Option<Self> {
        let bytes = self.text_size();
        if bytes <= STREAM_LIMIT {
            return None;
        }
        let body = match &self.body {
            UpsertBody::Message { content, origin } => {
                UpsertBody::Message { content: content.head(STREAM_LIMIT), origin: *origin }
            }
            UpsertBody::Thinking { content, provider_id } => UpsertBody::Thinking {
                content: content.head(STREAM_LIMIT),
                provider_id: provider_id.clone(),
            },
            UpsertBody::ToolCall(tool) => UpsertBody::ToolCall(shortened_call(tool)),
        };
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        // Named one by one: a clone would copy the long body first.
        Some(Self {
            turn_id: self.turn_id.clone(),
            session_id: self.session_id.clone(),
            item_id: self.item_id.clone(),
            source_timestamp: self.source_timestamp,
            emitted_at: self.emitted_at,
            status: self.status,
            error_code: self.error_code.clone(),
            error_message: self.error_message.clone(),
            seq: self.seq,
            position: self.position,
            started_at: self.started_at,
            parent_item_id: self.parent_item_id.clone(),
            truncated: Some(Truncation { bytes }),
            body,
        })
    }
}

impl HistoryPage {
    /// The page as clients get it: without what is too long for the stream.
    #[must_use]
    pub fn shortened(mut self) -> Self {
        for entry in &mut self.entries {
            if let Some(short) = entry.shortened() {
                *entry = short;
            }
        }
        self
    }
}

/// Arguments and changes get a quarter each, the output half, and what one leaves is for the next.
fn shortened_call(tool: &ToolCall) -> ToolCall {
    let mut room = STREAM_LIMIT / 4;
    let tool_arguments =
        ToolArguments::from(shortened_members(tool.tool_arguments.as_map(), &mut room));
    room += STREAM_LIMIT / 4;
    let diff = tool.diff.as_ref().map(|files| shortened_diff(files, &mut room));
    room += STREAM_LIMIT / 2;
    ToolCall {
        tool_name: tool.tool_name.clone(),
        tool_arguments,
        call_id: tool.call_id.clone(),
        tool_output: tool.tool_output.as_ref().map(|output| output.head(room)),
        tool_output_is_error: tool.tool_output_is_error,
        kind: tool.kind,
        locations: tool.locations.clone(),
        diff,
    }
}

/// Members and elements that do not fit are left out, long strings are cut.
fn shortened_members(members: &Map<String, Value>, room: &mut usize) -> Map<String, Value> {
    let mut kept = Map::new();
    for (name, value) in members {
        if !take(room, name.len()) {
            break;
        }
        match shortened_value(value, room) {
            Some(value) => drop(kept.insert(name.clone(), value)),
            None => break,
        }
    }
    kept
}

fn shortened_value(value: &Value, room: &mut usize) -> Option<Value> {
    const SCALAR: usize = 8;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            take(room, SCALAR).then(|| value.clone())
        }
        Value::String(text) => {
            let kept = beginning(text, *room);
            *room -= kept.len();
            Some(Value::from(kept))
        }
        Value::Array(values) => {
            // An empty value costs nothing to keep, but there may be very many of them.
            let values = values
                .iter()
                .map_while(|value| if *room == 0 { None } else { shortened_value(value, room) });
            Some(Value::Array(values.collect()))
        }
        Value::Object(members) => Some(Value::Object(shortened_members(members, room))),
    }
}

fn shortened_diff(files: &[FileDiff], room: &mut usize) -> Vec<FileDiff> {
    let files = files.iter().map(|file| FileDiff {
        path: file.path.clone(),
        hunks: file.hunks.iter().map(|hunk| shortened_hunk(hunk, room)).collect(),
    });
    files.collect()
}

/// The counts stay those of the whole change; a line says how many are left out.
fn shortened_hunk(hunk: &DiffHunk, room: &mut usize) -> DiffHunk {
    let fitting = hunk.lines.iter().take_while(|line| take(room, line.len())).count();
    let mut lines: Vec<_> = hunk.lines.iter().take(fitting).cloned().collect();
    let left_out = hunk.lines.len() - fitting;
    if left_out > 0 {
        // A diff has no holes: what follows is left out as well.
        *room = 0;
        lines.push(format!("\\ {left_out} more lines"));
    }
    DiffHunk { lines, ..*hunk }
}

fn take(room: &mut usize, bytes: usize) -> bool {
    let left = room.checked_sub(bytes);
    *room = left.unwrap_or(*room);
    left.is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::MessageOrigin;

    fn item(body: UpsertBody) -> UpsertObject {
        UpsertObject::new("t".into(), "s".into(), "i".into(), body)
    }

    fn message(text: &str) -> UpsertObject {
        item(UpsertBody::Message { content: text.into(), origin: MessageOrigin::Agent })
    }

    #[test]
    fn what_fits_is_left_alone() {
        assert_eq!(message(&"x".repeat(STREAM_LIMIT)).shortened(), None);
    }

    #[test]
    fn long_text_is_cut_between_characters_and_says_how_long_it_is() {
        let whole = "x".to_owned() + &"\u{20ac}".repeat(100_000);
        let short = message(&whole).shortened().unwrap();
        assert_eq!(short.truncated, Some(Truncation { bytes: 300_001 }));
        let text = short.content().unwrap().to_string();
        assert!(whole.starts_with(&text) && text.len() <= STREAM_LIMIT);
        assert!(text.len() > STREAM_LIMIT - 3);
    }

    #[test]
    fn a_call_is_cut_in_its_arguments_its_changes_and_its_output() {
        let hunk = DiffHunk {
            old_start: 1,
            old_lines: 0,
            new_start: 1,
            new_lines: 50_000,
            lines: vec!["+line".to_owned(); 50_000],
        };
        let arguments = json!({"path": "a.txt", "content": "y".repeat(500_000), "deep": {"list": [1, "z".repeat(9)]}});
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let whole = item(UpsertBody::ToolCall(ToolCall {
            tool_name: "Write".to_owned(),
            tool_arguments: arguments.into(),
            call_id: "c".into(),
            tool_output: Some("o".repeat(500_000).into()),
            tool_output_is_error: Some(false),
            kind: None,
            locations: None,
            diff: Some(vec![FileDiff { path: "a.txt".to_owned(), hunks: vec![hunk] }]),
        }));
        let short = whole.shortened().unwrap();
        // The lines that tell how much is left out come on top.
        assert!(short.text_size() <= STREAM_LIMIT + 100, "{}", short.text_size());
        assert!(short.text_size() > STREAM_LIMIT / 2);
        let UpsertBody::ToolCall(tool) = short.body else { panic!("a call") };
        assert!(tool.tool_output.is_some_and(|output| output.len() >= STREAM_LIMIT / 2));
        let lines = &tool.diff.unwrap()[0].hunks[0].lines;
        assert!(lines.last().unwrap().starts_with("\\ "), "{:?}", lines.last());
        assert!(lines.len() > 1000 && lines.len() < 50_000);
    }

    #[test]
    fn very_many_small_arguments_are_cut_too() {
        let Value::Object(arguments) = json!({"list": vec![0; 100_000], "names": vec![""; 100]})
        else {
            panic!("an object")
        };
        let mut room = 1000;
        let kept = Value::Object(shortened_members(&arguments, &mut room));
        assert!(kept["list"].as_array().unwrap().len() <= 125, "{kept}");
    }
}
