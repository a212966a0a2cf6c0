//! What turns cost: Codex counts the tokens of the whole session, so a turn's are the difference.

use contract::Usage;

use super::line::{TokenInfo, Tokens};

/// What the session has cost so far.
#[derive(Debug, Default)]
pub(super) struct Meter {
    total: Tokens,
}

/// What one turn has cost so far.
#[derive(Debug, Default)]
pub(super) struct TurnCost {
    spent: Tokens,
    context: Option<(u64, u64)>,
}

impl Meter {
    pub(super) fn note(&mut self, info: &TokenInfo, turn: Option<&mut TurnCost>) {
        let total = info.total_token_usage;
        // A count that fell began anew.
        let is_anew = total.total_tokens < self.total.total_tokens;
        let before = if is_anew { Tokens::default() } else { self.total };
        self.total = total;
        let Some(turn) = turn else { return };
        let add = |sum: &mut u64, now: u64, before: u64| {
            *sum = sum.saturating_add(now.saturating_sub(before));
        };
        add(&mut turn.spent.input_tokens, total.input_tokens, before.input_tokens);
        add(&mut turn.spent.output_tokens, total.output_tokens, before.output_tokens);
        let (now, then) = (total.cached_input_tokens, before.cached_input_tokens);
        add(&mut turn.spent.cached_input_tokens, now, then);
        if let (Some(last), Some(window)) = (info.last_token_usage, info.model_context_window) {
            turn.context = Some((last.total_tokens, window));
        }
    }
}

impl TurnCost {
    /// `None` for a turn that nothing was counted for.
    pub(super) fn usage(&self) -> Option<Usage> {
        let Tokens { input_tokens, cached_input_tokens, output_tokens, .. } = self.spent;
        if input_tokens == 0 && output_tokens == 0 {
            return None;
        }
        Some(Usage {
            input_tokens,
            output_tokens,
            cache_read_input_tokens: (cached_input_tokens > 0).then_some(cached_input_tokens),
            cache_creation_input_tokens: None,
            cost_usd: None,
            context_tokens: self.context.map(|(used, _)| used),
            context_window: self.context.map(|(_, window)| window),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(input: u64, output: u64) -> TokenInfo {
        let tokens = Tokens {
            input_tokens: input,
            output_tokens: output,
            total_tokens: input + output,
            ..Tokens::default()
        };
        let (last, window) = (Some(tokens), Some(1000));
        TokenInfo {
            total_token_usage: tokens,
            last_token_usage: last,
            model_context_window: window,
        }
    }

    #[test]
    fn a_turn_costs_what_the_session_costs_more_after_it() {
        let mut meter = Meter::default();
        let mut first = TurnCost::default();
        meter.note(&count(100, 10), Some(&mut first));
        meter.note(&count(250, 30), Some(&mut first));
        let mut second = TurnCost::default();
        meter.note(&count(250, 30), Some(&mut second));
        assert_eq!(second.usage(), None, "the same count again");
        meter.note(&count(300, 31), Some(&mut second));
        let cost =
            |turn: &TurnCost| turn.usage().map(|used| (used.input_tokens, used.output_tokens));
        assert_eq!((cost(&first), cost(&second)), (Some((250, 30)), Some((50, 1))));
        let mut third = TurnCost::default();
        meter.note(&count(20, 2), Some(&mut third));
        assert_eq!(cost(&third), Some((20, 2)), "a count that began anew");
        assert_eq!(third.usage().unwrap().context_tokens, Some(22));
    }
}
