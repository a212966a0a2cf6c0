//! The single decision point: whom an event belongs to.
//!
//! No clock and no version number decides. Main-loop lines carry no id of their turn, so ownership is positional: it is
//! settled when a turn opens, from what the agent says about our messages then.

use contract::TurnId;

use crate::event::{Event, Init, TurnResult};
use crate::sent::SentMessages;

/// Who owns what the agent does now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnState {
    #[default]
    Idle,
    /// A turn that a message of ours started.
    Foreground,
    /// A turn that nobody asked for.
    Autonomous,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The messages that started the turn, never empty; all but the first were merged into it.
    Foreground(Vec<TurnId>),
    Autonomous,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A turn begins.
    Open(Owner),
    /// Content came before its turn did: the turn begins here.
    OpenLate(Owner),
    Close,
    /// Into the open turn.
    MainLoop,
    /// Under the item of a subagent.
    Subagent,
    /// To the tool call that it names, in whichever turn that is.
    Tool,
    /// Belongs to no run.
    Metadata,
}

/// Which rule decided; for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    InitNamesMessages,
    MessageStarted,
    MessageWithoutId,
    ReportsMessagesAndNamesNone,
    NotificationBeforeInit,
    OutstandingMessage,
    NobodyAsked,
    EndOfTurn,
    OpenTurn,
    ParentToolUse,
    ToolUse,
    Metadata,
}

/// What the decision may look at besides the event.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) state: TurnState,
    pub(crate) sent: &'a SentMessages,
    /// The line before, session state aside, was a notification that wakes the agent.
    pub(crate) follows_notification: bool,
    /// Such a notification came since the last turn ended.
    pub(crate) was_notified: bool,
    /// Whether the agent reports the life of every message.
    pub(crate) reports_messages: bool,
}

pub(crate) fn route(event: &Event<'_>, facts: &Facts<'_>) -> (Route, Rule) {
    match event {
        Event::Init(init) => {
            let (owner, rule) = owner(init, facts, facts.follows_notification);
            (Route::Open(owner), rule)
        }
        Event::Result(result) if facts.state == TurnState::Idle => late_result(result, facts),
        Event::Result(_) => (Route::Close, Rule::EndOfTurn),
        Event::Snapshot(snapshot) if snapshot.parent.given().is_some() => {
            (Route::Subagent, Rule::ParentToolUse)
        }
        Event::User(line) if line.parent.given().is_some() => {
            (Route::Subagent, Rule::ParentToolUse)
        }
        Event::User(_) => (Route::Tool, Rule::ToolUse),
        Event::MessageStart { .. }
        | Event::BlockStart { .. }
        | Event::BlockDelta { .. }
        | Event::BlockStop { .. }
        | Event::MessageDelta { .. }
        | Event::MessageStop { .. }
        | Event::Snapshot(_) => main_loop(event, facts),
        Event::Requesting(_)
        | Event::Compacting
        | Event::ModeChanged(_)
        | Event::StatusCleared
        | Event::Replay(_)
        | Event::Lifecycle { .. }
        | Event::TaskStarted(_)
        | Event::TaskEnded { .. }
        | Event::TaskNotification { .. }
        | Event::BackgroundTasks(_)
        | Event::Retry(_)
        | Event::Refused
        | Event::Asked { .. }
        | Event::AskWithdrawn(_)
        | Event::Answered(_)
        | Event::Quiet
        | Event::SessionState
        | Event::Unknown => (Route::Metadata, Rule::Metadata),
    }
}

/// While a turn is open nothing of the main loop goes anywhere else.
fn main_loop(event: &Event<'_>, facts: &Facts<'_>) -> (Route, Rule) {
    if facts.state != TurnState::Idle {
        return (Route::MainLoop, Rule::OpenTurn);
    }
    // The tail of a message whose turn has ended brings nothing new.
    if matches!(
        event,
        Event::BlockStop { .. } | Event::MessageDelta { .. } | Event::MessageStop { .. }
    ) {
        return (Route::Metadata, Rule::Metadata);
    }
    let mut init = late(facts);
    if let Event::MessageStart { messages, .. } = event {
        init.messages.clone_from(messages);
    }
    let (owner, rule) = owner(&init, facts, facts.was_notified);
    (Route::OpenLate(owner), rule)
}

/// The end of a turn whose beginning was lost, if it is a turn of ours. An agent that cannot start says so with a
/// result too, which ends nothing.
fn late_result(result: &TurnResult<'_>, facts: &Facts<'_>) -> (Route, Rule) {
    let did_not_start = result.is_error && result.terminal_reason.given().is_none();
    let init = Init { messages: result.messages.clone(), ..late(facts) };
    match owner(&init, facts, facts.was_notified) {
        (owner @ Owner::Foreground(_), rule) if !did_not_start => (Route::OpenLate(owner), rule),
        (Owner::Foreground(_) | Owner::Autonomous, _) => (Route::Metadata, Rule::Metadata),
    }
}

/// Stands in for an `init` that never came.
fn late<'a>(facts: &Facts<'_>) -> Init<'a> {
    Init { reports_messages: facts.reports_messages, ..Init::default() }
}

fn owner(init: &Init<'_>, facts: &Facts<'_>, is_woken: bool) -> (Owner, Rule) {
    let named: Vec<TurnId> = init
        .messages
        .iter()
        .filter(|uuid| facts.sent.contains(uuid))
        .map(|uuid| TurnId::from(uuid.as_str()))
        .collect();
    if !named.is_empty() {
        return (Owner::Foreground(named), Rule::InitNamesMessages);
    }
    let started = facts.sent.started();
    if !started.is_empty() {
        return (Owner::Foreground(started), Rule::MessageStarted);
    }
    if init.reports_messages {
        return match facts.sent.unnamed_head() {
            Some(turn) => (Owner::Foreground(vec![turn.clone()]), Rule::MessageWithoutId),
            None => (Owner::Autonomous, Rule::ReportsMessagesAndNamesNone),
        };
    }
    if is_woken {
        return (Owner::Autonomous, Rule::NotificationBeforeInit);
    }
    match facts.sent.head() {
        Some(turn) => (Owner::Foreground(vec![turn.clone()]), Rule::OutstandingMessage),
        None => (Owner::Autonomous, Rule::NobodyAsked),
    }
}
