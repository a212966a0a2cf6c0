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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Lifecycle, Snapshot, UserLine};
    use crate::line::{Content, Message, Word};

    fn sent(turns: &[&str]) -> SentMessages {
        let mut sent = SentMessages::default();
        turns.iter().for_each(|turn| sent.add(TurnId::from(*turn), true));
        sent
    }

    fn facts(sent: &SentMessages) -> Facts<'_> {
        Facts {
            state: TurnState::Idle,
            sent,
            follows_notification: false,
            was_notified: false,
            reports_messages: false,
        }
    }

    fn init(messages: &[&'static str], reports_messages: bool) -> Event<'static> {
        let messages = messages.iter().map(|uuid| Word::from(*uuid)).collect();
        Event::Init(Init { messages, reports_messages, ..Init::default() })
    }

    fn foreground(turns: &[&str]) -> Route {
        Route::Open(Owner::Foreground(turns.iter().map(|turn| TurnId::from(*turn)).collect()))
    }

    #[test]
    fn what_an_init_names_comes_before_everything_else() {
        let sent = sent(&["one", "two"]);
        let facts = Facts { follows_notification: true, ..facts(&sent) };
        let routed = route(&init(&["two", "one"], true), &facts);
        assert_eq!(routed, (foreground(&["two", "one"]), Rule::InitNamesMessages));
    }

    #[test]
    fn a_message_that_the_agent_said_it_begins_comes_next() {
        let mut sent = sent(&["one", "two"]);
        sent.note("two", Lifecycle::Started);
        let routed = route(&init(&[], true), &facts(&sent));
        assert_eq!(routed, (foreground(&["two"]), Rule::MessageStarted));
    }

    #[test]
    fn an_agent_that_reports_messages_and_names_none_was_not_asked() {
        let sent = sent(&["one"]);
        let routed = route(&init(&[], true), &facts(&sent));
        let autonomous = Route::Open(Owner::Autonomous);
        assert_eq!(routed, (autonomous, Rule::ReportsMessagesAndNamesNone));
    }

    #[test]
    fn a_message_that_cannot_be_named_is_believed_to_be_meant() {
        let mut sent = SentMessages::default();
        sent.add(TurnId::from("one"), false);
        let routed = route(&init(&[], true), &facts(&sent));
        assert_eq!(routed, (foreground(&["one"]), Rule::MessageWithoutId));
    }

    #[test]
    fn on_older_agents_a_notification_decides_and_then_what_is_outstanding() {
        let waiting = sent(&["one"]);
        let woken = Facts { follows_notification: true, ..facts(&waiting) };
        let autonomous = Route::Open(Owner::Autonomous);
        assert_eq!(
            route(&init(&[], false), &woken),
            (autonomous.clone(), Rule::NotificationBeforeInit)
        );
        let asked = route(&init(&[], false), &facts(&waiting));
        assert_eq!(asked, (foreground(&["one"]), Rule::OutstandingMessage));
        let nothing = sent(&[]);
        assert_eq!(route(&init(&[], false), &facts(&nothing)), (autonomous, Rule::NobodyAsked));
    }

    #[test]
    fn uuids_of_others_own_nothing() {
        let sent = sent(&["one"]);
        let routed = route(&init(&["somebody-else"], true), &facts(&sent));
        assert_eq!(routed.0, Route::Open(Owner::Autonomous));
    }

    fn main_loop_events() -> [Event<'static>; 4] {
        let snapshot = |parent: &'static str| {
            Event::Snapshot(Snapshot {
                parent: Word::from(parent),
                message: Message::default(),
                error: Word::default(),
                is_aborted: false,
            })
        };
        let start = Event::MessageStart {
            id: Word::from("msg"),
            model: Word::default(),
            usage: None,
            messages: Vec::new(),
        };
        [
            start,
            Event::BlockStop { index: 0 },
            Event::MessageStop { abandoned_from: None },
            snapshot(""),
        ]
    }

    #[test]
    fn while_a_turn_is_open_nothing_of_the_main_loop_goes_elsewhere() {
        let sent = sent(&["two"]);
        for state in [TurnState::Foreground, TurnState::Autonomous] {
            for follows_notification in [true, false] {
                let facts =
                    Facts { state, follows_notification, was_notified: true, ..facts(&sent) };
                for event in main_loop_events() {
                    assert_eq!(
                        route(&event, &facts),
                        (Route::MainLoop, Rule::OpenTurn),
                        "{event:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn subagents_and_tools_are_found_by_their_ids_in_any_state() {
        let sent = sent(&[]);
        for state in [TurnState::Idle, TurnState::Foreground, TurnState::Autonomous] {
            let facts = Facts { state, ..facts(&sent) };
            let line = |parent: &'static str| {
                Event::User(UserLine {
                    parent: Word::from(parent),
                    content: Content::default(),
                    tool_use_result: None,
                })
            };
            assert_eq!(route(&line("toolu-1"), &facts), (Route::Subagent, Rule::ParentToolUse));
            assert_eq!(route(&line(""), &facts), (Route::Tool, Rule::ToolUse));
        }
    }

    #[test]
    fn a_notification_alone_starts_and_ends_nothing() {
        let sent = sent(&["one"]);
        for state in [TurnState::Idle, TurnState::Foreground, TurnState::Autonomous] {
            let facts = Facts { state, ..facts(&sent) };
            let event = Event::TaskNotification { task_id: Word::from("t"), has_output: true };
            assert_eq!(route(&event, &facts), (Route::Metadata, Rule::Metadata));
        }
    }

    #[test]
    fn content_whose_turn_was_not_opened_opens_it() {
        let sent = sent(&["one"]);
        let [start, ..] = main_loop_events();
        let (route, _) = route(&start, &facts(&sent));
        assert_eq!(route, Route::OpenLate(Owner::Foreground(vec![TurnId::from("one")])));
    }
}
