//! Prompts, one at a time: some agents never answer a second one on a busy session.

use std::collections::VecDeque;
use std::time::Duration;

use agent_client_protocol_schema::v1::{ContentBlock, ImageContent, PromptRequest};
use contract::{Notice, TurnEventKind, TurnId, TurnOrigin, TurnStatus, Usage};
use pipeline::{Moment, Now};
use serde::Deserialize;
use serde_json::Value;

use super::opening::Stage;
use super::{AcpClient, Asked};
use crate::output::Output;
use crate::rpc::{self, RpcError};

/// How long is waited for what.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// After an error one agent is not ready yet, and a prompt sent at once may hang.
    pub quiet_after_error: Duration,
    /// How long the first prompt after an error may be without a sign before it is sent again, once.
    pub sign_of_life: Duration,
    /// How long a prompt that hangs has to let itself be cancelled.
    pub let_go: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            quiet_after_error: Duration::from_millis(250),
            sign_of_life: Duration::from_secs(30),
            let_go: Duration::from_secs(2),
        }
    }
}

/// What is said to the agent.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    pub text: String,
    pub images: Vec<Image>,
}

#[derive(Clone, Debug)]
pub struct Image {
    pub mime_type: String,
    /// Base64.
    pub data: String,
}

#[derive(Debug, Default)]
pub(super) struct Prompts {
    waiting: VecDeque<(TurnId, Prompt)>,
    running: Option<Running>,
    /// When the next one may be written.
    quiet_until: Option<Moment>,
    attempts: u64,
    pub(super) patience: Patience,
}

#[derive(Debug)]
struct Running {
    turn: TurnId,
    attempt: u64,
    is_stopped: bool,
    /// Whether the agent has shown since this attempt that it works.
    has_sign: bool,
    watch: Watch,
}

/// What becomes of a prompt that hangs.
#[derive(Debug)]
enum Watch {
    No,
    /// Cancelled and sent again, if there is no sign until then.
    Until(Moment, Prompt),
    /// Cancelled: sent again when that was answered, at the latest then.
    LettingGo(Moment, Prompt),
    /// Sent again: given up, if there is no sign until then.
    LastTry(Moment),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptAnswer {
    #[serde(default)]
    stop_reason: String,
    /// Read apart, so that an odd one costs no more than itself.
    #[serde(default)]
    usage: Value,
}

/// Not of the protocol yet; agents that tell it are believed.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldUsage {
    input_tokens: u64,
    output_tokens: u64,
    #[serde(default, alias = "cachedInputTokens")]
    cached_read_tokens: Option<u64>,
    #[serde(default)]
    cached_write_tokens: Option<u64>,
}

impl Prompts {
    pub(super) fn is_idle(&self) -> bool {
        self.running.is_none() && self.waiting.is_empty()
    }

    /// Whether what runs was told to stop.
    pub(super) fn is_stopping(&self) -> bool {
        self.running.as_ref().is_some_and(|running| {
            running.is_stopped || matches!(running.watch, Watch::LettingGo(..))
        })
    }

    /// The agent works.
    pub(super) fn note_sign(&mut self) {
        if let Some(running) = &mut self.running {
            running.has_sign = true;
        }
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.running = None;
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        match &self.running {
            Some(running) => match running.watch {
                Watch::Until(moment, _) | Watch::LettingGo(moment, _) | Watch::LastTry(moment) => {
                    Some(moment)
                }
                Watch::No => None,
            },
            None => self.quiet_until.filter(|_| !self.waiting.is_empty()),
        }
    }
}

impl AcpClient {
    /// Hands over a message. It is written when the one before has been answered.
    pub fn send(&mut self, turn: TurnId, prompt: Prompt, now: Now) {
        self.prompts.waiting.push_back((turn, prompt));
        self.send_next(now);
    }

    pub(super) fn send_next(&mut self, now: Now) {
        if self.stage != Stage::Ready || self.prompts.running.is_some() {
            return;
        }
        if self.prompts.quiet_until.is_some_and(|until| until > now.moment) {
            return;
        }
        let Some((turn, prompt)) = self.prompts.waiting.pop_front() else { return };
        let is_after_error = self.prompts.quiet_until.take().is_some();
        self.end_own_turn(now);
        self.open_turn(turn.clone(), TurnOrigin::User, now);
        let watch = if is_after_error {
            Watch::Until(now.moment + self.prompts.patience.sign_of_life, prompt.clone())
        } else {
            Watch::No
        };
        self.write_prompt(turn, &prompt, watch, now);
    }

    fn write_prompt(&mut self, turn: TurnId, prompt: &Prompt, watch: Watch, now: Now) {
        self.prompts.attempts += 1;
        let attempt = self.prompts.attempts;
        let session = self.agent_session.clone().unwrap_or_default();
        let images = prompt.images.iter().map(|image| {
            ContentBlock::Image(ImageContent::new(image.data.clone(), image.mime_type.clone()))
        });
        let text = (!prompt.text.is_empty()).then(|| ContentBlock::from(prompt.text.clone()));
        let request = PromptRequest::new(session, text.into_iter().chain(images).collect());
        if !self.request(Asked::Prompt(attempt), "session/prompt", &request) {
            // An agent that left so many requests unanswered would not answer this one either.
            return self.give_up(crate::failure::unanswered(), now);
        }
        let (is_stopped, has_sign) = (false, false);
        self.prompts.running = Some(Running { turn, attempt, is_stopped, has_sign, watch });
    }

    /// Once more, and not again: whatever keeps an agent from answering twice would keep it a third time.
    fn write_again(&mut self, turn: TurnId, prompt: &Prompt, now: Now) {
        let watch = Watch::LastTry(now.moment + self.prompts.patience.sign_of_life);
        self.write_prompt(turn, prompt, watch, now);
    }

    /// Ends the turn of a prompt that no answer is waited for any more.
    fn give_up(&mut self, end: TurnEventKind, now: Now) {
        self.prompts.running = None;
        self.prompts.quiet_until = Some(now.moment + self.prompts.patience.quiet_after_error);
        self.end_open_turn(end, now);
    }

    pub(super) fn handle_prompt_answer(
        &mut self,
        attempt: u64,
        result: Result<&str, RpcError>,
        now: Now,
    ) {
        let Some(running) = self.prompts.running.take_if(|running| running.attempt == attempt)
        else {
            self.odd.unasked += 1;
            return;
        };
        let is_error = result.is_err();
        let kind = match result {
            Ok(json) => self.ended(json),
            Err(_) if running.is_stopped => cancelled(),
            Err(error) => crate::failure::turn_error(&error),
        };
        // Cancelled because it hung, and not because somebody wanted it.
        if let Watch::LettingGo(_, prompt) = running.watch
            && !running.is_stopped
            && kind == cancelled()
        {
            // It may have begun to answer meanwhile; it begins anew.
            self.timeline.supersede_text(now);
            return self.write_again(running.turn, &prompt, now);
        }
        if is_error || matches!(kind, TurnEventKind::TurnError { .. }) {
            self.prompts.quiet_until = Some(now.moment + self.prompts.patience.quiet_after_error);
        }
        self.end_open_turn(kind, now);
        self.send_next(now);
    }

    fn ended(&self, json: &str) -> TurnEventKind {
        let answer = serde_json::from_str::<PromptAnswer>(json).ok();
        let reason = answer.as_ref().map(|answer| answer.stop_reason.as_str());
        match reason {
            Some("cancelled") => cancelled(),
            Some("refusal") => crate::failure::refusal(),
            Some(_) | None => {
                let told = answer.map(|answer| answer.usage);
                let told: Option<ToldUsage> =
                    told.and_then(|told| serde_json::from_value(told).ok());
                let usage = self.usage_of_turn();
                let usage = told.map(|told| told.with(usage.as_ref())).or(usage);
                TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage }
            }
        }
    }

    /// Stops a turn, or whatever the agent does. The turn's end comes with the prompt's answer.
    pub fn stop(&mut self, turn: Option<&TurnId>, now: Now) {
        if let Some(turn) = turn {
            let waits = self.prompts.waiting.iter().position(|(waiting, _)| waiting == turn);
            if let Some((turn, _)) = waits.and_then(|index| self.prompts.waiting.remove(index)) {
                return self.outputs.push_back(Output::NeverBegan(turn));
            }
        }
        let open = self.turns.current();
        if open.is_none() || turn.is_some_and(|turn| open != Some(turn)) {
            return;
        }
        if let Some(running) = &mut self.prompts.running {
            running.is_stopped = true;
        }
        self.cancel();
        // A turn of the agent's own has no answer that would end it.
        self.stop_own_turn(now);
    }

    /// Gives back every message that has not been written.
    pub fn take_back_waiting(&mut self) {
        let waiting = std::mem::take(&mut self.prompts.waiting);
        self.outputs.extend(waiting.into_iter().map(|(turn, _)| Output::NeverBegan(turn)));
    }

    fn stop_own_turn(&mut self, now: Now) {
        if self.prompts.running.is_none() {
            self.end_open_turn(cancelled(), now);
        }
    }

    fn cancel(&mut self) {
        let session = self.agent_session.clone().unwrap_or_default();
        let params = serde_json::json!({ "sessionId": session });
        self.write(rpc::notification("session/cancel", &params));
        // The protocol wants every open request answered when a turn is cancelled.
        self.deny_all();
    }

    /// Looks after a prompt that may hang.
    pub(super) fn watch_prompt(&mut self, now: Now) {
        let let_go = self.prompts.patience.let_go;
        let Some(running) = &mut self.prompts.running else { return };
        match std::mem::replace(&mut running.watch, Watch::No) {
            // Nobody wants it sent again, and a deadline that has passed would be kept for ever.
            _ if running.is_stopped => {}
            Watch::Until(..) if running.has_sign => {}
            // That it was asked again is of no more interest.
            Watch::LastTry(_) if running.has_sign => self.outputs.push_back(Output::Notice(None)),
            Watch::Until(moment, prompt) if moment <= now.moment => {
                running.watch = Watch::LettingGo(now.moment + let_go, prompt);
                let text = "the agent does not answer and is asked again".to_owned();
                let notice = Notice { kind: "retry".to_owned(), text };
                self.outputs.push_back(Output::Notice(Some(notice)));
                self.cancel();
            }
            Watch::LettingGo(moment, prompt) if moment <= now.moment => {
                if running.has_sign {
                    // It lives after all: on a busy session a second one may never be answered.
                    running.watch = Watch::LettingGo(now.moment + let_go, prompt);
                } else {
                    let turn = running.turn.clone();
                    self.write_again(turn, &prompt, now);
                }
            }
            Watch::LastTry(moment) if moment <= now.moment => {
                self.cancel();
                self.give_up(crate::failure::silent(), now);
            }
            watch => running.watch = watch,
        }
    }
}

impl ToldUsage {
    fn with(self, told: Option<&Usage>) -> Usage {
        Usage {
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            cache_read_input_tokens: self.cached_read_tokens,
            cache_creation_input_tokens: self.cached_write_tokens,
            cost_usd: told.and_then(|told| told.cost_usd),
            context_tokens: told.and_then(|told| told.context_tokens),
            context_window: told.and_then(|told| told.context_window),
        }
    }
}

fn cancelled() -> TurnEventKind {
    TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, usage: None }
}

#[cfg(test)]
mod tests {
    use contract::{ModeId, Timestamp};
    use serde_json::json;

    use super::super::{Adjustment, OpenWhat, Opening, Parties};
    use super::*;

    fn now() -> Now {
        Now { moment: Moment::from_millis(0), wall: Timestamp::default() }
    }

    /// A session that is open and has a mode.
    fn open() -> AcpClient {
        let parties = Parties {
            session: "ours".into(),
            provider: "agent".into(),
            client_version: String::new(),
        };
        let opening = Opening {
            cwd: "/".to_owned(),
            session: OpenWhat::New,
            choices: Vec::new(),
            variables: Vec::new(),
        };
        let mut client = AcpClient::new(parties, opening, |_| String::new());
        let modes = json!({ "currentModeId": "a", "availableModes": [{ "id": "a", "name": "A" }] });
        let hello = json!({ "protocolVersion": 1 });
        for (id, result) in [hello, json!({ "sessionId": "s", "modes": modes })].iter().enumerate()
        {
            client.handle_line(&json!({ "id": id, "result": result }).to_string(), now());
        }
        client
    }

    #[test]
    fn a_prompt_that_cannot_be_written_fails_its_turn() {
        let mut client = open();
        for token in 0..100 {
            client.adjust(token, &Adjustment::Mode(ModeId::from("a")));
        }
        client.send(TurnId::from("turn"), Prompt::default(), now());
        assert!(client.is_idle(), "nothing waits for an answer that cannot come");
        let outputs = std::iter::from_fn(|| client.poll_output());
        let ends = outputs.filter(|output| {
            matches!(output, Output::Turn(event) if matches!(event.kind, TurnEventKind::TurnError { .. }))
        });
        assert_eq!(ends.count(), 1);
    }
}
