//! Answers that a model begins again, because the stream of its words broke.
//!
//! Codex says only on its standard error that it asks its model again, and that may be heard before words that it said
//! earlier. So it is asked something that it answers at once, on the way of its words: what comes before that answer
//! belongs to the try that broke. Codex waits a fifth of a second before it asks its model, so the answer comes in time.
//! An agent that does not answer is believed to have said everything when it is silent for a moment.

use std::time::Duration;

use pipeline::{Moment, Now};
use serde_json::json;

use super::{AcpClient, Asked};

/// Nobody knows it, and every agent says so.
const METHOD: &str = "_liminal/mark";
/// How long an answer is waited for while the agent is silent.
const SILENCE: Duration = Duration::from_millis(150);
/// What waits to be read is read first, however late we are.
const LAST_MOMENT: Duration = Duration::from_millis(10);

#[derive(Debug, Default)]
pub(super) struct Retold {
    asked: u64,
    answered: u64,
    /// The last question whose answer is not needed any more.
    settled: u64,
    silent_until: Option<(Moment, Wait)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Silence,
    LastMoment,
}

impl Retold {
    pub(super) fn deadline(&self) -> Option<Moment> {
        self.silent_until.map(|(moment, _)| moment)
    }

    /// The agent says something, so that only its answer can tell what was said before.
    pub(super) fn note_words(&mut self) {
        self.silent_until = None;
    }

    /// What follows is another matter.
    pub(super) fn forget(&mut self) {
        self.settled = self.asked;
        self.silent_until = None;
    }
}

impl AcpClient {
    /// The agent asks its model again.
    pub(super) fn mark_retry(&mut self, now: Now) {
        if self.turns.current().is_none() {
            return;
        }
        self.retold.silent_until = Some((now.moment + SILENCE, Wait::Silence));
        // One that does not answer is not asked again and again.
        if self.retold.answered < self.retold.asked {
            return;
        }
        self.retold.asked += 1;
        let (number, session) = (self.retold.asked, self.agent_session.clone());
        self.request(Asked::Mark(number), METHOD, &json!({ "sessionId": session }));
    }

    /// Whether it knows what it was asked does not matter; everything before has been heard.
    pub(super) fn handle_mark(&mut self, number: u64, now: Now) {
        self.retold.answered = number;
        if number > self.retold.settled {
            self.retold.forget();
            self.timeline.supersede_text(now);
        }
    }

    pub(super) fn watch_retry(&mut self, now: Now) {
        match self.retold.silent_until {
            Some((moment, Wait::Silence)) if moment <= now.moment => {
                let moment = now.moment + LAST_MOMENT;
                self.retold.silent_until = Some((moment, Wait::LastMoment));
            }
            Some((moment, Wait::LastMoment)) if moment <= now.moment => {
                self.retold.forget();
                self.timeline.supersede_text(now);
                self.pass_on_items();
            }
            Some(_) | None => {}
        }
    }
}
