//! Calls of tools and what came of them.

use std::collections::{HashMap, HashSet};

use agent_client_protocol_schema::v1::{
    ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use contract::{CallId, FileDiff};
use serde_json::{Map, Value, json};

use super::patch;
use super::reader::Reader;
use crate::codex_output::{CallEnd, CodexOutput};

#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Calls that are shown, and whether their results are.
    shown: HashMap<String, bool>,
    /// Calls that failed as a server of tools says.
    failed: HashSet<String>,
    /// Commands that go on after their call was answered: by Codex's number, with what they wrote so far.
    running: HashMap<u64, (String, String)>,
    /// Calls that only look after such a command.
    polls: HashMap<String, u64>,
    searches: usize,
    /// Calls that a person cut short, with the words for it, until it is known how the turn ends.
    aborted: Vec<(String, String)>,
}

impl Calls {
    pub(super) fn note_mcp_end(&mut self, call: &str, result: &Value) {
        let is_error = |ok: &Value| {
            ["isError", "is_error"].iter().any(|name| ok.get(*name) == Some(&Value::Bool(true)))
        };
        if result.get("Err").is_some() || result.get("Ok").is_some_and(is_error) {
            self.failed.insert(call.to_owned());
        }
    }
}

/// A call as it is shown.
struct Shown {
    title: String,
    kind: ToolKind,
    arguments: Value,
    diff: Vec<FileDiff>,
}

impl Reader {
    pub(super) fn take_call(&mut self, name: &str, arguments: &Value, call: &str) {
        self.begin_work();
        // Arguments of functions are JSON in a string.
        let parsed = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let arguments = parsed.as_ref().filter(|parsed| parsed.is_object()).unwrap_or(arguments);
        let command = command(name, arguments);
        if name == "update_plan" {
            return self.timeline.note_break(self.now);
        }
        let number = arguments.get("session_id").and_then(Value::as_u64);
        if let Some(number) = number.filter(|it| self.calls.running.contains_key(it))
            && name == "write_stdin"
        {
            self.calls.polls.insert(call.to_owned(), number);
            return;
        }
        let shown = if let Some(command) = command {
            let cwd = ["workdir", "working_directory", "cwd"];
            let cwd = cwd.iter().find_map(|name| arguments.get(*name)?.as_str());
            let cwd = cwd.unwrap_or(&self.cwd);
            let arguments = json!({ "command": command, "cwd": cwd });
            Shown { title: command, kind: ToolKind::Execute, arguments, diff: Vec::new() }
        } else if name == "apply_patch" {
            let text = arguments.as_str().or_else(|| arguments.get("input")?.as_str());
            let diff = patch::of_text(text.unwrap_or_default(), &self.cwd);
            let (title, arguments) = (edit_title(&diff), json!({ "input": text }));
            Shown { title, kind: ToolKind::Edit, arguments, diff }
        } else {
            let arguments = arguments.clone();
            Shown { title: name.to_owned(), kind: ToolKind::Other, arguments, diff: Vec::new() }
        };
        self.show_call(call, shown);
    }

    /// A search is one line, with no result of its own.
    pub(super) fn take_search(&mut self, id: Option<String>, action: &Value) {
        self.begin_work();
        self.calls.searches += 1;
        let number = self.calls.searches;
        let call = id.unwrap_or_else(|| format!("web-search-{number}"));
        let told = ["query", "url"].iter().find_map(|name| action.get(*name)?.as_str());
        let title =
            told.map_or_else(|| "Web search".to_owned(), |told| format!("Web search: {told}"));
        let arguments = action.clone();
        self.show_call(&call, Shown { title, kind: ToolKind::Fetch, arguments, diff: Vec::new() });
        self.report(&call, String::new(), false);
    }

    fn show_call(&mut self, call: &str, shown: Shown) {
        self.calls.shown.insert(call.to_owned(), false);
        if let Some(turn) = &mut self.turn {
            turn.has_answer = false;
        }
        let fields = ToolCallUpdateFields::new()
            .title(shown.title)
            .kind(shown.kind)
            .status(ToolCallStatus::InProgress)
            .raw_input(shown.arguments)
            .locations(locations(&shown.diff));
        self.update(call, fields);
        self.note_diff(call, shown.diff);
    }

    /// What was said to the model of a call's result.
    pub(super) fn take_output(&mut self, call: &str, text: &str) {
        let CodexOutput { end, text } = CodexOutput::read(text);
        if let Some(number) = self.calls.polls.remove(call) {
            return self.take_poll(number, end, &text);
        }
        // A result without its call cannot be shown: nobody knows of what.
        if self.calls.shown.get(call) != Some(&false) {
            return;
        }
        match end {
            CallEnd::Aborted => self.calls.aborted.push((call.to_owned(), text)),
            CallEnd::Running(number) => {
                self.calls.running.insert(number, (call.to_owned(), text.clone()));
                let fields = ToolCallUpdateFields::new().raw_output(Value::String(text));
                self.update(call, fields);
            }
            CallEnd::Exited(_) | CallEnd::Failed | CallEnd::Untold => {
                let failed = end.is_failure() || self.calls.failed.remove(call);
                self.report(call, text, failed);
            }
        }
    }

    /// What a command wrote since it was last looked after.
    fn take_poll(&mut self, number: u64, end: CallEnd, text: &str) {
        let Some((call, mut written)) = self.calls.running.remove(&number) else { return };
        written.push_str(text);
        match end {
            CallEnd::Exited(_) => self.report(&call, written, end.is_failure()),
            CallEnd::Running(_) | CallEnd::Aborted | CallEnd::Failed | CallEnd::Untold => {
                let fields = ToolCallUpdateFields::new().raw_output(Value::String(written.clone()));
                self.calls.running.insert(number, (call.clone(), written));
                self.update(&call, fields);
            }
        }
    }

    /// Codex says which lines of which files it changed.
    pub(super) fn take_patch_end(
        &mut self,
        call: &str,
        output: String,
        success: bool,
        changes: &Map<String, Value>,
    ) {
        if self.calls.shown.get(call) != Some(&false) {
            return;
        }
        let diff = patch::of_changes(changes);
        let fields = ToolCallUpdateFields::new()
            .title(edit_title(&diff))
            .kind(ToolKind::Edit)
            .locations(locations(&diff));
        self.note_diff(call, diff);
        self.update(call, fields);
        self.report(call, output, !success);
    }

    fn report(&mut self, call: &str, output: String, failed: bool) {
        self.calls.shown.insert(call.to_owned(), true);
        let status = if failed { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let fields = ToolCallUpdateFields::new().status(status).raw_output(Value::String(output));
        self.update(call, fields);
    }

    /// Calls that were cut short end with their turn if it was stopped; else they failed in it.
    pub(super) fn report_aborted(&mut self, turn_was_stopped: bool) {
        for (call, text) in std::mem::take(&mut self.calls.aborted) {
            if !turn_was_stopped {
                self.report(&call, text, true);
            }
        }
    }

    fn update(&mut self, call: &str, fields: ToolCallUpdateFields) {
        let update = ToolCallUpdate::new(call.to_owned(), fields);
        self.timeline.update_tool(&update, self.now);
    }

    fn note_diff(&mut self, call: &str, diff: Vec<FileDiff>) {
        if !diff.is_empty() {
            self.timeline.note_diff(&CallId::from(call), diff);
        }
    }
}

/// What a shell is told to do; `None` for other tools.
fn command(name: &str, arguments: &Value) -> Option<String> {
    let names = ["exec_command", "shell", "shell_command", "container.exec", "local_shell"];
    if !names.contains(&name) {
        return None;
    }
    let told = arguments.get("cmd").or_else(|| arguments.get("command"))?;
    if let Some(text) = told.as_str() {
        return Some(text.to_owned());
    }
    let words: Vec<&str> = told.as_array()?.iter().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [_, "-lc" | "-c", script] => Some((*script).to_owned()),
        words => Some(words.join(" ")),
    }
}

fn edit_title(files: &[FileDiff]) -> String {
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    if paths.is_empty() { "Edit".to_owned() } else { format!("Edit {}", paths.join(", ")) }
}

fn locations(files: &[FileDiff]) -> Option<Vec<ToolCallLocation>> {
    let locations: Vec<_> =
        files.iter().map(|file| ToolCallLocation::new(file.path.clone())).collect();
    (!locations.is_empty()).then_some(locations)
}
