//! Permission requests: each waits until it is answered once, withdrawn, or its turn ends.

use std::collections::VecDeque;

use contract::{
    GivenAnswer, PermissionAnswer, PermissionAnswered, PermissionId, PermissionOptionKind,
    PermissionOutcome, PermissionRequest, StandingPermission, Timestamp, TurnId,
};
use pipeline::Now;
use store::Change;
use tokio::sync::oneshot;

use super::SessionCore;
use super::effects::{Action, Effects, Reply};
use crate::error::ServiceError;
use crate::provider::PermissionDecision;

#[derive(Debug, Default)]
pub(super) struct Permissions {
    waiting: Vec<Waiting>,
    /// Lately resolved, so that a second answer hears that it came too late. The oldest is forgotten first.
    resolved: VecDeque<PermissionId>,
    /// What the agent that runs was allowed for more than once.
    standing: VecDeque<StandingPermission>,
    /// Whether the agent can be told more than the option.
    takes_full_answers: bool,
}

/// The state that waits owns what it waits for: answering twice cannot be written.
#[derive(Debug)]
struct Waiting {
    request: PermissionRequest,
    answer: oneshot::Sender<PermissionDecision>,
}

/// An answer, and in whose name it is given.
#[derive(Debug)]
pub(crate) struct Answering {
    pub(crate) permission: PermissionId,
    pub(crate) answer: PermissionAnswer,
    pub(crate) by: Option<String>,
}

impl Permissions {
    const REMEMBERED: usize = 256;

    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    pub(super) fn waiting(&self) -> Vec<PermissionRequest> {
        self.waiting.iter().map(|waiting| waiting.request.clone()).collect()
    }

    /// In the order in which it was given.
    pub(super) fn standing(&self) -> Vec<StandingPermission> {
        self.standing.iter().cloned().collect()
    }

    /// The agent that kept it is gone, and what it kept with it.
    pub(super) fn end_standing(&mut self) {
        self.standing.clear();
    }

    /// Notes what the answer to a request allows for longer than this once. The same allowed again is one.
    fn note_standing(&mut self, request: &PermissionRequest, since: Timestamp) {
        let Some(chosen) = request.options.iter().find(|option| {
            option.kind == PermissionOptionKind::AllowAlways
                && request.option_id.as_ref() == Some(&option.option_id)
        }) else {
            return;
        };
        let standing = StandingPermission {
            permission_id: request.permission_id.clone(),
            title: request.title.clone(),
            tool_name: request.tool_name.clone(),
            name: chosen.name.clone(),
            since,
        };
        self.standing.retain(|known| !says_the_same(known, &standing));
        self.standing.push_back(standing);
        if self.standing.len() > Self::REMEMBERED {
            self.standing.pop_front();
        }
    }

    /// Whether a request of this name waits or did lately. Who answers means what was shown under it.
    fn is_known(&self, id: &PermissionId) -> bool {
        self.find(id).is_some() || self.resolved.contains(id)
    }

    fn find(&self, id: &PermissionId) -> Option<&PermissionRequest> {
        self.waiting
            .iter()
            .map(|waiting| &waiting.request)
            .find(|request| request.permission_id == *id)
    }

    fn take(&mut self, id: &PermissionId) -> Option<Waiting> {
        let index = self.waiting.iter().position(|waiting| waiting.request.permission_id == *id)?;
        self.resolved.push_back(id.clone());
        if self.resolved.len() > Self::REMEMBERED {
            self.resolved.pop_front();
        }
        Some(self.waiting.remove(index))
    }

    fn of_turn(&self, turn: Option<&TurnId>) -> Vec<PermissionId> {
        let meant = self
            .waiting
            .iter()
            .filter(|waiting| turn.is_none() || waiting.request.turn_id.as_ref() == turn);
        meant.map(|waiting| waiting.request.permission_id.clone()).collect()
    }
}

/// An agent may call every "always" the same: then what was asked about tells them apart.
fn says_the_same(one: &StandingPermission, other: &StandingPermission) -> bool {
    (&one.name, &one.tool_name, &one.title) == (&other.name, &other.tool_name, &other.title)
}

fn is_allowed(request: &PermissionRequest) -> bool {
    use PermissionOptionKind::{AllowAlways, AllowOnce};
    let mut options = request.options.iter();
    let chosen = options.find(|option| request.option_id.as_ref() == Some(&option.option_id));
    chosen.is_some_and(|option| matches!(option.kind, AllowOnce | AllowAlways))
}

/// What an answer says besides the option, by its name. Nothing was said by empty words.
fn said_besides(answer: &PermissionAnswer) -> Option<&'static str> {
    let has_answers = answer.answers.as_ref().is_some_and(|answers| !answers.is_empty());
    let has_feedback = answer.feedback.as_ref().is_some_and(|text| !text.is_empty());
    if answer.updated_input.is_some() {
        Some("updatedInput")
    } else if has_answers {
        Some("answers")
    } else {
        has_feedback.then_some("feedback")
    }
}

impl SessionCore {
    /// Whether its agent can be told more than the option that was chosen.
    #[must_use]
    pub(crate) fn with_full_answers(mut self, takes_full_answers: bool) -> Self {
        self.permissions.takes_full_answers = takes_full_answers;
        self
    }

    /// A request that cannot be put to anybody is dropped, which denies it.
    pub(crate) fn refuse_to_ask(&mut self) {
        self.timeline.refuse();
    }

    /// Whether a request of this name waits or did lately.
    pub(crate) fn knows_permission(&self, id: &PermissionId) -> bool {
        self.permissions.is_known(id)
    }

    pub(super) fn ask(
        &mut self,
        request: PermissionRequest,
        answer: oneshot::Sender<PermissionDecision>,
        effects: &mut Effects,
    ) {
        if self.permissions.is_known(&request.permission_id) {
            return self.refuse_to_ask();
        }
        effects.changes.push(Change::Permission(Box::new(request.clone())));
        self.permissions.waiting.push(Waiting { request, answer });
    }

    /// Answers a request once. One that names an option which was not offered, or says what its agent cannot be told,
    /// leaves the request open.
    pub(crate) fn answer(
        &mut self,
        given: Answering,
        reply: Reply<PermissionAnswered>,
        now: Now,
        effects: &mut Effects,
    ) {
        let Answering { permission: id, answer, by } = given;
        let mut said = GivenAnswer {
            by,
            updated_input: answer.updated_input.clone(),
            answers: answer.answers.clone(),
            feedback: answer.feedback.clone().filter(|text| !text.is_empty()),
        };
        let decision = match self.check_answer(&id, answer) {
            Ok(decision) => decision,
            Err(error) => return effects.reply(reply, Err(error)),
        };
        let Some(waiting) = self.permissions.take(&id) else { return };
        let mut request = waiting.request;
        match &decision {
            PermissionDecision::Selected(answer) => {
                request.outcome = Some(PermissionOutcome::Selected);
                request.option_id = answer.option_id.clone();
            }
            PermissionDecision::Cancelled => request.outcome = Some(PermissionOutcome::Cancelled),
        }
        // What was refused was allowed in no form.
        said.updated_input.take_if(|_| !is_allowed(&request));
        request.answer = (said != GivenAnswer::default()).then_some(said);
        request.resolved_at = Some(now.wall);
        self.permissions.note_standing(&request, now.wall);
        effects.changes.push(Change::Permission(Box::new(request)));
        effects.actions.push(Action::Answer(waiting.answer, decision));
        effects.reply(reply, Ok(PermissionAnswered { answered: true }));
    }

    pub(super) fn withdraw(&mut self, id: &PermissionId, now: Now, effects: &mut Effects) {
        self.resolve(id, PermissionOutcome::Withdrawn, now, effects);
    }

    /// Ends the requests of a turn, or all. Dropping a request's channel tells the agent that nobody will answer.
    pub(super) fn end_permissions(
        &mut self,
        turn: Option<&TurnId>,
        now: Now,
        effects: &mut Effects,
    ) {
        for id in self.permissions.of_turn(turn) {
            self.resolve(&id, PermissionOutcome::TurnEnded, now, effects);
        }
    }

    fn resolve(
        &mut self,
        id: &PermissionId,
        outcome: PermissionOutcome,
        now: Now,
        effects: &mut Effects,
    ) {
        let Some(waiting) = self.permissions.take(id) else { return };
        let mut request = waiting.request;
        request.outcome = Some(outcome);
        request.resolved_at = Some(now.wall);
        effects.changes.push(Change::Permission(Box::new(request)));
    }

    /// An agent that hears only the option would do what was proposed, and not what was answered.
    fn check_what_else_is_said(&self, answer: &PermissionAnswer) -> Result<(), ServiceError> {
        match said_besides(answer) {
            Some(name) if !self.permissions.takes_full_answers => {
                let kind = &self.record.cli_type;
                let message = format!("{name}: agents of type {kind} are told the option only");
                Err(ServiceError::NotSupported(message))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn check_answer(
        &self,
        id: &PermissionId,
        answer: PermissionAnswer,
    ) -> Result<PermissionDecision, ServiceError> {
        let Some(request) = self.permissions.find(id) else {
            let known = self.permissions.resolved.contains(id);
            let id = id.clone();
            return Err(if known {
                ServiceError::AlreadyAnswered(id)
            } else {
                ServiceError::UnknownPermission(id)
            });
        };
        self.check_what_else_is_said(&answer)?;
        match (&answer.option_id, answer.cancel) {
            (None, Some(true)) => Ok(PermissionDecision::Cancelled),
            (Some(option), None | Some(false)) => {
                if request.options.iter().any(|offered| offered.option_id == *option) {
                    Ok(PermissionDecision::Selected(Box::new(answer)))
                } else {
                    let offered: Vec<_> =
                        request.options.iter().map(|offered| offered.option_id.as_str()).collect();
                    let offered = offered.join(", ");
                    Err(ServiceError::InvalidRequest(format!(
                        "optionId: {option} was not offered, but {offered}"
                    )))
                }
            }
            (Some(_), Some(true)) | (None, None | Some(false)) => {
                Err(ServiceError::InvalidRequest("give either optionId or cancel: true".to_owned()))
            }
        }
    }
}
