//! Whether a program is an agent: it is greeted, and what it says of itself is all that is asked of it.

use acp::{AcpClient, AgentFacts, OpenWhat, Opening, Output};
use contract::SessionId;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::AcpProvider;
use super::transport::{AcpConnection, Word};
use crate::provider::catalogue::AgentCheck;

/// A line of the agent's. Whether it can be used is for the client to say.
#[derive(Default, Deserialize)]
struct Line {
    /// Not in an answer.
    #[serde(default)]
    method: Option<IgnoredAny>,
    #[serde(default)]
    result: serde_json::Value,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Introduction {
    agent_info: Option<AgentInfo>,
    agent_capabilities: Option<Capabilities>,
}

#[derive(Deserialize)]
struct AgentInfo {
    name: String,
    #[serde(default)]
    version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Capabilities {
    load_session: bool,
    prompt_capabilities: PromptCapabilities,
    session_capabilities: SessionCapabilities,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PromptCapabilities {
    image: bool,
    embedded_context: bool,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SessionCapabilities {
    resume: Option<serde_json::Value>,
    close: Option<serde_json::Value>,
    list: Option<serde_json::Value>,
}

impl AcpProvider {
    /// Starts the agent, greets it and ends it again. No session is opened, so no model is asked.
    pub(super) async fn greet(&self) -> Result<AgentCheck, String> {
        let mut connection = self.transport.probe().await.map_err(|error| error.to_string())?;
        let told = self.introduce(&mut connection).await;
        // Nobody has to wait until it is gone.
        self.tasks.spawn(async move {
            let AcpConnection { control, input, .. } = connection;
            drop(input);
            control.close().await;
        });
        let facts = told?;
        self.note_facts(&facts);
        Ok(AgentCheck { version: facts.version, modes: Vec::new() })
    }

    async fn introduce(&self, connection: &mut AcpConnection) -> Result<AgentFacts, String> {
        let mut client = self.greeting_client();
        let mut last = Line::default();
        loop {
            while let Some(output) = client.poll_output() {
                if let Output::Refused(refusal) = output {
                    return Err(refusal.message);
                }
                // That the client goes on means that it took the answer.
                let goes_on = matches!(output, Output::Write(_) | Output::Listed(_));
                if goes_on && last.is_answer() {
                    return Ok(last.facts());
                }
                if let Output::Write(line) = output {
                    // An agent that does not read ends, or is given up.
                    connection.input.send(line).await.ok();
                }
            }
            match connection.output.next().await {
                Some(Word::Line(line)) => {
                    client.handle_line(&line, self.environment.now());
                    last = serde_json::from_str(&line).unwrap_or_default();
                }
                Some(Word::Aside(_)) => {}
                None => return Err(connection.control.ended().await),
            }
        }
    }

    fn greeting_client(&self) -> AcpClient {
        let parties = self.parties(SessionId::from("introduction"));
        let opening = Opening {
            cwd: String::new(),
            session: OpenWhat::List,
            choices: Vec::new(),
            variables: Vec::new(),
        };
        AcpClient::new(parties, opening, |_| String::new())
    }
}

impl Line {
    fn is_answer(&self) -> bool {
        self.method.is_none() && !self.result.is_null()
    }

    fn facts(self) -> AgentFacts {
        let told = serde_json::from_value::<Introduction>(self.result).unwrap_or_default();
        let can = told.agent_capabilities.unwrap_or_default();
        AgentFacts {
            name: told.agent_info.as_ref().map(|info| info.name.clone()),
            version: told.agent_info.and_then(|info| info.version),
            images: can.prompt_capabilities.image,
            embedded: can.prompt_capabilities.embedded_context,
            load: can.load_session,
            resume: can.session_capabilities.resume.is_some(),
            close: can.session_capabilities.close.is_some(),
            list: can.session_capabilities.list.is_some(),
        }
    }
}
