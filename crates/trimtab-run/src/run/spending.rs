//! The tokens and costs of calls and summaries.

use trimtab_base::conversation::{Message, Usage};
use trimtab_language::effect::SummaryRequest;
use trimtab_language::fact::Spending;

use super::environment::Environment;

impl Environment {
    /// What a call with a context of `tokens` uses. The classes of input in the usage of the reply are scaled to that
    /// size. Input and output without usage are estimated by the counter, and such input is priced as uncached.
    pub fn call_spending(&self, reply: &Message, tokens: u64) -> Spending {
        let recorded = reply.usage.unwrap_or_default();
        let is_recorded = recorded.context() > 0;
        let output = if recorded.output > 0 { recorded.output } else { self.counter.message(reply) };
        let input = if is_recorded { recorded } else { Usage { input: tokens, ..Usage::default() } };
        let cost = self.prices_of_reply(reply).and_then(|prices| prices.scaled_cost(Usage { output, ..input }, tokens));
        Spending {
            tokens: tokens.saturating_add(output),
            cost,
            time: None,
            calls: 1,
            estimated: u64::from(!is_recorded),
        }
    }

    /// What a summary uses: request and answer, estimated by the counter, at the prices of the session's model.
    pub fn summary_spending(&self, request: &SummaryRequest, answer: &str) -> Spending {
        let texts = [Some(&request.instructions), request.previous.as_ref(), Some(&request.transcript)];
        let input: u64 = texts.into_iter().flatten().map(|text| self.counter.text(text)).sum();
        let output = self.counter.text(answer);
        let prices = self.prices.as_ref().map(|prices| prices.current);
        let cost = prices.and_then(|prices| prices.cost(Usage { input, output, ..Usage::default() }));
        Spending { tokens: input.saturating_add(output), cost, ..Spending::default() }
    }
}
