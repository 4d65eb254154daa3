//! Requests that a session has prepared, and what rules have done to them.

use trimtab_language::effect::Signal;
use trimtab_language::phase::Phase;
use trimtab_live::request::{ElementEdit, RecentRequest, Rendered, RequestText};
use trimtab_run::run::{self, Outcome};

use super::reply::RequestHandle;

/// A request that is ready to be sent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PreparedRequest {
    /// The JSON to send, in the shape of the request that was given; the same text if nothing was edited.
    pub json: RequestText,
    /// The same as edits of the list of messages, in the order of the new list.
    pub edits: Vec<ElementEdit>,
    /// The tools that are not offered to the model for this request. A body has no declaration of them any more; a host
    /// that gives only the list leaves them out itself.
    pub hidden_tools: Vec<String>,
    /// Texts to add at the end of the system prompt of this request. Empty if a body was given, since they are in it.
    pub prompt_additions: Vec<String>,
    /// The estimated size of the context in tokens.
    pub tokens: u64,
    /// What rules have done since the last request.
    pub firings: Vec<RuleFiring>,
    /// The summaries that have failed since the last request, after all retries. The conversation keeps what they would
    /// have replaced.
    pub failed_summaries: Vec<FailedSummary>,
    /// Tells which request the reply answers.
    pub handle: RequestHandle,
}

/// A summary that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedSummary {
    /// The name of the rule.
    pub rule: String,
    /// Why the last attempt failed.
    pub reason: String,
}

/// What one rule did at one moment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RuleFiring {
    /// The name of the rule.
    pub rule: String,
    /// The number of edits.
    pub edits: usize,
    /// The tokens that the edits removed; negative if they added some.
    pub tokens_saved: i64,
    /// The text for the host, if the rule sent one.
    pub notice: Option<String>,
    /// All signals of the rule to the host in order, the text included.
    pub signals: Vec<Signal>,
}

/// A request as a session sends it.
pub(super) fn prepared(request: &mut RecentRequest, session: &mut run::Session) -> PreparedRequest {
    let (firings, failed_summaries) = firings(session);
    let handle = RequestHandle { call: session.call(), dialect: request.dialect() };
    let Rendered { json, edits, hidden_tools, prompt_additions } = request.render(session);
    let tokens = session.tokens();
    PreparedRequest { json, edits, hidden_tools, prompt_additions, tokens, firings, failed_summaries, handle }
}

/// What rules have done since the last call, and which summaries have failed.
pub(super) fn firings(session: &mut run::Session) -> (Vec<RuleFiring>, Vec<FailedSummary>) {
    let outcomes: Vec<(Phase, Outcome)> = session.take_outcomes();
    let rules = &session.plan().rules;
    let (mut firings, mut failed) = (Vec::new(), Vec::new());
    for (_, outcome) in outcomes {
        for due in outcome.due {
            let rule = rules[due.rule].name.clone();
            failed.extend(due.failure.map(|reason| FailedSummary { rule: rule.to_string(), reason }));
            let Some(firing) = due.firing else { continue };
            let of_rule = outcome.signals.iter().filter(|given| given.rule == rule);
            let signals: Vec<Signal> = of_rule.map(|given| given.signal.clone()).collect();
            let notice = signals.iter().find_map(Signal::notice).map(str::to_owned);
            let saved = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
            let saved = firing.receipts.iter().map(|receipt| saved(receipt.before) - saved(receipt.after)).sum();
            let edits = firing.receipts.len();
            firings.push(RuleFiring { rule: rule.to_string(), edits, tokens_saved: saved, notice, signals });
        }
    }
    (firings, failed)
}
