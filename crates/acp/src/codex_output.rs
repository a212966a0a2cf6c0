//! What Codex tells its model of a call's result: a few lines about the process, then what it wrote.
//!
//! Live, results come apart and without these lines; they are all that a history has.

use serde_json::Value;

/// How the call ended, as far as the text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// The text does not say.
    Untold,
    Exited(i64),
    /// A command that goes on, under this number.
    Running(u64),
    Aborted,
    /// Codex itself refused or could not do it.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodexOutput {
    pub(crate) end: CallEnd,
    /// Without the lines about the process.
    pub(crate) text: String,
}

/// How texts begin that Codex gives in place of a result.
const REFUSALS: [&str; 6] = [
    "apply_patch verification failed",
    "unsupported call: ",
    "unsupported custom tool call: ",
    "failed to parse function arguments",
    "exec_command failed",
    "execution error: ",
];

impl CallEnd {
    pub(crate) fn is_failure(self) -> bool {
        match self {
            Self::Exited(code) => code != 0,
            Self::Aborted | Self::Failed => true,
            Self::Untold | Self::Running(_) => false,
        }
    }
}

impl CodexOutput {
    pub(crate) fn read(text: &str) -> Self {
        if let Some(output) = of_json(text) {
            return output;
        }
        let mut end = CallEnd::Untold;
        let mut rest = text;
        loop {
            let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
            if line == "Output:" && rest.len() < text.len() {
                return Self { end, text: after.to_owned() };
            }
            match header(line) {
                Some(told) => end = told.unwrap_or(end),
                None => break,
            }
            if after.is_empty() {
                break;
            }
            rest = after;
        }
        // No output follows, so the lines are all there is to show.
        let end = if end == CallEnd::Untold { of_words(text) } else { end };
        Self { end, text: text.to_owned() }
    }
}

/// A line about the process, with how it ended if that is what the line tells.
fn header(line: &str) -> Option<Option<CallEnd>> {
    let after = |start: &str| line.strip_prefix(start).map(str::trim);
    if let Some(code) = after("Process exited with code ").or_else(|| after("Exit code: ")) {
        return code.parse().ok().map(|code| Some(CallEnd::Exited(code)));
    }
    if let Some(number) = after("Process running with session ID ") {
        return number.parse().ok().map(|number| Some(CallEnd::Running(number)));
    }
    let beside = ["Chunk ID: ", "Wall time: ", "Original token count: ", "Total output lines: "];
    beside.iter().any(|start| line.starts_with(start)).then_some(None)
}

fn of_words(text: &str) -> CallEnd {
    let is_abort = text.strip_prefix("aborted by user").is_some_and(|rest| {
        let rest = rest.trim();
        rest.is_empty() || (rest.starts_with("after ") && rest.ends_with('s') && rest.len() < 32)
    });
    match is_abort {
        true => CallEnd::Aborted,
        false if REFUSALS.iter().any(|start| text.starts_with(start)) => CallEnd::Failed,
        false => CallEnd::Untold,
    }
}

/// Older versions: `{"output":"…","metadata":{"exit_code":0,…}}`.
fn of_json(text: &str) -> Option<CodexOutput> {
    let value: Value = text.starts_with('{').then(|| serde_json::from_str(text).ok())??;
    let code = value.get("metadata")?.get("exit_code")?.as_i64()?;
    let text = value.get("output")?.as_str()?.to_owned();
    Some(CodexOutput { end: CallEnd::Exited(code), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (CallEnd, String) {
        let CodexOutput { end, text } = CodexOutput::read(text);
        (end, text)
    }

    #[test]
    fn lines_about_the_process_are_taken_off() {
        let text = "Chunk ID: ae85bf\nWall time: 0.0 seconds\nProcess exited with code 3\nOriginal token count: 1\nOutput:\nbad\nOutput:\nx\n";
        assert_eq!(read(text), (CallEnd::Exited(3), "bad\nOutput:\nx\n".to_owned()));
        let text = "Exit code: 0\nWall time: 0 seconds\nOutput:\n";
        assert_eq!(read(text), (CallEnd::Exited(0), String::new()));
        let text = "Chunk ID: 1\nWall time: 0.2 seconds\nProcess running with session ID 27100\nOutput:\nbegin\n";
        assert_eq!(read(text), (CallEnd::Running(27100), "begin\n".to_owned()));
        let text = r#"{"output":"old\n","metadata":{"exit_code":2,"duration_seconds":0.1}}"#;
        assert_eq!(read(text), (CallEnd::Exited(2), "old\n".to_owned()));
    }

    #[test]
    fn what_only_looks_like_them_stays() {
        for text in [
            "Output:\nof a command",
            "Exit code: many\nOutput:\nx",
            "hello\nProcess exited with code 1\nOutput:\n",
            "aborted by user and other stories",
            "{\"output\":\"no metadata\"}",
            "",
        ] {
            assert_eq!(read(text), (CallEnd::Untold, text.to_owned()));
        }
    }

    #[test]
    fn what_codex_could_not_do_is_told_by_its_words() {
        assert_eq!(read("aborted by user after 0.6s").0, CallEnd::Aborted);
        assert_eq!(read("aborted by user").0, CallEnd::Aborted);
        assert_eq!(read("unsupported call: fly").0, CallEnd::Failed);
        assert_eq!(read("Process exited with code 1").0, CallEnd::Exited(1));
        assert!(CallEnd::Exited(1).is_failure() && !CallEnd::Exited(0).is_failure());
    }
}
