//! The tokens and costs of calls and summaries.

use super::basis::Basis;
use super::trace::Call;
use crate::conversation::{Counter, Message, Usage};
use crate::effect::SummaryRequest;
use crate::fact::Spending;
use crate::model::Prices;
use crate::quantity::Decimal;

/// What a call would have used. The recorded classes of input are scaled to the new size of the context. Input and output
/// without usage are estimated by the counter, and such input is priced as uncached.
pub(super) fn of_call(basis: &Basis, reply: &Message, call: &Call) -> Spending {
    let usage = reply.usage.unwrap_or_default();
    let is_recorded = usage.context() > 0;
    let output = if usage.output > 0 { usage.output } else { basis.counter.message(reply) };
    let share = |prices: &Prices| {
        if !is_recorded {
            return Some(Decimal::from(call.after) * prices.input);
        }
        let share = Decimal::from(call.after) / Decimal::from(usage.context());
        classes(usage, prices).checked_mul(share)
    };
    let cost = basis.prices.and_then(|prices| dollars(share(&prices)?, output, &prices));
    Spending {
        tokens: call.after.saturating_add(output),
        cost,
        time: None,
        calls: 1,
        estimated: u64::from(!is_recorded),
    }
}

/// What a summary used: request and answer, estimated by the counter, at the prices of the session's model.
pub(super) fn of_summary(basis: &Basis, request: &SummaryRequest, answer: &str) -> Spending {
    let texts = [Some(&request.instructions), request.previous.as_ref(), Some(&request.transcript)];
    let input: u64 = texts.into_iter().flatten().map(|text| basis.counter.text(text)).sum();
    let output = basis.counter.text(answer);
    let cost = basis.prices.and_then(|prices| dollars(Decimal::from(input) * prices.input, output, &prices));
    Spending { tokens: input.saturating_add(output), cost, ..Spending::default() }
}

/// The cost of the recorded classes of input, in millionths of a dollar.
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
