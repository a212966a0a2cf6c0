//! How a turn's open items end with it.

use contract::{CallId, ErrorCode};
use pipeline::Now;

use super::message::OpenMessage;
use super::{Failure, TimelineAssembler};

/// How the turn ended, as far as its items care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closing {
    Completed,
    Cancelled,
    Failed,
}

impl Closing {
    fn failure(self) -> Option<Failure<'static>> {
        match self {
            Self::Completed => None,
            Self::Cancelled => Some(Failure { code: ErrorCode::CANCELLED, message: "stopped" }),
            Self::Failed => {
                Some(Failure { code: ErrorCode::INTERRUPTED, message: "the turn failed" })
            }
        }
    }
}

impl TimelineAssembler {
    /// Closes what the turn left open. `goes_on` names tool calls that outlive it.
    pub(crate) fn end_turn(
        &mut self,
        closing: Closing,
        goes_on: impl Fn(&CallId) -> bool,
        now: Now,
    ) {
        self.end_blocks(closing, now);
        let open = self.turn.as_ref().map(|turn| self.tools.unended(turn)).unwrap_or_default();
        for call in open {
            let by_runner = self.tools.runner(&call).is_some_and(&goes_on);
            if !goes_on(&call) && !by_runner {
                self.end_call(&call, closing, now);
            }
        }
        self.tools.forget_ended();
    }

    /// Ends the calls that a subagent left open when it ended.
    pub(crate) fn end_work_of(&mut self, runner: &CallId, now: Now) {
        for call in self.tools.unended_of(runner) {
            self.end_call(&call, Closing::Cancelled, now);
        }
    }

    /// The agent is gone: whatever still runs will never end by itself.
    pub(crate) fn end_everything(&mut self, now: Now) {
        self.end_blocks(Closing::Failed, now);
        for call in self.tools.all_unended() {
            self.end_call(&call, Closing::Failed, now);
        }
        self.tools.forget_ended();
    }

    fn end_blocks(&mut self, closing: Closing, now: Now) {
        let (message, tools, mut emit) = self.parts(now);
        for mut block in message.take().into_iter().flat_map(OpenMessage::into_blocks) {
            match closing.failure() {
                None => block.complete(tools, &mut emit),
                // A call that was made may have outlived its message; calls are ended in one place.
                Some(_) if block.is_settled_tool() => {}
                Some(failure) => block.fail(&failure, tools, &mut emit),
            }
        }
    }

    fn end_call(&mut self, call: &CallId, closing: Closing, now: Now) {
        let (_, tools, mut emit) = self.parts(now);
        match closing.failure() {
            Some(failure) => tools.fail(call, &failure, &mut emit),
            None => tools.end_without_result(call, &mut emit),
        }
    }
}
