//! Parameters of facts, and their arguments with Rust types.

use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use trimtab_base::conversation::any_matches;
use trimtab_base::quantity::{Counted, Unit, Value, whole};

use super::recent::{Recent, RecentDefault};
use super::scope::Scope;

/// A parameter of a fact.
#[derive(Debug)]
pub struct Parameter {
    /// Its name. The first argument of a fact may be written without it.
    pub name: &'static str,
    /// The arguments that it accepts.
    pub kind: ParameterKind,
    /// Its meaning.
    pub summary: &'static str,
}

impl Parameter {
    /// Whether this argument is the one that stands for none.
    pub fn is_omitted(&self, argument: &Value) -> bool {
        match (self.kind, argument) {
            (ParameterKind::Limit(_), Value::Number(limit)) => limit.is_zero(),
            (ParameterKind::OwnRule, _) => true,
            (ParameterKind::Scope(default), Value::Text(word)) => word == default.word(),
            (ParameterKind::Recent(..), argument) => Recent::read(argument).is_none(),
            (ParameterKind::Tools | ParameterKind::AfterTools | ParameterKind::Facts, Value::Text(names)) => {
                names.is_empty()
            }
            _ => false,
        }
    }
}

/// The arguments that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A number of at least one, with its default.
    Number(Unit, u32),
    /// A number of at least one. Without it there is no limit, which is written as 0 among the arguments.
    Limit(Unit),
    /// One of the words of [`CallsFrom`]; the first is the default.
    CallsFrom,
    /// One of the words of [`Scope`], with the default.
    Scope(Scope),
    /// How far back to look, in one of these units: see [`Recent`].
    Recent(&'static [Unit], RecentDefault),
    /// Names of tools, which may end in `*`. Among the arguments they are one text, sorted and joined by commas; it is
    /// empty without them, and then all tools are meant.
    Tools,
    /// Names of tools like [`Self::Tools`], of which the newest call begins what counts: only what came after it does. It is
    /// empty without them, and then everything counts.
    AfterTools,
    /// Texts; required. Among the arguments they are one text; see [`texts_argument`].
    Texts,
    /// The name of a tool; required.
    Tool,
    /// The name of a rule of the same policy; required.
    Rule,
    /// The name of a variable; required.
    Variable,
    /// The name of a fact that the host supplies, which is written after `host.`; required.
    HostFact,
    /// The rule in which the fact is read. It is not written.
    OwnRule,
    /// Any number of facts with their arguments. Among the arguments they are one text, sorted and joined by commas.
    Facts,
}

/// Where the calls come from that a fact counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallsFrom {
    /// The messages that are in the context now.
    Context,
    /// The whole run, whatever edits removed from the context.
    Run,
}

impl CallsFrom {
    /// The words of both; the first is the default.
    pub const WORDS: [&'static str; 2] = [Self::Context.word(), Self::Run.word()];

    /// The word in a policy.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Run => "run",
        }
    }

    /// The place with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Context, Self::Run].into_iter().find(|from| from.word() == word)
    }
}

/// The Rust type of an argument.
pub(super) trait ArgumentType {
    type Value<'a>;

    fn read(value: &Value) -> Option<Self::Value<'_>>;
}

/// A whole number.
pub(super) enum Number {}

/// A whole number, or none.
pub(super) enum Limit {}

/// The name of a tool or a rule.
pub(super) enum Name {}

/// Tools; see [`ParameterKind::Tools`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tools<'a>(&'a str);

impl<'a> Tools<'a> {
    #[cfg(test)]
    pub(super) const fn new(names: &'a str) -> Self {
        Self(names)
    }

    /// The names as they are among the arguments; empty if all tools are meant.
    pub(super) const fn key(self) -> &'a str {
        self.0
    }

    /// Whether a tool is one of them. A result without a known tool belongs to none.
    pub(super) fn includes(self, tool: Option<&str>) -> bool {
        self.0.is_empty() || tool.is_some_and(|tool| any_matches(tool_names(self.0), tool))
    }
}

/// The names in an argument that is a list of tools.
pub fn tool_names(argument: &str) -> impl Iterator<Item = &str> {
    argument.split(',').filter(|name| !name.is_empty())
}

/// The argument for these tools.
pub fn tools_argument<'a>(names: impl IntoIterator<Item = &'a str>) -> Value {
    let names: BTreeSet<&str> = names.into_iter().collect();
    Value::Text(names.into_iter().collect::<Vec<_>>().join(",").into())
}

/// The texts in an argument that is a list of texts.
pub fn argument_texts(argument: &str) -> Vec<String> {
    serde_json::from_str(argument).unwrap_or_default()
}

/// The argument for these texts: a JSON list, sorted.
pub fn texts_argument<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value {
    let texts: BTreeSet<&str> = texts.into_iter().collect();
    Value::Text(serde_json::json!(texts).to_string().into())
}

/// Texts; see [`ParameterKind::Texts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Texts<'a>(&'a str);

impl<'a> Texts<'a> {
    #[cfg(test)]
    pub(super) const fn new(argument: &'a str) -> Self {
        Self(argument)
    }

    /// The texts as they are among the arguments.
    pub(super) const fn key(self) -> &'a str {
        self.0
    }

    pub(super) fn list(self) -> Vec<String> {
        argument_texts(self.0)
    }
}

impl ArgumentType for Texts<'static> {
    type Value<'a> = Texts<'a>;

    fn read(value: &Value) -> Option<Texts<'_>> {
        match value {
            Value::Text(texts) => Some(Texts(texts)),
            _ => None,
        }
    }
}

impl ArgumentType for Number {
    type Value<'a> = usize;

    fn read(value: &Value) -> Option<usize> {
        match value {
            Value::Number(number) => Some(usize::try_from(whole(*number)).unwrap_or(usize::MAX)),
            _ => None,
        }
    }
}

impl ArgumentType for Limit {
    type Value<'a> = Option<u64>;

    fn read(value: &Value) -> Option<Option<u64>> {
        match value {
            Value::Number(number) => Some(Some(whole(*number)).filter(|limit| *limit > 0)),
            _ => None,
        }
    }
}

impl ArgumentType for Tools<'static> {
    type Value<'a> = Tools<'a>;

    fn read(value: &Value) -> Option<Tools<'_>> {
        match value {
            Value::Text(names) => Some(Tools(names)),
            _ => None,
        }
    }
}

impl ArgumentType for Name {
    type Value<'a> = &'a str;

    fn read(value: &Value) -> Option<&str> {
        match value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl ArgumentType for CallsFrom {
    type Value<'a> = Self;

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) => Self::from_word(word),
            _ => None,
        }
    }
}

impl ArgumentType for Scope {
    type Value<'a> = Self;

    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) => Self::from_word(word),
            _ => None,
        }
    }
}

/// A parameter with the Rust type of its argument. A `static`, since it is recognised by its address.
pub(super) struct TypedParameter<T> {
    pub(super) parameter: Parameter,
    argument: PhantomData<fn() -> T>,
}

impl TypedParameter<Number> {
    pub(super) const fn number(name: &'static str, unit: Unit, default: u32, summary: &'static str) -> Self {
        Self::new(name, ParameterKind::Number(unit, default), summary)
    }
}

impl TypedParameter<Limit> {
    pub(super) const fn limit(name: &'static str, unit: Unit, summary: &'static str) -> Self {
        Self::new(name, ParameterKind::Limit(unit), summary)
    }
}

impl TypedParameter<Texts<'static>> {
    pub(super) const fn texts(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, ParameterKind::Texts, summary)
    }
}

impl TypedParameter<CallsFrom> {
    pub(super) const fn calls_from(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, ParameterKind::CallsFrom, summary)
    }
}

impl<T> TypedParameter<T> {
    pub(super) const fn new(name: &'static str, kind: ParameterKind, summary: &'static str) -> Self {
        Self { parameter: Parameter { name, kind, summary }, argument: PhantomData }
    }
}

/// The tool that a fact is about.
pub(super) static TOOL: TypedParameter<Name> = TypedParameter::new("tool", ParameterKind::Tool, "The tool.");

/// How many of the newest calls a fact examines.
pub(super) static CALLS_WITHIN: TypedParameter<Number> =
    TypedParameter::number("within", Unit::Counted(Counted::Calls), 10, "How many of the newest calls to examine.");

/// Which calls a fact examines.
pub(super) static CALLS_IN: TypedParameter<CallsFrom> =
    TypedParameter::calls_from("in", "Whether to examine the calls in the context or in the whole run.");

/// How far back a fact counts, by default in the run.
pub(super) static IN: TypedParameter<Scope> =
    TypedParameter::new("in", ParameterKind::Scope(Scope::Run), "Whether to count in the run or over the session.");

/// The tools whose results a fact is about.
pub(super) static OF: TypedParameter<Tools<'static>> =
    TypedParameter::new("of", ParameterKind::Tools, "The tools whose results count; those of others are passed over.");

/// The tools after whose newest call a fact begins to count.
pub(super) static AFTER: TypedParameter<Tools<'static>> = TypedParameter::new(
    "after",
    ParameterKind::AfterTools,
    "Only calls after the newest call of one of these tools count, whatever its result.",
);

/// The rule that a fact is about.
pub(super) static RULE: TypedParameter<Name> =
    TypedParameter::new("rule", ParameterKind::Rule, "A rule of the same policy.");

/// The variable that a fact is about.
pub(super) static VARIABLE: TypedParameter<Name> =
    TypedParameter::new("name", ParameterKind::Variable, "The variable.");

/// The fact that the host supplies.
pub(super) static HOST_FACT: TypedParameter<Name> =
    TypedParameter::new("NAME", ParameterKind::HostFact, "The declared name, written after `host.`.");

/// The arguments of one reading of a fact.
#[derive(Clone, Copy)]
pub struct Arguments<'a> {
    parameters: &'static [&'static Parameter],
    values: &'a [Value],
}

impl<'a> Arguments<'a> {
    pub(super) const fn new(parameters: &'static [&'static Parameter], values: &'a [Value]) -> Self {
        Self { parameters, values }
    }

    /// Returns the argument of a parameter, or `None` if the fact does not list the parameter.
    pub(super) fn get<T: ArgumentType>(&self, parameter: &'static TypedParameter<T>) -> Option<T::Value<'a>> {
        self.value(&parameter.parameter).and_then(T::read)
    }

    /// The value of a parameter.
    pub(super) fn value(&self, parameter: &'static Parameter) -> Option<&'a Value> {
        let at = self.parameters.iter().position(|other| std::ptr::eq(*other, parameter))?;
        self.values.get(at)
    }
}

impl fmt::Debug for Arguments<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.parameters.iter().map(|parameter| parameter.name);
        out.debug_map().entries(names.zip(self.values)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static CALLS: TypedParameter<Number> = TypedParameter::number("calls", Unit::Counted(Counted::Calls), 3, "Calls.");
    static PLACE: TypedParameter<CallsFrom> = TypedParameter::calls_from("in", "Where.");
    static OTHER: TypedParameter<Name> = TypedParameter::new("tool", ParameterKind::Tool, "Not listed.");
    static PARAMETERS: &[&Parameter] = &[&PLACE.parameter, &CALLS.parameter];

    #[test]
    fn an_argument_is_found_by_its_parameter_and_not_by_its_position() {
        let values = [Value::Text("run".into()), Value::whole(7)];
        let arguments = Arguments::new(PARAMETERS, &values);
        assert_eq!(arguments.get(&CALLS), Some(7));
        assert_eq!(arguments.get(&PLACE), Some(CallsFrom::Run));
        assert_eq!(arguments.get(&OTHER), None);
    }

    #[test]
    fn an_argument_of_another_type_is_not_read() {
        let values = [Value::whole(1), Value::Text("many".into())];
        let arguments = Arguments::new(PARAMETERS, &values);
        assert_eq!((arguments.get(&PLACE), arguments.get(&CALLS)), (None, None));
    }
}
