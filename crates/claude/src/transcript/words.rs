//! What a line of the user's side is: a person's words, a command, or something that the CLI says for itself.

use super::line::Line;
use crate::line::Content;

/// How the CLI asks again. It does so once, and takes the next empty answer for an end.
const NO_ANSWER: &str = "[Your previous response had no visible output";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Words {
    /// A person asks for something.
    Prompt(String),
    /// The agent is told that a task of its ended, which wakes it.
    WakeUp,
    /// A command of the CLI, as it was typed.
    Command(String),
    /// What such a command answered.
    CommandOutput(String),
    Interrupted,
    /// The model answered with nothing, and is asked again.
    NoAnswer,
    /// Results of tools.
    Results,
    /// The CLI talks to its model.
    Own,
}

impl Words {
    pub(super) fn of(line: &Line<'_>, content: &Content<'_>) -> Self {
        if content.blocks().iter().any(|block| block.kind.ends_with("tool_result")) {
            return Self::Results;
        }
        let text = content.to_plain_text();
        let is_meta = line.is_meta.unwrap_or_default();
        if is_meta && text.starts_with(NO_ANSWER) {
            Self::NoAnswer
        } else if is_meta || line.is_compact_summary.unwrap_or_default() {
            Self::Own
        } else if line.is_of_agent() || text.starts_with("<task-notification>") {
            Self::WakeUp
        } else if line.prompt_source.as_str() == "sdk" {
            Self::Prompt(text)
        } else {
            Self::of_text(text)
        }
    }

    /// The CLI words its own lines as the user's, in tags.
    pub(super) fn of_text(text: String) -> Self {
        if text.starts_with("[Request interrupted by user") {
            return Self::Interrupted;
        }
        if let Some(name) = tagged(&text, "command-name") {
            let arguments = tagged(&text, "command-args").unwrap_or_default();
            return Self::Command(format!("{name} {arguments}").trim().to_owned());
        }
        if let Some(command) = tagged(&text, "bash-input") {
            return Self::Command(format!("!{command}"));
        }
        let outputs = ["local-command-stdout", "local-command-stderr", "bash-stdout"];
        if let Some(output) = outputs.iter().find_map(|tag| tagged(&text, tag)) {
            return Self::CommandOutput(output.to_owned());
        }
        match text.starts_with("<local-command-") || text.trim().is_empty() {
            true => Self::Own,
            false => Self::Prompt(text),
        }
    }
}

/// What stands in a tag, of a text that begins with one of the CLI's tags.
fn tagged<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let is_own = ["<command-", "<local-command-", "<bash-"].iter().any(|own| text.starts_with(own));
    let (_, rest) = text.split_once(&format!("<{tag}>")).filter(|_| is_own)?;
    let (inside, _) = rest.split_once(&format!("</{tag}>")).unwrap_or((rest, ""));
    Some(inside.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Words {
        Words::of_text(text.to_owned())
    }

    #[test]
    fn a_command_reads_as_it_was_typed() {
        let line = "<command-name>/model</command-name>\n  <command-message>model</command-message>\n  <command-args>sonnet</command-args>";
        assert_eq!(words(line), Words::Command("/model sonnet".to_owned()));
        let line =
            "<command-message>review</command-message>\n<command-name>/review</command-name>";
        assert_eq!(words(line), Words::Command("/review".to_owned()));
        assert_eq!(words("<bash-input>ls</bash-input>"), Words::Command("!ls".to_owned()));
    }

    #[test]
    fn what_the_cli_says_for_itself_is_no_prompt() {
        let output = words("<local-command-stdout>Compacted </local-command-stdout>");
        assert_eq!(output, Words::CommandOutput("Compacted".to_owned()));
        assert_eq!(words("<local-command-caveat>Caveat</local-command-caveat>"), Words::Own);
        assert_eq!(words("[Request interrupted by user for tool use]"), Words::Interrupted);
        assert_eq!(words(" \n"), Words::Own);
    }

    #[test]
    fn a_prompt_may_speak_of_tags() {
        let prompt = "what does <command-name>/x</command-name> mean?";
        assert_eq!(words(prompt), Words::Prompt(prompt.to_owned()));
        assert_eq!(words("<div>fix</div>"), Words::Prompt("<div>fix</div>".to_owned()));
    }
}
