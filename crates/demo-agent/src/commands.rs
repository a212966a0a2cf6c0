//! The commands that the agent announces; each is a prompt that `intent` understands.

use agent_client_protocol::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, SessionUpdate,
    UnstructuredCommandInput,
};

const COMMANDS: &[(&str, &str, Option<&str>)] = &[
    ("help", "Says what to try", None),
    ("demo", "A tour that uses everything", None),
    ("list", "Lists the files of this directory", Some("a directory, or nothing")),
    ("read", "Reads a file", Some("a path")),
    ("search", "Searches the files for a text", Some("a text")),
    ("edit", "Proposes a change and asks before it writes", Some("PATH: replace A with B")),
    ("write", "Proposes a whole file and asks before it writes", Some("PATH: TEXT")),
    ("plan", "Makes a plan and works through it", Some("what to plan")),
    ("think", "Thinks aloud, then answers", Some("what to think about")),
    ("slow", "Answers very slowly", None),
    ("flood", "Answers with many small pieces at once", Some("how many")),
    ("fail", "Answers with an error", None),
    ("hang", "Waits until it is cancelled", None),
    ("crash", "Ends the agent's process", None),
];

pub(crate) fn announcement() -> SessionUpdate {
    let commands = COMMANDS.iter().map(|(name, description, hint)| {
        let input = hint
            .map(|hint| AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint)));
        AvailableCommand::new(*name, *description).input(input)
    });
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::intent::{Intent, understand};

    #[test]
    fn every_command_is_understood() {
        for (name, _, hint) in COMMANDS {
            let sentence = match *hint {
                None => format!("/{name}"),
                Some(_) if *name == "edit" => "/edit a.txt: replace one with two".to_owned(),
                Some(_) if *name == "write" => "/write a.txt: one".to_owned(),
                Some(_) => format!("/{name} 3"),
            };
            let intent = understand(&sentence);
            assert!(!matches!(intent, Intent::Unknown | Intent::Unclear(_)), "{sentence}");
        }
    }
}
