//! The checked policy: names resolved to descriptors, numbers to units, every state a meaningful one.

use std::sync::Arc;

use smol_str::SmolStr;

use super::case::Case;
pub use super::sign::Comparison;
use crate::effect::{self, Effect, Operation, Target};
use crate::fact::Fact;
use crate::phase::Phase;
use crate::quantity::{Decimal, Value};
use crate::source::{Span, Spanned};

/// A checked file.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What the file says of its host.
    pub agent: Agent,
    /// Its policies in the order written.
    pub policies: Vec<Policy>,
    /// The policies of the files that it uses.
    pub used: Vec<Policy>,
    /// What each `use` in it brings in, in the order written.
    pub uses: Vec<Brought>,
    /// Its prompts and those that it brings in, by name, and where they are named.
    pub prompts: Vec<Spanned<SmolStr>>,
    /// Its tests in the order written.
    pub tests: Vec<Case>,
}

/// What a `use` brings in.
#[derive(Clone, Debug)]
pub struct Brought {
    /// The `use`.
    pub span: Span,
    /// The names, sorted; those that the used file brings in itself are among them.
    pub names: Vec<SmolStr>,
    /// Whether the used file says something of the host.
    pub agent: bool,
}

/// Facts about the host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agent {
    /// The model's id.
    pub model: Option<Spanned<SmolStr>>,
    /// The context window in tokens.
    pub window: Option<Spanned<u64>>,
    /// Tokens kept free for the reply.
    pub reserve: Option<u64>,
    /// Tokens of system prompt and tool schemas, for what a recording does not hold.
    pub overhead: Option<u64>,
    /// The declared tools; none when the file does not say.
    pub tools: Option<Vec<SmolStr>>,
    /// Where each value stands, by its word, from its word to its end.
    pub places: Vec<(&'static str, Span)>,
}

impl Agent {
    /// What it says, and where it does not say, what the other says: its own values win, gaps are filled.
    pub fn under(self, other: &Self) -> Self {
        let mut places = self.places;
        let filled = other.places.iter().filter(|(word, _)| places.iter().all(|(own, _)| own != word));
        let filled: Vec<_> = filled.copied().collect();
        places.extend(filled);
        Self {
            model: self.model.or_else(|| other.model.clone()),
            window: self.window.or(other.window),
            reserve: self.reserve.or(other.reserve),
            overhead: self.overhead.or(other.overhead),
            tools: self.tools.or_else(|| other.tools.clone()),
            places,
        }
    }

    /// Where the value behind this word stands.
    pub fn place(&self, word: &str) -> Option<Span> {
        self.places.iter().find(|(other, _)| *other == word).map(|(_, span)| *span)
    }
}

/// A policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name.
    pub name: SmolStr,
    /// What it is for.
    pub title: Option<String>,
    /// The policy that it extends.
    pub base: Option<SmolStr>,
    /// All policies that it builds on, the nearest first, and where their names stand.
    pub bases: Vec<Spanned<SmolStr>>,
    /// Its rules in the order in which they are tried, inherited ones too.
    pub rules: Vec<Rule>,
    /// The rules that it, or one that it builds on, has disabled.
    pub disabled: Vec<Disabled>,
    /// Where it stands.
    pub span: Span,
}

/// A rule of a base that a policy goes without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disabled {
    /// The rule.
    pub rule: SmolStr,
    /// The policy that it was written in.
    pub origin: SmolStr,
    /// The policy that disables it.
    pub policy: SmolStr,
    /// Why, in the author's words.
    pub why: Option<String>,
    /// Where the rule's name stands.
    pub head: Span,
    /// Where it is disabled.
    pub span: Span,
}

/// Where a rule comes from. Where each of its clauses comes from, the clause's own place tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The policy that it was written in.
    pub policy: SmolStr,
    /// The policies that override it, in turn, each with the place of the overriding rule.
    pub overrides: Vec<Spanned<SmolStr>>,
    /// Where `before` or `after` gives it its place.
    pub placed: Option<Span>,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, by which its state is kept.
    pub name: SmolStr,
    /// When it is tried.
    pub phase: Phase,
    /// When it is due: `when` and not `unless`.
    pub condition: Condition,
    /// For a rule with `until`: its `unless`, which holds it back also while `until` keeps it due.
    pub unless: Option<Condition>,
    /// What else holds it back, in the order written.
    pub guards: Vec<Spanned<Guard>>,
    /// What it does, in turn.
    pub actions: Vec<Action>,
    /// What happens when a summary fails.
    pub on_failure: OnFailure,
    /// Where each of its clauses stands, by the clause's first word, in the order written.
    pub clauses: Vec<(&'static str, Span)>,
    /// Whether it may be neither overridden nor disabled, nor anything be placed before it.
    pub sealed: bool,
    /// Where it comes from.
    pub origin: Origin,
    /// Where its name stands.
    pub head: Span,
    /// Where it stands.
    pub span: Span,
}

impl Rule {
    /// Where the clause with this first word stands.
    pub fn clause(&self, word: &str) -> Option<Span> {
        self.clauses.iter().find(|(other, _)| *other == word).map(|(_, span)| *span)
    }

    /// Where its condition stands: its `when`, or else its `unless`.
    pub fn cause(&self) -> Option<Span> {
        self.clause("when").or_else(|| self.clause("unless"))
    }
}

/// A boolean combination of tests.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Always or never.
    Constant(bool),
    /// All of them.
    All(Vec<Condition>),
    /// Any of them.
    Any(Vec<Condition>),
    /// Not this.
    Not(Box<Condition>),
    /// One test.
    Test(Test),
}

/// One test of one fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// What is read.
    pub reading: Reading,
    /// What it is held against.
    pub relation: Relation,
    /// Where it stands.
    pub span: Span,
}

/// A fact with its arguments.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The fact.
    pub fact: &'static Fact,
    /// A value for each parameter, in their order.
    pub arguments: Vec<Value>,
    /// What it is where it is unknown: `?? …`.
    pub fallback: Option<Value>,
    /// Where it stands.
    pub span: Span,
}

impl PartialEq for Reading {
    /// Two readings are the same when fact, arguments and fallback are, wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.fact.name == other.fact.name && self.arguments == other.arguments && self.fallback == other.fallback
    }
}

/// What a fact is held against.
#[derive(Clone, Debug, PartialEq)]
pub enum Relation {
    /// It is true.
    Holds,
    /// It is known.
    Known,
    /// A comparison with a constant.
    Compare(Comparison, Operand),
    /// It is one of these.
    OneOf(Vec<Value>),
    /// Its text contains this.
    Contains(SmolStr),
}

/// The constant of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A value of the fact's own type.
    Value(Value),
    /// A share of the window, for a fact in tokens or for a share of the window itself.
    ShareOfWindow(Decimal),
}

/// What holds a rule back beside its condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    /// Once a run.
    Once,
    /// Again when the fact is above its value at the last firing.
    OncePer(Reading),
    /// Once, and again after the condition has held.
    OnceUntil(Condition),
    /// From the first time its condition holds, at every try until this holds.
    Until(Condition),
    /// At multiples of so many iterations, not at 0.
    Every(u64),
    /// Not for so many iterations after it fired.
    Cooldown(u64),
    /// So many times a run.
    Limit(u64),
}

/// An effect with its arguments.
#[derive(Clone, Debug)]
pub struct Action {
    /// The effect.
    pub effect: &'static Effect,
    /// The target, for effects that have one.
    pub target: Option<&'static Target>,
    /// The text after the effect's name, for effects that take one.
    pub text: Option<Template>,
    /// The labels that are given, and the defaults of the others.
    pub labels: Vec<Label>,
    /// Its location.
    pub span: Span,
    /// The effect with these arguments, ready to run.
    pub(super) operation: Arc<dyn Operation>,
}

/// A label of an action.
#[derive(Clone, Debug)]
pub struct Label {
    /// The descriptor.
    pub descriptor: &'static effect::Label,
    /// The value.
    pub argument: Argument,
    /// The location of the name and the value; none for a default.
    pub span: Option<Span>,
}

/// The value of a label. A prompt is replaced by its text.
pub type Argument = effect::Argument<Template>;

/// A text with places for facts and for the effect's own names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// Its pieces in order; lets are folded into literals.
    pub pieces: Vec<Piece>,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text as it stands.
    Literal(String),
    /// A fact, shown with its unit.
    Fact(Reading),
    /// One of the effect's own variables.
    Variable(SmolStr),
}

/// What happens when a summary fails.
#[derive(Clone, Debug)]
pub struct OnFailure {
    /// How often it is tried again first.
    pub retries: u32,
    /// What comes then.
    pub then: Failing,
}

/// The end of a failed summary.
#[derive(Clone, Debug)]
pub enum Failing {
    /// Everything stays as it was.
    Keep,
    /// The run stops.
    Stop,
    /// The host asks a person whether to go on or to try again.
    Ask,
    /// Another effect is applied.
    Then(Box<Action>),
}
