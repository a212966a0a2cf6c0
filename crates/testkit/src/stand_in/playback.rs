//! Plays a stream: what is said, where it waits, how it ends.

use std::io;
use std::time::Duration;

use axum::body::Body;
use futures_util::stream;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::api::Events;
use super::gate::Gate;
use super::pace::{Ending, Pace};

#[derive(Clone, Debug)]
pub(super) enum Step {
    Send(String),
    Sleep(Duration),
    Pass(Gate),
    /// The connection breaks.
    Break,
}

/// What the events of one API mean for playing them.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// The answer has begun and nothing of it was said.
    pub(crate) is_opened: fn(&Value) -> bool,
    pub(crate) is_delta: fn(&Value) -> bool,
}

/// Weaves waiting and a bad end into the events of a message.
pub(super) fn steps(events: &Events, dialect: Dialect, pace: &Pace, ending: Ending) -> Vec<Step> {
    let Dialect { is_opened, is_delta } = dialect;
    let total = events.all.iter().filter(|event| is_delta(event)).count();
    let mut steps = pace.before();
    let mut deltas = 0;
    for event in &events.all {
        if is_delta(event) {
            deltas += 1;
            steps.push(Step::Sleep(pace.each));
        }
        steps.push(Step::Send(sse(event)));
        if is_delta(event) || is_opened(event) {
            steps.extend(pace.holds_after(deltas, total));
            if let Some(end) = end_after(ending, deltas, total, &events.failure) {
                steps.push(end);
                break;
            }
        }
    }
    steps
}

/// The body of a response. It breaks off when the stand-in stops.
pub(super) fn body(steps: Vec<Step>, stop: CancellationToken) -> Body {
    let player = (steps.into_iter(), stop);
    Body::from_stream(stream::unfold(player, |(mut steps, stop)| async move {
        let said = stop.run_until_cancelled(next_piece(&mut steps)).await;
        let piece = said.unwrap_or_else(|| Some(Err(broken())))?;
        Some((piece, (steps, stop)))
    }))
}

/// Goes through waiting to the next thing that is said.
async fn next_piece(steps: &mut impl Iterator<Item = Step>) -> Option<io::Result<String>> {
    loop {
        match steps.next()? {
            Step::Send(text) => return Some(Ok(text)),
            Step::Sleep(delay) => wait(delay).await,
            Step::Pass(gate) => {
                flushed().await;
                gate.pass().await;
            }
            Step::Break => {
                flushed().await;
                return Some(Err(broken()));
            }
        }
    }
}

/// Waits through steps that say nothing, or until the stand-in stops.
pub(super) async fn wait_through(steps: Vec<Step>, stop: &CancellationToken) {
    stop.run_until_cancelled(next_piece(&mut steps.into_iter())).await;
}

/// The connection writes what it has when its body has nothing more to say for a moment; an error throws that away.
async fn flushed() {
    tokio::task::yield_now().await;
}

async fn wait(delay: Duration) {
    // Even a sleep of nothing costs a tick of the timer.
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
}

fn end_after(ending: Ending, deltas: usize, total: usize, failure: &Value) -> Option<Step> {
    match ending {
        Ending::CutAfter(wanted) if wanted.min(total) == deltas => Some(Step::Break),
        Ending::ErrorAfter(wanted) if wanted.min(total) == deltas => Some(Step::Send(sse(failure))),
        Ending::Whole | Ending::CutAfter(_) | Ending::ErrorAfter(_) => None,
    }
}

fn sse(event: &Value) -> String {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n")
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the script breaks the connection")
}
