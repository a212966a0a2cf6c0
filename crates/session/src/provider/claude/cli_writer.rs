//! The one task that writes to an agent's standard input, so that lines never mix.

use agent_process::AgentInput;
use claude::stdin;
use recording::Direction;
use tokio::sync::mpsc;

use super::adapter::Input;
use crate::recorder::Recording;

pub(super) struct CliWriter {
    input: AgentInput,
    conversation: mpsc::Receiver<Input>,
    own: mpsc::Receiver<String>,
    recording: Option<Recording>,
}

impl CliWriter {
    /// Lines of our own that wait to be written. Full means that the agent does not read; then asking it fails.
    pub(super) const OWN_LINES: usize = 16;

    pub(super) fn new(
        input: AgentInput,
        conversation: mpsc::Receiver<Input>,
        own: mpsc::Receiver<String>,
        recording: Option<Recording>,
    ) -> Self {
        Self { input, conversation, own, recording }
    }

    /// Runs until nobody has anything to say any more, or the agent is gone.
    pub(super) async fn run(mut self) {
        while let Some(line) = self.next_line().await {
            if let Some(recording) = &self.recording {
                recording.line(Direction::Host, &line);
            }
            if let Err(error) = self.input.write_line(line.as_bytes()).await {
                tracing::debug!(%error, "the agent's input cannot be written");
                return;
            }
        }
    }

    /// The conversation first: an interrupt is never written before the message that it is about.
    async fn next_line(&mut self) -> Option<String> {
        tokio::select! {
            biased;
            Some(input) = self.conversation.recv() => Some(line(&input)),
            own = self.own.recv() => own,
        }
    }
}

fn line(input: &Input) -> String {
    match input {
        Input::Message(message) => stdin::user_message(
            message.is_named.then_some(&message.turn_id),
            &message.content,
            &message.attachments,
            message.delivery,
        ),
        Input::Control { request_id, request } => request.line(request_id),
        Input::Answer(line) => line.clone(),
    }
}
