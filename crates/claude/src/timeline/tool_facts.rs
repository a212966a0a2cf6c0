//! What a tool's name, arguments and result tell about what it touches.

use contract::{DiffHunk, FileDiff, Location, ToolArguments, ToolKind};
use pipeline::surrogates;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

pub(super) fn kind(name: &str) -> Option<ToolKind> {
    Some(match name {
        "Read" | "NotebookRead" => ToolKind::Read,
        "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => ToolKind::Edit,
        "Bash" | "BashOutput" | "KillShell" | "Monitor" => ToolKind::Execute,
        "Grep" | "Glob" | "LS" | "ToolSearch" => ToolKind::Search,
        "WebFetch" | "WebSearch" => ToolKind::Fetch,
        "Agent" | "Task" | "TodoWrite" | "EnterPlanMode" | "ExitPlanMode" => ToolKind::Think,
        _ => return None,
    })
}

/// The file that the arguments name.
pub(super) fn locations(arguments: &ToolArguments) -> Option<Vec<Location>> {
    let path = ["file_path", "notebook_path", "path"]
        .into_iter()
        .find_map(|name| arguments.as_map().get(name)?.as_str())?;
    Some(vec![Location { path: path.to_owned(), line: None }])
}

pub(super) fn arguments(raw: Option<&RawValue>) -> ToolArguments {
    raw.map(|raw| parse_arguments(raw.get())).unwrap_or_default()
}

/// Broken arguments, or ones that are no object, count as none.
pub(super) fn parse_arguments(json: &str) -> ToolArguments {
    let mended = || surrogates::mend(json).and_then(|json| serde_json::from_str(&json).ok());
    match serde_json::from_str(json).ok().or_else(mended) {
        Some(Value::Object(members)) => ToolArguments::from(members),
        Some(_) | None => ToolArguments::default(),
    }
}

/// What came of arguments that lost their end, as one text.
pub(super) fn cut_arguments(text: &str) -> ToolArguments {
    let members = [("cutArguments".to_owned(), Value::from(text))];
    ToolArguments::from(serde_json::Map::from_iter(members))
}

/// What an edit changed, from the CLI's own account of it.
pub(super) fn diff(result: Option<&RawValue>) -> Option<Vec<FileDiff>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Edited {
        file_path: String,
        structured_patch: Vec<DiffHunk>,
    }
    let edited: Edited = serde_json::from_str(result?.get()).ok()?;
    if edited.structured_patch.is_empty() {
        return None;
    }
    Some(vec![FileDiff { path: edited.file_path, hunks: edited.structured_patch }])
}
