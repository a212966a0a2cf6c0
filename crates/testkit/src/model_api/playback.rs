//! Plays a stream: what is said, where it waits, how it ends.

use std::io;
use std::time::Duration;

use axum::body::Body;
use futures_util::stream;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::gate::Gate;
use super::reply::{Ending, Pace, Place};

#[derive(Clone, Debug)]
pub(super) enum Step {
    Send(String),
    Sleep(Duration),
    Pass(Gate),
    /// The connection breaks.
    Break,
}

impl Pace {
    /// What comes before everything else.
    pub(super) fn before(&self) -> Vec<Step> {
        let mut steps = vec![Step::Sleep(self.first)];
        steps.extend(self.holds_at(|place| place == Place::Start));
        steps
    }

    /// All waiting there is, for an answer that is given in one piece.
    pub(super) fn all_holds(&self) -> Vec<Step> {
        let mut steps = vec![Step::Sleep(self.first)];
        steps.extend(self.holds_at(|_| true));
        steps
    }

    fn holds_at(&self, is_here: impl Fn(Place) -> bool) -> Vec<Step> {
        let here = self.holds.iter().filter(|hold| is_here(hold.place));
        here.map(|hold| Step::Pass(hold.gate.clone())).collect()
    }

    fn holds_after(&self, deltas: usize, of: usize) -> Vec<Step> {
        self.holds_at(|place| match place {
            Place::Start => false,
            Place::Deltas(wanted) => wanted.min(of) == deltas,
        })
    }
}

/// Weaves waiting and a bad end into the events of a message.
pub(super) fn steps(events: &[Value], pace: &Pace, ending: Ending) -> Vec<Step> {
    let total = events.iter().filter(|event| is_delta(event)).count();
    let mut steps = pace.before();
    let mut deltas = 0;
    for event in events {
        if is_delta(event) {
            deltas += 1;
            steps.push(Step::Sleep(pace.each));
        }
        steps.push(Step::Send(sse(event)));
        if is_delta(event) || is_opened(event) {
            steps.extend(pace.holds_after(deltas, total));
            if let Some(end) = end_after(ending, deltas, total) {
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

fn end_after(ending: Ending, deltas: usize, total: usize) -> Option<Step> {
    match ending {
        Ending::CutAfter(wanted) if wanted.min(total) == deltas => Some(Step::Break),
        Ending::ErrorAfter(wanted) if wanted.min(total) == deltas => {
            let error = json!({"type": "overloaded_error", "message": "Overloaded"});
            Some(Step::Send(sse(&json!({"type": "error", "error": error}))))
        }
        Ending::Whole | Ending::CutAfter(_) | Ending::ErrorAfter(_) => None,
    }
}

/// The message has begun and nothing of it was said.
fn is_opened(event: &Value) -> bool {
    event["type"] == "ping"
}

fn is_delta(event: &Value) -> bool {
    event["type"] == "content_block_delta"
}

fn sse(event: &Value) -> String {
    let name = event["type"].as_str().unwrap_or_default();
    format!("event: {name}\ndata: {event}\n\n")
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the script breaks the connection")
}
