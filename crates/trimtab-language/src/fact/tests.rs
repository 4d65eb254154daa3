//! What must hold for every descriptor.

use std::collections::BTreeSet;

use smol_str::SmolStr;
use trimtab_base::conversation::{Conversation, Counter, ImageSize};
use trimtab_base::playbook::Playbook;
use trimtab_base::quantity::{Decimal, Type, Unit, Value};

use super::*;

/// Counts nothing.
struct Nothing;

impl Counter for Nothing {
    fn text(&self, _: &str) -> u64 {
        0
    }

    fn image(&self, _: Option<ImageSize>) -> u64 {
        0
    }

    fn envelope(&self) -> u64 {
        0
    }
}

impl Rules for Nothing {
    fn fired(&self, _: &str, _: Scope) -> u64 {
        0
    }

    fn seen(&self, _: &str, _: Scope) -> Option<&Seen> {
        None
    }

    fn last(&self, _: &str, _: Scope) -> Option<u64> {
        None
    }

    fn failed(&self, _: &str, _: Scope) -> u64 {
        0
    }
}

/// Arguments that a policy could write for the parameters of a fact.
fn arguments(fact: &Fact) -> Vec<Value> {
    let argument = |parameter: &&Parameter| match parameter.kind {
        ParameterKind::Number(_, default) => Value::Number(default.into()),
        ParameterKind::Limit(_) => Value::whole(0),
        ParameterKind::Tools | ParameterKind::AfterTools => tools_argument([]),
        ParameterKind::Texts => texts_argument(["a"]),
        ParameterKind::CallsFrom => Value::Text(CallsFrom::WORDS[0].into()),
        ParameterKind::Scope(default) => Value::Text(default.word().into()),
        ParameterKind::Recent(_, default) => {
            default.argument().unwrap_or_else(|| Recent::argument(Some(Recent::Time(Decimal::ONE))))
        }
        ParameterKind::Facts => Value::Text("".into()),
        ParameterKind::Tool
        | ParameterKind::Rule
        | ParameterKind::OwnRule
        | ParameterKind::Variable
        | ParameterKind::HostFact => Value::Text("a".into()),
    };
    fact.parameters.iter().map(argument).collect()
}

#[test]
fn names_are_unique_and_every_fact_has_an_example() {
    let names: BTreeSet<&str> = FACTS.iter().map(|fact| fact.name).collect();
    assert_eq!(names.len(), FACTS.len());
    assert!(FACTS.iter().all(|fact| !fact.examples.is_empty() && fact.summary.ends_with('.')));
}

#[test]
fn only_an_optional_fact_is_unknown_before_the_first_call() {
    let (conversation, run, session, tools) =
        (Conversation::default(), RunHistory::default(), SessionHistory::default(), BTreeSet::<SmolStr>::new());
    let views = trimtab_base::conversation::Views::default();
    let model = "claude-sonnet-4-5".into();
    let moment = Moment {
        agent: &AgentIdentity::default(),
        model: Some(&model),
        views: &views,
        host: &HostValues::default(),
        conversation: &conversation,
        counter: &Nothing,
        tokens: 10,
        overhead: 10,
        reported: None,
        window: Some(1_000),
        reserve: 0,
        run: &run,
        session: &session,
        log: &SessionLog::default(),
        idle: None,
        cache_lifetime: None,
        tools: &tools,
        playbook: &Playbook::default(),
        miss: None,
        rules: &Nothing,
        tail: &TailCache::default(),
    };
    for fact in FACTS {
        let value = moment.value(fact, &arguments(fact));
        assert!(value.is_some() || fact.is_optional(), "{} is unknown", fact.name);
        let is_right = match fact.at_start(&arguments(fact)) {
            AtStart::Zero => value.is_none() || value == Some(Value::whole(0)) || value == Some(Value::Bool(false)),
            AtStart::Unknown => value.is_none(),
            AtStart::Any | AtStart::ZeroInRun => true,
        };
        assert!(is_right, "{} is {value:?}", fact.name);
    }
}

#[test]
fn a_derived_fact_is_derived_from_tokens_and_changes_with_them() {
    for fact in FACTS.iter().filter(|fact| fact.needs_window()) {
        let base = fact.base();
        assert_eq!(base.ty, Type::Number(Unit::Tokens), "{}", fact.name);
        assert!(matches!(base.source, Source::Own), "{}", fact.name);
        assert_eq!((fact.topic, fact.rises, fact.falls), (base.topic, base.rises, base.falls), "{}", fact.name);
        assert!(fact.parameters.is_empty() && base.parameters.is_empty(), "{}", fact.name);
        let tokens = Decimal::from(600);
        let value = fact.derive(tokens, Some(1_000), 10).expect("a window");
        assert_eq!(fact.source_value(value, Some(1_000), 10), Some(tokens), "{}", fact.name);
        assert_eq!((fact.derive(tokens, Some(0), 0), fact.source_value(value, None, 0)), (None, None));
    }
}

#[test]
fn a_cap_and_a_scope_are_among_the_parameters() {
    for fact in FACTS {
        let is_recent =
            |parameter: &&Parameter| matches!(parameter.kind, ParameterKind::Recent(_, RecentDefault::Everything));
        if let Source::CappedBy(_) | Source::LimitedBy(_) = fact.source
            && !fact.parameters.iter().any(is_recent)
        {
            assert!(fact.cap(&arguments(fact)).is_some(), "{}", fact.name);
            assert_eq!(fact.cap(&arguments(fact)).map(|(_, cap)| cap), fact.largest(&arguments(fact)));
        }
        assert!(fact.at_start != AtStart::ZeroInRun || fact.calls_from(&arguments(fact)).is_some(), "{}", fact.name);
    }
}

#[test]
fn a_relation_connects_facts_of_compatible_types() {
    for fact in FACTS {
        for relation in fact.relations {
            let other = relation.other();
            let is_number = |fact: &Fact| matches!(fact.ty, Type::Number(_));
            let is_count = |fact: &Fact| matches!(fact.ty, Type::Number(Unit::Counted(_)));
            let is_own = matches!(relation, Relation::GrowsWithArguments(_) | Relation::SameOverSession(_));
            let is_right = match relation {
                Relation::AtMost(_) | Relation::AtLeast(_) | Relation::SameOrOneMore(_) => {
                    fact.ty == other.ty || is_count(fact) && is_count(other)
                }
                Relation::TotalledBy(_) => fact.ty == other.ty,
                Relation::NothingWhileZero(_) => (fact.ty == Type::Bool || is_number(fact)) && is_number(other),
                Relation::GrowsWithArguments(_) => std::ptr::eq(*fact, other) && !fact.parameters.is_empty(),
                Relation::SameOverSession(_) => {
                    std::ptr::eq(*fact, other) && fact.scope(&arguments(fact)) == Some(Scope::Run)
                }
                Relation::Completes(others) => {
                    others.iter().all(|fact| matches!(fact.domain, Domain::Part)) && matches!(fact.domain, Domain::Part)
                }
                Relation::Disjoint(_) => [fact, other].iter().all(|fact| matches!(fact.domain, Domain::Part)),
                Relation::TrueWhileZero(_) => fact.ty == Type::Bool && is_number(other),
                Relation::KnownWith(_) => fact.is_optional() && other.is_optional(),
                Relation::ZeroWhileUnknown(_) => is_number(fact) && !fact.is_optional() && other.is_optional(),
            };
            assert!(is_right && is_own == (fact.name == other.name), "{} and {}", fact.name, other.name);
        }
    }
}
