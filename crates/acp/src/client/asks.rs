//! Permission requests: asked, answered once with an option that was offered, or taken back.

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::{ToolCallStatus, ToolCallUpdate};
use contract::{
    CallId, OptionId, PermissionId, PermissionOption, PermissionOptionKind, PermissionRequest,
};
use pipeline::Now;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::AcpClient;
use super::opening::Stage;
use crate::bounds::{OPTIONS, TITLE, is_usable_id, shorten};
use crate::output::Output;
use crate::rpc::{self, RequestId};

/// Requests that may wait at once. One more is answered as cancelled.
const WAITING: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Asks {
    waiting: BTreeMap<PermissionId, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    id: RequestId,
    options: Vec<OptionId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Request {
    tool_call: ToolCallUpdate,
    #[serde(default)]
    options: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Withdrawal<'a> {
    #[serde(borrow)]
    request_id: &'a RawValue,
}

impl Asks {
    pub(super) fn forget_all(&mut self) {
        self.waiting.clear();
    }

    fn take(&mut self, id: &RequestId) -> Option<PermissionId> {
        let found = self.waiting.iter().find(|(_, waiting)| waiting.id == *id);
        let permission = found.map(|(permission, _)| permission.clone())?;
        self.waiting.remove(&permission);
        Some(permission)
    }
}

impl AcpClient {
    pub(super) fn handle_permission(&mut self, id: RequestId, params: &str, now: Now) {
        let Ok(asked) = serde_json::from_str::<Request>(params) else {
            self.odd.unknown += 1;
            return self.deny(&id);
        };
        // Before the session is open nobody can be asked, and its opening may wait for the answer. What was open when the
        // turn was stopped was answered so; what comes later is no different.
        if self.stage != Stage::Ready || self.prompts.is_stopping() {
            return self.deny(&id);
        }
        let options: Vec<PermissionOption> =
            asked.options.iter().filter_map(option).take(OPTIONS).collect();
        if options.is_empty() || self.asks.waiting.len() >= WAITING {
            tracing::warn!(options = options.len(), "a request cannot be put to anybody");
            return self.deny(&id);
        }
        self.begin_work(now);
        let request = self.describe(asked.tool_call, options, now);
        let options = request.options.iter().map(|option| option.option_id.clone()).collect();
        self.asks.waiting.insert(request.permission_id.clone(), Waiting { id, options });
        self.pass_on_items();
        self.outputs.push_back(Output::Asked(Box::new(request)));
    }

    /// The call that is asked about is shown, also if the agent announces it only when it may run.
    fn describe(
        &mut self,
        mut call: ToolCallUpdate,
        options: Vec<PermissionOption>,
        now: Now,
    ) -> PermissionRequest {
        let call_id = CallId::from(&*call.tool_call_id.0);
        let (name, title) = (call.fields.name.as_deref(), call.fields.title.as_deref());
        let tool_name = name.or(title).map(|name| shorten(name, TITLE));
        let title = shorten(title.unwrap_or("Permission"), TITLE);
        let input = call.fields.raw_input.as_ref();
        let tool_arguments = input.map(crate::timeline::arguments);
        // It waits, whatever state the request gives it; and the text in it is about the request, not an output.
        call.fields.status = Some(ToolCallStatus::Pending);
        call.fields.raw_output = None;
        if let Some(content) = &mut call.fields.content {
            content.retain(crate::timeline::is_diff);
        }
        let diff = call.fields.content.as_deref().and_then(crate::timeline::diff);
        self.timeline.forget_late(&call.tool_call_id.0);
        let place = self.timeline.update_tool(&call, now);
        PermissionRequest {
            permission_id: self.fresh_permission(),
            session_id: self.session.clone(),
            // It ends with the turn that waits for it, also if its call is one of an earlier turn.
            turn_id: self.turns.current().cloned(),
            item_id: place.map(|(_, item)| item),
            call_id: Some(call_id),
            title,
            tool_name,
            tool_arguments,
            options,
            plan: None,
            questions: None,
            asked_at: now.wall,
            resolved_at: None,
            outcome: None,
            option_id: None,
            answer: None,
            diff,
        }
    }

    /// Answers with an option that was offered; with anything else, the request counts as cancelled. Says whether
    /// anybody still waited for it.
    pub fn answer(&mut self, permission: &PermissionId, option: Option<&OptionId>) -> bool {
        let Some(waiting) = self.asks.waiting.remove(permission) else { return false };
        match option.filter(|option| waiting.options.contains(option)) {
            Some(option) => {
                let selected = json!({ "outcome": "selected", "optionId": option });
                self.write(rpc::answer(&waiting.id, &json!({ "outcome": selected })));
            }
            None => self.deny(&waiting.id),
        }
        true
    }

    /// What a request of the agent's is called here while it waits.
    pub fn permission_of(&self, id: &RequestId) -> Option<PermissionId> {
        let found = self.asks.waiting.iter().find(|(_, waiting)| waiting.id == *id);
        found.map(|(permission, _)| permission.clone())
    }

    pub fn has_asked(&self) -> bool {
        !self.asks.waiting.is_empty()
    }

    /// Nobody will answer what still waits.
    pub(super) fn deny_all(&mut self) {
        for (_, waiting) in std::mem::take(&mut self.asks.waiting) {
            self.deny(&waiting.id);
        }
    }

    /// Never an error: one agent's session hangs after it.
    fn deny(&mut self, id: &RequestId) {
        self.write(rpc::answer(id, &json!({ "outcome": { "outcome": "cancelled" } })));
    }

    pub(super) fn handle_withdrawal(&mut self, params: &str) {
        let Ok(withdrawal) = serde_json::from_str::<Withdrawal<'_>>(params) else {
            self.odd.unknown += 1;
            return;
        };
        let id = RequestId::from_json(withdrawal.request_id.get());
        if let Some(permission) = self.asks.take(&id) {
            self.deny(&id);
            self.outputs.push_back(Output::Withdrawn(permission));
        }
    }
}

/// An option of a kind that is not known here is not offered: nobody could tell what it allows. Nor is one whose id is no id.
fn option(told: &Value) -> Option<PermissionOption> {
    let kind = match told.get("kind")?.as_str()? {
        "allow_once" => PermissionOptionKind::AllowOnce,
        "allow_always" => PermissionOptionKind::AllowAlways,
        "reject_once" => PermissionOptionKind::RejectOnce,
        "reject_always" => PermissionOptionKind::RejectAlways,
        _ => return None,
    };
    let id = told.get("optionId")?.as_str().filter(|id| is_usable_id(id))?;
    let name = told.get("name").and_then(Value::as_str).unwrap_or(id);
    Some(PermissionOption { option_id: OptionId::from(id), name: shorten(name, TITLE), kind })
}
