//! Checked policies: names are resolved to descriptors, and numbers have units.

use std::sync::Arc;

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Value};
use trimtab_base::source::{Span, Spanned};
use trimtab_model::model::Models;
pub use trimtab_syntax::syntax::tree::Comparison;

use super::host_fact::HostFact;
use crate::effect::{self, Effect, Operation, Target};
use crate::fact::{Fact, HostValues, Scope};
use crate::phase::Phase;

/// The `agent` block: facts about the host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Agent {
    /// The model's id.
    pub model: Option<Spanned<SmolStr>>,
    /// The context window in tokens.
    pub window: Option<Spanned<u64>>,
    /// Tokens kept free for the reply.
    pub reserve: Option<u64>,
    /// Tokens of the system prompt and tool schemas, for recordings that do not contain them.
    pub overhead: Option<u64>,
    /// The declared tools, if the block lists them.
    pub tools: Option<Vec<SmolStr>>,
    /// The facts that the host supplies, also those of imported files.
    pub facts: Vec<HostFact>,
    /// The span of each field from its keyword to the end of its value, by keyword.
    pub places: Vec<(&'static str, Span)>,
    /// Where the model is looked up: in the embedded table, with the models of the project.
    pub models: Models,
}

impl Agent {
    /// These values, with missing ones taken from the defaults.
    pub fn with_defaults(self, defaults: &Self) -> Self {
        let mut places = self.places;
        let added = defaults.places.iter().filter(|(word, _)| places.iter().all(|(own, _)| own != word));
        let added: Vec<_> = added.copied().collect();
        places.extend(added);
        Self {
            model: self.model.or_else(|| defaults.model.clone()),
            window: self.window.or(defaults.window),
            reserve: self.reserve.or(defaults.reserve),
            overhead: self.overhead.or(defaults.overhead),
            tools: self.tools.or_else(|| defaults.tools.clone()),
            facts: self.facts,
            places,
            models: self.models,
        }
    }

    /// The declaration of the fact with this name.
    pub fn fact(&self, name: &str) -> Option<&HostFact> {
        self.facts.iter().find(|fact| fact.name.node == name)
    }

    /// The values of the declared facts before the host supplies any.
    pub fn host_defaults(&self) -> HostValues {
        self.facts.iter().filter_map(|fact| Some((fact.name.node.clone(), fact.default.clone()?))).collect()
    }

    /// The span of the field with this keyword.
    pub fn place(&self, word: &str) -> Option<Span> {
        self.places.iter().find(|(other, _)| *other == word).map(|(_, span)| *span)
    }
}

/// A policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// Its name.
    pub name: SmolStr,
    /// Its description.
    pub title: Option<String>,
    /// The policy that it extends.
    pub base: Option<SmolStr>,
    /// All policies that it extends, directly or through others, the nearest first, with the spans of their names.
    pub bases: Vec<Spanned<SmolStr>>,
    /// Its rules, including inherited ones, in the order in which they are tried.
    pub rules: Vec<Rule>,
    /// The inherited rules that it, or a policy that it extends, disables.
    pub disabled: Vec<Disabled>,
    /// Its span.
    pub span: Span,
}

/// A disabled rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disabled {
    /// The rule.
    pub rule: SmolStr,
    /// The policy in which it was written.
    pub origin: SmolStr,
    /// The policy that disables it.
    pub policy: SmolStr,
    /// The author's reason.
    pub why: Option<String>,
    /// The span of the rule's name.
    pub head: Span,
    /// The span of the `disable` item.
    pub span: Span,
}

/// The origin of a rule. The origin of each clause follows from the clause's span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The policy in which it was written.
    pub policy: SmolStr,
    /// The policies that override it, in order, each with the span of the overriding rule.
    pub overrides: Vec<Spanned<SmolStr>>,
    /// The span of the `before` or `after` that positions it.
    pub placed: Option<Span>,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name, which identifies its state.
    pub name: SmolStr,
    /// The phase in which it is tried.
    pub phase: Phase,
    /// Its `when`, which guards see.
    pub when: Condition,
    /// Its `unless`, which blocks the rule like a guard.
    pub unless: Option<Condition>,
    /// When it may fire: `when` and not `unless`.
    pub condition: Condition,
    /// Its guards in source order.
    pub guards: Vec<RuleGuard>,
    /// The question that a person confirms before its actions run, if it asks one.
    pub confirm: Option<Template>,
    /// Its actions in order.
    pub actions: Vec<Action>,
    /// The `on_failure` clause.
    pub on_failure: OnFailure,
    /// The span of each clause by its keyword, in source order.
    pub clauses: Vec<(&'static str, Span)>,
    /// Whether policies that extend this one must leave it as it is: not overridden, not disabled, nothing placed before it.
    pub sealed: bool,
    /// Its origin.
    pub origin: Origin,
    /// The span of its name.
    pub head: Span,
    /// Its span.
    pub span: Span,
}

impl Rule {
    /// The span of the clause with this keyword.
    pub fn clause(&self, word: &str) -> Option<Span> {
        self.clauses.iter().find(|(other, _)| *other == word).map(|(_, span)| *span)
    }

    /// The span of its condition: its `when`, or else its `unless`.
    pub fn condition_span(&self) -> Option<Span> {
        self.clause("when").or_else(|| self.clause("unless"))
    }
}

/// A boolean combination of tests.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Always or never.
    Constant(bool),
    /// All of these.
    All(Vec<Condition>),
    /// At least one of these.
    Any(Vec<Condition>),
    /// Not this.
    Not(Box<Condition>),
    /// One test.
    Test(Test),
}

/// A test of one fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The fact that is tested.
    pub reading: Reading,
    /// What must be true of it.
    pub relation: Relation,
    /// Its span.
    pub span: Span,
}

/// A fact with its arguments.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The fact.
    pub fact: &'static Fact,
    /// A value for each parameter, in their order.
    pub arguments: Vec<Value>,
    /// The facts that it compares with what the rule saw when it last fired, in the order of their text. Their text is
    /// also among the arguments. Empty for other facts.
    pub compared: Vec<Self>,
    /// What it is where it is unknown: `?? …`.
    pub fallback: Option<Value>,
    /// Its span.
    pub span: Span,
}

impl Reading {
    /// A reading without a fallback.
    pub const fn new(fact: &'static Fact, arguments: Vec<Value>, span: Span) -> Self {
        Self { fact, arguments, compared: Vec::new(), fallback: None, span }
    }
}

impl PartialEq for Reading {
    /// Readings are equal if fact, arguments and fallback are; spans are ignored.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.fact, other.fact) && self.arguments == other.arguments && self.fallback == other.fallback
    }
}

/// What a test requires of a fact.
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

/// A guard of a rule with its scope.
#[derive(Clone, Debug)]
pub struct RuleGuard {
    /// The guard.
    pub node: Guard,
    /// How far back it remembers, and in what it counts iterations.
    pub scope: Scope,
    /// The span of its clause.
    pub span: Span,
}

/// A guard: what a rule requires beside its condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    /// At most once.
    Once,
    /// Again only if the fact is above its value at the last firing.
    OncePer(Reading),
    /// Again only after this condition has held.
    OnceUntil(Condition),
    /// Once the condition has been true, at every attempt until this condition is true.
    Until(Condition),
    /// Only at multiples of this number of iterations, not at 0.
    Every(u64),
    /// Not again for this number of iterations.
    Cooldown(u64),
    /// At most this number of times.
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
    /// The span of the label and its value; `None` for a default.
    pub span: Option<Span>,
}

/// The value of a label; a prompt is replaced by its text.
pub type Argument = effect::Argument<Template, Reading>;

/// A text with placeholders for facts and for the effect's own names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// Its pieces in order; lets are replaced by their values.
    pub pieces: Vec<TextPiece>,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum TextPiece {
    /// Literal text.
    Literal(String),
    /// A fact, formatted with its unit.
    Fact(Reading),
    /// One of the effect's own variables.
    Variable(SmolStr),
}

/// The `on_failure` clause.
#[derive(Clone, Debug)]
pub struct OnFailure {
    /// The number of retries.
    pub retries: u32,
    /// What happens after the retries.
    pub then: FailureAction,
}

/// What happens after a failed summary.
#[derive(Clone, Debug)]
pub enum FailureAction {
    /// Nothing.
    Keep,
    /// The run stops.
    Stop,
    /// The host asks a person whether to continue or to retry.
    Ask,
    /// Another effect is applied.
    Then(Box<Action>),
}
