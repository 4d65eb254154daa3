//! The tokens and costs of calls and summaries.

use super::environment::Environment;
use crate::conversation::{Message, Usage};
use crate::effect::SummaryRequest;
use crate::fact::Spending;
use crate::model::Prices;
use crate::quantity::Decimal;

impl Environment {
    /// What a call with a context of `tokens` uses. The classes of input in the usage of the reply are scaled to that
    /// size. Input and output without usage are estimated by the counter, and such input is priced as uncached.
    pub(super) fn call_spending(&self, reply: &Message, tokens: u64) -> Spending {
        let usage = reply.usage.unwrap_or_default();
        let is_recorded = usage.context() > 0;
        let output = if usage.output > 0 { usage.output } else { self.counter.message(reply) };
        let input = |prices: &Prices| {
            if !is_recorded {
                return Some(Decimal::from(tokens) * prices.input);
            }
            let share = Decimal::from(tokens) / Decimal::from(usage.context());
            classes(usage, prices).checked_mul(share)
        };
        let cost = self.prices.and_then(|prices| dollars(input(&prices)?, output, &prices));
        Spending {
            tokens: tokens.saturating_add(output),
            cost,
            time: None,
            calls: 1,
            estimated: u64::from(!is_recorded),
        }
    }

    /// What a summary uses: request and answer, estimated by the counter, at the prices of the session's model.
    pub(super) fn summary_spending(&self, request: &SummaryRequest, answer: &str) -> Spending {
        let texts = [Some(&request.instructions), request.previous.as_ref(), Some(&request.transcript)];
        let input: u64 = texts.into_iter().flatten().map(|text| self.counter.text(text)).sum();
        let output = self.counter.text(answer);
        let cost = self.prices.and_then(|prices| dollars(Decimal::from(input) * prices.input, output, &prices));
        Spending { tokens: input.saturating_add(output), cost, ..Spending::default() }
    }
}

/// The cost of the classes of input, in millionths of a dollar.
fn classes(usage: Usage, prices: &Prices) -> Decimal {
    Decimal::from(usage.input) * prices.input
        + Decimal::from(usage.cache_read) * prices.cache_read
        + Decimal::from(usage.cache_write) * prices.cache_write
}

/// The cost in dollars of input in millionths of a dollar and output in tokens.
fn dollars(input: Decimal, output: u64, prices: &Prices) -> Option<Decimal> {
    let output = Decimal::from(output).checked_mul(prices.output)?;
    Some(input.checked_add(output)? / Decimal::from(1_000_000))
}
