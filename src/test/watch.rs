//! What a replay must keep for expectations to be judged, and the judgement.

use std::collections::BTreeMap;

use super::judge::judge;
use crate::check::{Claim, Expectation, Reading, Which};
use crate::conversation::{Body, Entry, Message, Part};
use crate::quantity::Value;
use crate::simulate::{Options, Sent, Trace};

/// Watches one replay for some expectations.
#[derive(Clone, Debug)]
pub struct Watch<'a> {
    expected: &'a [Expectation],
    readings: Vec<Reading>,
    kept: BTreeMap<usize, Context>,
}

/// A context that was sent, message by message.
#[derive(Clone, Debug)]
pub(super) struct Context {
    pub(super) call: usize,
    pub(super) messages: Vec<String>,
}

/// What came of an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it was met.
    pub held: bool,
    /// What was seen, as a clause: `it fires at 2, 3`.
    pub seen: String,
    /// The call at which it was decided, where one can be named.
    pub at: Option<usize>,
}

impl<'a> Watch<'a> {
    /// A watch for these expectations.
    pub fn new(expected: &'a [Expectation]) -> Self {
        let reading = |one: &Expectation| match &one.claim {
            Claim::Fact(_, test) => Some(watched(&test.reading)),
            _ => None,
        };
        let mut readings: Vec<Reading> = Vec::new();
        for reading in expected.iter().filter_map(reading) {
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
        Self { expected, readings, kept: BTreeMap::new() }
    }

    /// The options of a replay with what the expectations need.
    pub fn options(&self, options: Options) -> Options {
        let rules = self.expected.iter().any(|one| matches!(one.claim, Claim::Rule(..)));
        Options { follow: options.follow || rules, watched: self.readings.clone(), ..options }
    }

    /// Keeps what is needed of a context.
    pub fn see(&mut self, sent: &Sent<'_>) {
        let which = self.expected.iter().filter_map(|one| match &one.claim {
            Claim::Context(which, _) => Some(which),
            _ => None,
        });
        let (mut stays, mut last) = (false, false);
        for which in which {
            match which {
                Which::At(calls) => stays |= calls.iter().any(|call| usize::try_from(*call) == Ok(sent.call)),
                Which::Every | Which::Any => stays = true,
                Which::Final => last = true,
            }
        }
        if last {
            self.kept.retain(|call, _| stays_for(self.expected, *call));
        }
        if stays || last {
            let messages = sent.conversation.entries().iter().map(Entry::message).chain(sent.views);
            let messages = messages.map(text).collect();
            self.kept.insert(sent.call, Context { call: sent.call, messages });
        }
    }

    /// What came of each expectation, in order.
    pub fn judge(&self, trace: &Trace) -> Vec<Verdict> {
        self.expected.iter().map(|one| judge(&one.claim, trace, self)).collect()
    }

    /// The context of a call.
    pub(super) fn context(&self, call: usize) -> Option<&Context> {
        self.kept.get(&call)
    }

    /// All contexts that were kept.
    pub(super) fn contexts(&self) -> impl Iterator<Item = &Context> {
        self.kept.values()
    }

    /// The context of the last call.
    pub(super) fn last(&self) -> Option<&Context> {
        self.kept.values().next_back()
    }

    /// The values of a fact at the calls that were made.
    pub(super) fn values<'t>(&self, reading: &Reading, trace: &'t Trace) -> Vec<(usize, Option<&'t Value>)> {
        let wanted = watched(reading);
        let Some(at) = self.readings.iter().position(|other| *other == wanted) else { return Vec::new() };
        let made = trace.calls.iter().enumerate().filter(|(_, call)| call.made);
        made.map(|(number, call)| (number, call.values.get(at).and_then(Option::as_ref))).collect()
    }
}

/// Whether a context is wanted for another reason than being the last.
fn stays_for(expected: &[Expectation], call: usize) -> bool {
    expected.iter().any(|one| match &one.claim {
        Claim::Context(Which::At(calls), _) => calls.iter().any(|other| usize::try_from(*other) == Ok(call)),
        Claim::Context(Which::Every | Which::Any, _) => true,
        _ => false,
    })
}

/// What is read: a share of the window is read in tokens, in which it is compared.
fn watched(reading: &Reading) -> Reading {
    Reading { fact: reading.fact.share_of().unwrap_or(reading.fact), ..reading.clone() }
}

/// A message as text: its role, then its parts.
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
