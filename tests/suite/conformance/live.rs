//! A live session in a window of 1,000 tokens: each reply calls a tool, and its usage is that of a provider.

use std::sync::Arc;

use trimtab::conversation::Usage;
use trimtab::effect::SummaryRequest;
use trimtab::plan::Plan;
use trimtab::run::{Answer, Environment, Next, Session};

use super::{call, long, ok, user};

/// What happened in a session.
pub(super) struct Live {
    /// The rules that were due, each with the number of the call.
    pub due: Vec<(usize, String)>,
    /// The requests to the summariser.
    pub requests: Vec<SummaryRequest>,
    session: Session,
}

/// A session whose first message has this many words, and whose replies use this many tokens of input.
pub(super) fn live(plan: &Plan, words: usize, usages: &[u64], answer: &Answer) -> Live {
    let environment = Environment { window: Some(1000), ..Environment::default() };
    let session = Session::new(Arc::new(plan.clone()), environment, 0);
    let mut live = Live { due: Vec::new(), requests: Vec::new(), session };
    let mut history = vec![Arc::new(user(&"word ".repeat(words)))];
    for (at, tokens) in usages.iter().enumerate() {
        let next = live.session.before_request(&history, None);
        live.answered(next, answer);
        let id = format!("c{at}");
        let reply = Arc::new(call(&id, "ls", &at.to_string()));
        let usage = Usage { input: *tokens, ..Usage::default() };
        let next = live.session.after_reply(&reply, Some(usage), None);
        live.answered(next, answer);
        live.note(plan, at);
        history.extend([reply, Arc::new(ok(&id, &long("result", 300)))]);
    }
    let next = live.session.before_request(&history, None);
    live.answered(next, answer);
    live.note(plan, usages.len());
    live
}

impl Live {
    /// The calls at which this rule was due, before the call or after its reply.
    pub(super) fn calls(&self, rule: &str) -> Vec<usize> {
        self.due.iter().filter(|(_, due)| due == rule).map(|(at, _)| *at).collect()
    }

    fn answered(&mut self, mut next: Next, answer: &Answer) {
        loop {
            next = match next {
                Next::Summarise(question, request, _) => {
                    self.requests.push(Arc::unwrap_or_clone(request));
                    self.session.answer(question, answer.clone())
                }
                Next::Ask(question, _) => self.session.answer(question, Answer::Continue),
                Next::Confirm(question, _) => self.session.answer(question, Answer::Confirmed),
                _ => return,
            };
        }
    }

    fn note(&mut self, plan: &Plan, at: usize) {
        let outcomes = self.session.take_outcomes();
        let due = outcomes.iter().flat_map(|(_, outcome)| &outcome.due);
        self.due.extend(due.map(|due| (at, plan.rules[due.rule].name.to_string())));
    }
}
