//! Facts: what a condition can ask of a moment in an agent's run.
//!
//! In: a moment (the conversation, its size, the run so far) and the arguments of the fact. Out: a value, or none
//! where the fact is optional or the window is unknown. It does not know policies, and changes nothing.
//! A fact is one file and two adjacent lines here: `mod` and the entry in [`FACTS`].

mod budget_calls;
mod budget_cost;
mod budget_time;
mod budget_tokens;
mod call_arguments;
mod call_name;
mod context_free;
mod context_interactions;
mod context_messages;
mod context_ratio;
mod context_results;
mod context_tokens;
mod failures;
mod failures_steps;
mod failures_total;
mod fired;
mod has_tool;
mod idle;
mod iteration;
mod moment;
mod repeats;
mod reported_ratio;
mod reported_tokens;
mod result_error;
mod result_text;
mod result_tokens;
mod run;
mod session_calls;
mod session_cost;
mod session_time;
mod session_tokens;
mod since;
mod tail;
mod used_tool;

pub use moment::{Moment, Rules, Run, Spending};
pub use tail::TailCache;

use crate::diagnostic;
use crate::quantity::{Decimal, Type, Unit, Value};

/// All facts, in the order of the reference.
pub static FACTS: &[&Fact] = &[
    &context_tokens::FACT,
    &context_ratio::FACT,
    &context_free::FACT,
    &context_messages::FACT,
    &context_results::FACT,
    &context_interactions::FACT,
    &reported_tokens::FACT,
    &reported_ratio::FACT,
    &budget_tokens::FACT,
    &budget_cost::FACT,
    &budget_time::FACT,
    &budget_calls::FACT,
    &session_tokens::FACT,
    &session_cost::FACT,
    &session_time::FACT,
    &session_calls::FACT,
    &idle::FACT,
    &iteration::FACT,
    &run::FACT,
    &failures::FACT,
    &failures_steps::FACT,
    &failures_total::FACT,
    &repeats::FACT,
    &call_name::FACT,
    &call_arguments::FACT,
    &result_tokens::FACT,
    &result_text::FACT,
    &result_error::FACT,
    &has_tool::FACT,
    &used_tool::FACT,
    &fired::FACT,
    &since::FACT,
];

/// A fact: what it is called, what it means, and how it is read.
#[derive(Debug)]
pub struct Fact {
    /// Its name, dotted.
    pub name: &'static str,
    /// What it means, in one or two sentences.
    pub summary: &'static str,
    /// Its type.
    pub ty: Type,
    /// Whether it may be unknown at a moment, so that a condition must say what holds then.
    pub optional: bool,
    /// What is missing when it is unknown at every call; none when it is always known.
    pub unknown: Option<Unknown>,
    /// Its arguments.
    pub parameters: &'static [Parameter],
    /// The values it can have.
    pub domain: Domain,
    /// For a share of the window: the fact in tokens that it is a share of. Comparisons are made in those tokens.
    pub share_of: Option<&'static Fact>,
    /// Conditions that use it; tests check them.
    pub examples: &'static [&'static str],
    /// Reads it. None when it is unknown.
    pub read: fn(&Moment<'_>, &[Value]) -> Option<Value>,
}

impl Fact {
    /// The largest value that it can have with these arguments: a window in its own unit, such as `within: 5 calls` of
    /// a number of calls, bounds it. None when nothing does.
    pub fn largest(&self, arguments: &[Value]) -> Option<Decimal> {
        let bounds = |(parameter, value): (&Parameter, &Value)| match (parameter.kind, value) {
            (ParameterKind::Number(unit, _), Value::Number(number)) if self.ty == Type::Number(unit) => Some(*number),
            _ => None,
        };
        self.parameters.iter().zip(arguments).filter_map(bounds).min()
    }
}

/// What must be there for a fact to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unknown {
    /// The context window.
    Window,
    /// A price for the model.
    Price,
    /// Timestamps.
    Time,
    /// A reply before this call.
    Reply,
    /// A tool call.
    Call,
    /// A tool result.
    Result,
    /// A firing of the rule that it is about.
    Firing,
}

/// Where facts are read: a moment of a conversation, a line of a test, a witness of the analysis.
pub trait Facts {
    /// The fact with a value for each of its parameters; none when it is unknown.
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value>;

    /// The context window in tokens; none when it is unknown or switched off by 0.
    fn window(&self) -> Option<u64>;
}

/// An argument of a fact.
#[derive(Debug)]
pub struct Parameter {
    /// Its name; the first argument may be given without it.
    pub name: &'static str,
    /// What it takes.
    pub kind: ParameterKind,
    /// What it means.
    pub summary: &'static str,
}

/// What an argument takes.
#[derive(Clone, Copy, Debug)]
pub enum ParameterKind {
    /// A number of at least one, with the value when it is left out.
    Number(Unit, u32),
    /// One of several words, the first when it is left out.
    Word(&'static [&'static str]),
    /// The name of a tool; required.
    Tool,
    /// The name of a rule of the same policy; required.
    Rule,
}

/// The values that a number can have. None has an upper end: a context may be larger than the window.
#[derive(Clone, Copy, Debug)]
pub struct Domain {
    /// The least, itself included.
    pub least: Option<Decimal>,
}

impl Domain {
    /// Every number.
    pub const ANY: Self = Self { least: None };
    /// Zero and more.
    pub const COUNT: Self = Self { least: Some(Decimal::ZERO) };

    /// Whether a number lies in it.
    pub fn holds(&self, number: Decimal) -> bool {
        self.least.is_none_or(|least| number >= least)
    }
}

/// The fact of this name.
pub fn find(name: &str) -> Option<&'static Fact> {
    FACTS.iter().find(|fact| fact.name == name).copied()
}

/// The fact whose name is nearest to a mistyped one.
pub fn nearest(name: &str) -> Option<&'static Fact> {
    diagnostic::nearest(name, FACTS.iter().map(|fact| fact.name)).and_then(find)
}

/// The text argument at a position; empty when it is not text.
fn text(arguments: &[Value], at: usize) -> &str {
    match arguments.get(at) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}

/// The number argument at a position; 0 when it is none.
fn number(arguments: &[Value], at: usize) -> usize {
    match arguments.get(at) {
        Some(Value::Number(number)) => usize::try_from(crate::quantity::whole(*number)).unwrap_or(usize::MAX),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_fact_has_an_example() {
        let mut names: Vec<&str> = FACTS.iter().map(|fact| fact.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FACTS.len());
        assert!(FACTS.iter().all(|fact| !fact.examples.is_empty() && fact.summary.ends_with('.')));
    }

    #[test]
    fn a_fact_that_may_be_unknown_says_what_is_missing_then() {
        for fact in FACTS {
            let only_window = matches!(fact.unknown, None | Some(Unknown::Window));
            assert_eq!(fact.optional, !only_window, "{}", fact.name);
        }
    }

    #[test]
    fn a_share_names_a_fact_in_tokens() {
        let mut shares = FACTS.iter().filter_map(|fact| fact.share_of);
        assert!(shares.all(|fact| fact.ty == Type::Number(Unit::Tokens)));
    }
}
