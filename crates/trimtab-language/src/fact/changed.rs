//! `changed`

use trimtab_base::quantity::{Type, Value};

use super::argument::{Arguments, IN, Name, ParameterKind, TypedParameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Relation, Rises, Source, Topic};
use super::moment::Moment;

static OWN_RULE: TypedParameter<Name> =
    TypedParameter::new("rule", ParameterKind::OwnRule, "The rule that contains it.");

static FACTS: TypedParameter<Name> = TypedParameter::new("facts", ParameterKind::Facts, "The facts to compare.");

pub(super) static FACT: Fact = Fact {
    name: "changed",
    summary: "True until its rule has fired in this run, or in the session, and whenever one of these facts differs from its \
              value when the rule last fired. `changed()` compares nothing, so it is true until the rule has fired. An unknown value \
              equals an unknown value.",
    ty: Type::Bool,
    unknown: None,
    parameters: &[&OWN_RULE.parameter, &FACTS.parameter, &IN.parameter],
    domain: Domain::Any,
    topic: Topic::Firings,
    rises: Rises::Sometimes,
    falls: Falls::AnyTime,
    at_start: AtStart::Any,
    source: Source::Own,
    relations: &[Relation::TrueWhileZero(&super::fired::FACT)],
    examples: &[
        "changed(tools.used)",
        "changed()",
        "changed(call.name, failures(of: bash))",
        "changed(model, in: session)",
    ],
    read,
};

/// Without what the rule saw, only whether it has fired is known; [`super::Facts::seen`] has the rest.
fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    Some(Value::Bool(moment.rules.fired(arguments.get(&OWN_RULE)?, arguments.get(&IN)?) == 0))
}
