//! The observer of a replay: keeps what expectations need, and judges them.

mod context;
mod scan;

use trimtab_base::quantity::Value;
use trimtab_language::check::{Expectation, ExpectationKind, Reading};
use trimtab_simulate::simulate::{Options, Sent, Trace};

pub(super) use self::context::{Context, ContextWatch, SHOWN};
pub(super) use self::scan::text;

/// Observes one replay for some expectations.
#[derive(Clone, Debug)]
pub struct Observer<'a> {
    pub(super) expected: &'a [Expectation],
    readings: Vec<Reading>,
    /// Those that follow contexts, by the index of the expectation.
    contexts: Vec<(usize, ContextWatch<'a>)>,
}

/// The verdict on an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationResult {
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
        let watch = |(at, expectation): (usize, &'a Expectation)| match &expectation.claim {
            ExpectationKind::Context(which, pattern) => Some((at, ContextWatch::new(which, pattern))),
            _ => None,
        };
        Self { expected, readings, contexts: expected.iter().enumerate().filter_map(watch).collect() }
    }

    /// The options of a replay that the expectations need.
    pub fn options(&self, options: Options) -> Options {
        let rules = self.expected.iter().any(|expectation| matches!(expectation.claim, ExpectationKind::Rule(..)));
        Options { explain_all: options.explain_all || rules, observed: self.readings.clone(), ..options }
    }

    /// Records a context that is sent.
    pub fn record(&mut self, sent: &Sent<'_>) {
        self.contexts.iter_mut().for_each(|(_, watch)| watch.record(sent));
    }

    /// What is known of the contexts for the expectation at an index.
    pub(super) fn contexts(&self, expectation: usize) -> Option<&ContextWatch<'a>> {
        let at = self.contexts.binary_search_by_key(&expectation, |(at, _)| *at).ok()?;
        self.contexts.get(at).map(|(_, watch)| watch)
    }

    /// The values of a reading at the calls that were made.
    pub(super) fn values<'t>(&self, reading: &Reading, trace: &'t Trace) -> Vec<(usize, Option<&'t Value>)> {
        let wanted = in_tokens(reading);
        let Some(at) = self.readings.iter().position(|other| *other == wanted) else { return Vec::new() };
        let made = trace.calls.iter().enumerate().filter(|(_, call)| call.made);
        made.map(|(number, call)| (number, call.values.get(at).and_then(Option::as_ref))).collect()
    }
}

/// The reading in tokens: a share of the window is compared in tokens.
fn in_tokens(reading: &Reading) -> Reading {
    Reading { fact: reading.fact.share_of().unwrap_or(reading.fact), ..reading.clone() }
}
