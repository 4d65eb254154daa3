//! The cost of a replay if the provider caches prompts: what a request has in common with the previous one is read from
//! the cache, and the rest is written to it.

use trimtab::check::Reading;
use trimtab::conversation::{Counter, Message, Role};
use trimtab::effect::SummaryRequest;
use trimtab::fact;
use trimtab::model::{Estimate, Prices};
use trimtab::quantity::{Decimal, Value};
use trimtab::simulate::{Basis, Extract, Sent, Summariser, Trace};
use trimtab::source::{SourceId, Span};
use trimtab::transcript::Transcript;

/// How long a provider keeps an unused prefix.
const TIME_TO_LIVE: u32 = 300;

/// The fact that tells how long the cache was not used; a replay must observe it first.
pub(crate) fn idle() -> Reading {
    let fact = fact::find("idle").unwrap();
    Reading::new(fact, Vec::new(), Span::new(SourceId(0), 0, 0))
}

/// Collects the requests of a replay.
pub(crate) struct CostMeter {
    counter: Estimate,
    prices: Option<Prices>,
    /// The output of each recorded reply.
    output: Vec<u64>,
    previous: Vec<Message>,
    /// The tokens of each request that its predecessor does not contain; none for the first one, which is new as a whole.
    new: Vec<(usize, Option<u64>)>,
}

impl CostMeter {
    pub(crate) fn new(basis: &Basis, transcript: &Transcript) -> Self {
        let replies = transcript.messages.iter().filter(|message| message.role == Role::Assistant);
        let output = replies.map(|reply| reply.usage.unwrap_or_default().output).collect();
        let (counter, prices) = (basis.counter, basis.agent.prices);
        Self { counter, prices, output, previous: Vec::new(), new: Vec::new() }
    }

    pub(crate) fn add(&mut self, sent: &Sent<'_>) {
        let messages: Vec<Message> = sent.messages().iter().map(|message| message.as_ref().clone()).collect();
        let shared = messages.iter().zip(&self.previous).take_while(|(new, old)| new == old).count();
        let tokens = messages[shared..].iter().map(|message| self.counter.message(message)).sum();
        self.new.push((sent.call, (!self.previous.is_empty()).then_some(tokens)));
        self.previous = messages;
    }

    /// The cost of all requests, replies and summaries; none if the prices are unknown.
    pub(crate) fn cost(&self, trace: &Trace, summaries: &MeteredSummariser) -> Option<Decimal> {
        let prices = self.prices?;
        let mut cost = Decimal::from(summaries.input) * prices.input + Decimal::from(summaries.output) * prices.output;
        for &(call, new) in &self.new {
            let (sent, is_cold) = (&trace.calls[call], is_cold(trace.calls[call].values.first()));
            let written = if is_cold { sent.after } else { new.map_or(sent.after, |new| new.min(sent.after)) };
            cost += Decimal::from(written) * prices.cache_write
                + Decimal::from(sent.after - written) * prices.cache_read
                + Decimal::from(self.output[call]) * prices.output;
        }
        Some(cost / Decimal::from(1_000_000))
    }
}

/// Whether the cache has expired before a call.
fn is_cold(idle: Option<&Option<Value>>) -> bool {
    matches!(idle, Some(Some(Value::Number(seconds))) if *seconds >= Decimal::from(TIME_TO_LIVE))
}

/// The built-in summariser, with the tokens that a model would have used for its summaries.
pub(crate) struct MeteredSummariser {
    counter: Estimate,
    input: u64,
    output: u64,
}

impl MeteredSummariser {
    pub(crate) fn new(basis: &Basis) -> Self {
        Self { counter: basis.counter, input: 0, output: 0 }
    }
}

impl Summariser for MeteredSummariser {
    fn summarise(&mut self, request: &SummaryRequest, number: u64) -> Result<String, String> {
        let texts = [Some(&request.instructions), request.previous.as_ref(), Some(&request.transcript)];
        self.input += texts.into_iter().flatten().map(|text| self.counter.text(text)).sum::<u64>();
        let answer = Extract.summarise(request, number)?;
        self.output += self.counter.text(&answer);
        Ok(answer)
    }
}
