//! The real agents for tests in a browser: starts the models behind Claude Code and Codex, tells the settings with which a server
//! runs them, and goes on until its input ends.
//!
//! Prompts are orders to the model: `words COUNT MILLISECONDS` says that many words, one at a time, so long after each other; `run COMMAND`
//! runs a command and then tells what came of it; `together COMMAND && COMMAND` says a word and runs both at once; `think WORDS` thinks first;
//! anything else is answered in a sentence.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::time::Duration;

use serde_json::{Value, json};

use testkit::agents::{ClaudeVersion, claude, codex_acp};
use testkit::model_api::{ModelApi, ModelRequest, Reply};
use testkit::responses_api::{ResponsesApi, ResponsesReply, ResponsesRequest};
use testkit::{AgentHome, ClaudeAgentHome, CodexHome};

/// Said before commands that are run at once.
const TOGETHER: &str = "Both at once.";

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let wanted = std::env::args().nth(1);
    let version =
        ClaudeVersion::ALL.into_iter().find(|known| Some(known.as_str()) == wanted.as_deref());
    let version = version.unwrap_or(ClaudeVersion::V2_1_325);
    let messages = ModelApi::start(message).await;
    let responses = ResponsesApi::start(response).await;
    let (claude_home, codex_home) = (ClaudeAgentHome::new(&messages), CodexHome::new(&responses));
    let settings = [
        agent("claude-code", &claude(version).into(), &claude_home),
        agent("codex", &codex_acp().into(), &codex_home),
    ];
    writeln!(std::io::stdout(), "{}", json!({ "settings": settings.concat() }))?;
    // Whoever started this closes its input, at the latest by ending.
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}

fn agent(cli_type: &str, program: &OsString, home: &AgentHome) -> String {
    let mut table =
        format!("[agents.{cli_type}]\ncommand = [{program:?}]\n[agents.{cli_type}.env]\n");
    for (name, value) in home.environment() {
        writeln!(table, "{} = {value:?}", name.display()).unwrap_or_default();
    }
    table
}

/// What the user wants of a model.
enum Order {
    Words {
        count: usize,
        each: Duration,
    },
    Run(String),
    Together(Vec<String>),
    Think(String),
    Say(String),
    /// Results of tools came back.
    Report,
}

impl Order {
    fn of(prompt: &str) -> Self {
        let (order, rest) = prompt.split_once(' ').unwrap_or((prompt, ""));
        match order {
            "" => Self::Report,
            "words" => {
                let mut numbers = rest.split(' ').map(|word| word.parse().unwrap_or(0));
                let count = usize::try_from(numbers.next().unwrap_or(0)).unwrap_or(0);
                Self::Words { count, each: Duration::from_millis(numbers.next().unwrap_or(0)) }
            }
            "run" => Self::Run(rest.to_owned()),
            "together" => Self::Together(rest.split(" && ").map(str::to_owned).collect()),
            "think" => Self::Think(rest.to_owned()),
            _ => Self::Say(prompt.to_owned()),
        }
    }
}

fn bash(command: &str) -> Value {
    json!({ "command": command, "description": "As ordered" })
}

fn message(request: &ModelRequest) -> Reply {
    match Order::of(&request.last_user_text()) {
        Order::Words { count, each } => Reply::words(count).words_per_delta(1).delay_each(each),
        Order::Run(command) => Reply::tool("Bash", bash(&command)),
        Order::Together(commands) => {
            let first = Reply::text(TOGETHER);
            commands.iter().fold(first, |reply, command| reply.then_tool("Bash", bash(command)))
        }
        Order::Think(about) => Reply::thinking(&about).then_text("I have thought about it."),
        Order::Say(prompt) => Reply::text(&format!("You said: {prompt}")),
        Order::Report => Reply::text("The command is done."),
    }
}

fn response(request: &ResponsesRequest) -> ResponsesReply {
    match Order::of(&request.last_user_text()) {
        Order::Words { count, each } => {
            ResponsesReply::words(count).words_per_delta(1).delay_each(each)
        }
        Order::Run(command) => ResponsesReply::shell(&command),
        Order::Together(commands) => {
            let first = ResponsesReply::text(TOGETHER);
            commands.iter().fold(first, |reply, command| reply.then_shell(command))
        }
        Order::Think(about) => {
            ResponsesReply::reasoning(&about).then_text("I have thought about it.")
        }
        Order::Say(prompt) => ResponsesReply::text(&format!("You said: {prompt}")),
        Order::Report => ResponsesReply::text("The command is done."),
    }
}
