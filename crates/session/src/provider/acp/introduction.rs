//! Whether a program is an agent: it is greeted, and what it says of itself is all that is asked of it.

use acp::{AcpClient, AgentFacts, OpenWhat, Opening, Output};
use contract::SessionId;

use super::AcpProvider;
use super::transport::{AcpConnection, Word};
use crate::provider::catalogue::AgentCheck;

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

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "before a session there is nothing else to hear"
    )]
    async fn introduce(&self, connection: &mut AcpConnection) -> Result<AgentFacts, String> {
        let mut client = self.greeting_client();
        loop {
            while let Some(output) = client.poll_output() {
                match output {
                    Output::Introduced(facts) => return Ok(facts),
                    Output::Refused(refusal) => return Err(refusal.message),
                    // An agent that does not read ends, or is given up.
                    Output::Write(line) => drop(connection.input.send(line).await),
                    _ => {}
                }
            }
            match connection.output.next().await {
                Some(Word::Line(line)) => client.handle_line(&line, self.environment.now()),
                Some(Word::Aside(_)) => {}
                None => return Err(connection.control.ended().await),
            }
        }
    }

    fn greeting_client(&self) -> AcpClient {
        let parties = self.parties(SessionId::from("introduction"));
        let opening = Opening {
            cwd: String::new(),
            session: OpenWhat::Nothing,
            choices: Vec::new(),
            variables: Vec::new(),
        };
        AcpClient::new(parties, opening, |_| String::new())
    }
}
