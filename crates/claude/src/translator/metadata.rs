//! What the agent tells beside its content.

use contract::{CallId, ModeId, ModelId, PermissionId, PermissionRequest};
use pipeline::{Now, surrogates};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::ClaudeTranslator;
use crate::asks::Ask;
use crate::event::{Event, Init, Lifecycle, Retry};
use crate::line::{Message, Word};
use crate::outcome::{Outcome, TurnFailure};
use crate::output::{ControlAnswer, Output};

impl ClaudeTranslator {
    pub(super) fn note(&mut self, event: Event<'_>, now: Now) {
        match event {
            Event::Requesting(messages) => self.join(&messages),
            Event::Replay(message) => self.note_replay(message),
            Event::Lifecycle { message, state } => self.note_lifecycle(&message, state, now),
            Event::Compacting => {
                self.show_notice("compacting", "The conversation is being compacted".to_owned());
            }
            Event::ModeChanged(mode) => self.note_mode(&mode),
            Event::StatusCleared => self.clear_notice(),
            Event::TaskStarted(task) => {
                self.tasks.start(&task);
                self.show_tasks();
            }
            Event::TaskEnded { task_id } | Event::TaskNotification { task_id, .. } => {
                self.end_task(&task_id, now);
            }
            Event::BackgroundTasks(list) => {
                self.tasks.replace(&list);
                self.show_tasks();
            }
            Event::Retry(retry) => {
                if let Some(turn) = &mut self.turn {
                    turn.last_retry = retry.error.given().map(str::to_owned);
                }
                self.show_notice("retry", describe(&retry));
            }
            Event::Refused => {
                if let Some(turn) = &mut self.turn {
                    turn.was_refused = true;
                }
            }
            Event::Asked { request_id, request } => self.ask(&request_id, request, now),
            Event::AskWithdrawn(id) => self.withdraw(&PermissionId::from(id.as_str())),
            Event::Answered(response) => self.take_answer(response),
            Event::Init(_)
            | Event::Result(_)
            | Event::MessageStart { .. }
            | Event::BlockStart { .. }
            | Event::BlockDelta { .. }
            | Event::BlockStop { .. }
            | Event::MessageDelta { .. }
            | Event::MessageStop { .. }
            | Event::Snapshot(_)
            | Event::User(_)
            | Event::Quiet
            | Event::SessionState
            | Event::Unknown => {}
        }
    }

    pub(super) fn note_agent(&mut self, init: &Init<'_>) {
        if let Some(id) = init.session_id.given().filter(|id| *id != self.agent_session) {
            id.clone_into(&mut self.agent_session);
            self.outputs.push_back(Output::AgentSession(id.to_owned()));
        }
        if let Some(model) = init.model.given().filter(|model| *model != self.model) {
            model.clone_into(&mut self.model);
            self.outputs.push_back(Output::Model(ModelId::from(model)));
        }
        self.note_mode(&init.permission_mode);
    }

    fn note_mode(&mut self, mode: &Word<'_>) {
        if let Some(mode) = mode.given().filter(|mode| *mode != self.mode) {
            mode.clone_into(&mut self.mode);
            self.outputs.push_back(Output::Mode(ModeId::from(mode)));
        }
    }

    fn note_lifecycle(&mut self, message: &Word<'_>, state: Lifecycle, now: Now) {
        self.sent.note(message, state);
        match state {
            Lifecycle::Queued => {}
            // Newer agents say this before the turn itself opens. If it was taken into another, what follows names it.
            Lifecycle::Started => {}
            Lifecycle::Completed | Lifecycle::NotCompleted => {
                self.end_by_lifecycle(message, state, now);
            }
        }
    }

    /// A message of ours comes back. Newer agents name what they take in elsewhere; older ones only so, in certain places.
    fn note_replay(&mut self, message: Word<'_>) {
        if !self.reports_messages && self.timeline.may_take_in() {
            self.join(&[message]);
        }
    }

    /// A safety net: the end of a message that no `result` told.
    fn end_by_lifecycle(&mut self, message: &Word<'_>, state: Lifecycle, now: Now) {
        if self.sent.contains(message) {
            return self.take_back(&contract::TurnId::from(message.as_str()));
        }
        if self.turn.as_ref().is_none_or(|turn| turn.id != *message.as_str()) {
            return;
        }
        let outcome = match state {
            Lifecycle::Completed => Outcome::Completed,
            Lifecycle::Queued | Lifecycle::Started | Lifecycle::NotCompleted => {
                Outcome::Failed(TurnFailure {
                    code: contract::ErrorCode::PROTOCOL_ERROR,
                    message: "the agent ended the turn without a result".to_owned(),
                    class: None,
                })
            }
        };
        self.close(&outcome, None, now);
    }

    fn end_task(&mut self, task_id: &str, now: Now) {
        if let Some(call) = self.tasks.call_of(task_id) {
            self.timeline.end_work_of(&call, now);
        }
        self.tasks.end(task_id);
        self.show_tasks();
    }

    fn ask(&mut self, request_id: &Word<'_>, request: &RawValue, now: Now) {
        let plan = self.written_plan.clone();
        let parse = |request: &str| {
            Ask::parse(request_id, request, &self.session, now.wall, || plan.clone())
        };
        let mended = || surrogates::mend(request.get()).and_then(|request| parse(&request));
        let asked = parse(request.get()).or_else(mended);
        let Some(mut ask) = asked else { return self.refuse(request_id, request) };
        self.place(&mut ask.request, ask.is_of_subagent);
        self.asks.push(ask.request.permission_id.clone());
        self.outputs.push_back(Output::Asked(Box::new(ask)));
    }

    /// Something is asked that is no permission. It is answered, so that the agent does not wait for it.
    fn refuse(&mut self, request_id: &Word<'_>, request: &RawValue) {
        self.odd.unknown += 1;
        let line =
            json!({ "type": "control_request", "request_id": &**request_id, "request": request });
        self.outputs.push_back(Output::Unknown(line.to_string()));
        let refusal = json!({
            "subtype": "error", "request_id": &**request_id, "error": "this host does not do that",
        });
        let line = json!({ "type": "control_response", "response": refusal });
        self.outputs.push_back(Output::Reply(line.to_string()));
    }

    /// A subagent's request does not end with the turn that launched it, so it names no turn.
    fn place(&self, request: &mut PermissionRequest, is_of_subagent: bool) {
        let call = request.call_id.as_ref().map(CallId::as_str);
        let found = call.and_then(|call| self.timeline.locate_tool(call));
        let open = || self.turn.as_ref().map(|turn| turn.id.clone());
        let (turn, item) =
            found.map_or_else(|| (open(), None), |(turn, item)| (Some(turn), Some(item)));
        request.turn_id = turn.filter(|_| !is_of_subagent);
        request.item_id = item;
    }

    fn withdraw(&mut self, id: &PermissionId) {
        if self.asks.contains(id) {
            self.note_answered(id);
            self.outputs.push_back(Output::Withdrawn(id.clone()));
        }
    }

    fn take_answer(&mut self, response: &RawValue) {
        #[derive(Deserialize)]
        struct Response<'a> {
            subtype: String,
            request_id: String,
            #[serde(borrow, default)]
            response: Option<&'a RawValue>,
            #[serde(default)]
            error: Option<String>,
        }
        let Ok(answer) = serde_json::from_str::<Response<'_>>(response.get()) else {
            self.odd.invalid += 1;
            return;
        };
        let result = match answer.subtype.as_str() {
            "success" => Ok(answer.response.map(|body| body.get().to_owned())),
            _ => Err(answer.error.unwrap_or_else(|| "the agent refused".to_owned())),
        };
        let answer = ControlAnswer { request_id: answer.request_id, result };
        self.outputs.push_back(Output::Answered(answer));
    }

    /// Newer agents write their plan to a file and then ask for its approval without showing it.
    pub(super) fn remember_plan(&mut self, message: &Message<'_>) {
        #[derive(Deserialize)]
        struct Written {
            file_path: String,
            content: String,
        }
        let writes = message.content.blocks().iter().filter(|block| block.name.as_str() == "Write");
        for input in writes.filter_map(|block| block.input) {
            let Ok(written) = serde_json::from_str::<Written>(input.get()) else { continue };
            if written.file_path.contains("/plans/") && written.file_path.ends_with(".md") {
                self.written_plan = Some(written.content);
            }
        }
    }
}

fn describe(retry: &Retry<'_>) -> String {
    let named = retry.error.given().filter(|error| *error != "unknown");
    let what = match (named, retry.status) {
        (Some(error), Some(status)) => format!("{error} ({status})"),
        (Some(error), None) => error.to_owned(),
        (None, Some(status)) => format!("status {status}"),
        (None, None) => "it cannot be reached, or broke off".to_owned(),
    };
    let seconds = retry.delay_ms / 1000.0;
    format!(
        "The model's API failed: {what}. Attempt {} of {} in {seconds:.1} s",
        retry.attempt, retry.max_retries
    )
}
