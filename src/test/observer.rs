//! The observer of a replay: keeps what expectations need, and judges them.

use std::collections::BTreeMap;

use crate::check::{ContextSelector, Expectation, ExpectationKind, Reading};
use crate::conversation::{Body, Message, Part};
use crate::quantity::Value;
use crate::simulate::{Options, Sent, Trace};

/// Observes one replay for some expectations.
#[derive(Clone, Debug)]
pub struct Observer<'a> {
    pub(super) expected: &'a [Expectation],
    readings: Vec<Reading>,
    contexts: BTreeMap<usize, Context>,
}

/// A context that was sent, message by message.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) call: usize,
    pub(super) messages: Vec<String>,
}

/// The verdict on an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is met.
    pub is_met: bool,
    /// What happened, as a clause: `it fires at 2, 3`.
    pub actual: String,
    /// The call that decides it, if there is one.
    pub at: Option<usize>,
}

impl<'a> Observer<'a> {
    /// An observer for these expectations.
    pub fn new(expected: &'a [Expectation]) -> Self {
        let reading = |expectation: &Expectation| match &expectation.claim {
            ExpectationKind::Fact(_, test) => Some(in_tokens(&test.reading)),
            _ => None,
        };
        let mut readings: Vec<Reading> = Vec::new();
        for reading in expected.iter().filter_map(reading) {
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
        Self { expected, readings, contexts: BTreeMap::new() }
    }

    /// The options of a replay that the expectations need.
    pub fn options(&self, options: Options) -> Options {
        let rules = self.expected.iter().any(|expectation| matches!(expectation.claim, ExpectationKind::Rule(..)));
        Options { explain_all: options.explain_all || rules, observed: self.readings.clone(), ..options }
    }

    /// Keeps a context if an expectation needs it.
    pub fn record(&mut self, sent: &Sent<'_>) {
        let which = self.expected.iter().filter_map(|expectation| match &expectation.claim {
            ExpectationKind::Context(which, _) => Some(which),
            _ => None,
        });
        let (mut is_needed, mut last) = (false, false);
        for which in which {
            match which {
                ContextSelector::At(calls) => {
                    is_needed |= calls.iter().any(|call| usize::try_from(*call) == Ok(sent.call));
                }
                ContextSelector::Every | ContextSelector::Any => is_needed = true,
                ContextSelector::Final => last = true,
            }
        }
        if last {
            self.contexts.retain(|call, _| is_needed_at(self.expected, *call));
        }
        if is_needed || last {
            let messages = sent.messages().iter().map(|message| text(message)).collect();
            self.contexts.insert(sent.call, Context { call: sent.call, messages });
        }
    }

    /// The context of a call.
    pub(super) fn context(&self, call: usize) -> Option<&Context> {
        self.contexts.get(&call)
    }

    /// All kept contexts.
    pub(super) fn contexts(&self) -> impl Iterator<Item = &Context> {
        self.contexts.values()
    }

    /// The context of the last call.
    pub(super) fn last(&self) -> Option<&Context> {
        self.contexts.values().next_back()
    }

    /// The values of a reading at the calls that were made.
    pub(super) fn values<'t>(&self, reading: &Reading, trace: &'t Trace) -> Vec<(usize, Option<&'t Value>)> {
        let wanted = in_tokens(reading);
        let Some(at) = self.readings.iter().position(|other| *other == wanted) else { return Vec::new() };
        let made = trace.calls.iter().enumerate().filter(|(_, call)| call.made);
        made.map(|(number, call)| (number, call.values.get(at).and_then(Option::as_ref))).collect()
    }
}

/// Whether an expectation needs the context of a call even if it is not the last.
fn is_needed_at(expected: &[Expectation], call: usize) -> bool {
    expected.iter().any(|expectation| match &expectation.claim {
        ExpectationKind::Context(ContextSelector::At(calls), _) => {
            calls.iter().any(|other| usize::try_from(*other) == Ok(call))
        }
        ExpectationKind::Context(ContextSelector::Every | ContextSelector::Any, _) => true,
        _ => false,
    })
}

/// The reading in tokens: a share of the window is compared in tokens.
fn in_tokens(reading: &Reading) -> Reading {
    Reading { fact: reading.fact.share_of().unwrap_or(reading.fact), ..reading.clone() }
}

/// A message as text: its role and its parts.
fn text(message: &Message) -> String {
    let parts: Vec<String> = message.parts.iter().map(part).collect();
    format!("{}: {}", message.role.word(), parts.join("\n"))
}

fn part(part: &Part) -> String {
    match &part.body {
        Body::Text(text) | Body::Thinking { text, .. } => text.to_string(),
        Body::ToolCall { name, arguments, .. } => format!("{name}({})", arguments.text()),
        Body::ToolResult(result) => result.text.to_string(),
        Body::Image { media_type, .. } => media_type.to_string(),
        Body::Other(json) => json.to_string(),
    }
}
