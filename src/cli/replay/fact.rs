//! `--fact`: values for facts that the policy declares.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{alternatives, nearest};
use trimtab_base::quantity::{Type, Value};
use trimtab_language::fact::written_host_fact;
use trimtab_language::plan::Plan;

use crate::cli::Failure;

/// The name and the value of `NAME=VALUE`; the name may have `host.` before it.
pub(in super::super) fn parse(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE, such as `load=85%`")?;
    Ok((trimtab_language::fact::host_fact_name(name).unwrap_or(name).to_owned(), value.to_owned()))
}

/// The values of the facts that a plan declares, by name. Of several plans, one must declare a fact.
pub(in super::super) fn all(
    given: &[(String, String)],
    plan: &Plan,
    plans: &[(String, Plan)],
) -> Result<BTreeMap<SmolStr, Value>, Failure> {
    let mut facts = BTreeMap::new();
    for (name, text) in given {
        let Some(fact) = plan.agent.fact(name) else {
            if plans.iter().any(|(_, other)| other.agent.fact(name).is_some()) {
                continue;
            }
            return Err(Failure::Message(undeclared(name, plan)));
        };
        let value = fact.parse(text).ok_or_else(|| {
            let (word, sample) = (fact.type_word(), sample(fact.fact.ty));
            Failure::Message(format!(
                "--fact {name}: `{text}` is not of the type `{word}`: write a value such as `{sample}`"
            ))
        })?;
        if facts.insert(fact.name.node.clone(), value).is_some() {
            return Err(Failure::Message(format!("--fact {name} is given twice")));
        }
    }
    Ok(facts)
}

fn undeclared(name: &str, plan: &Plan) -> String {
    let declared: Vec<&str> = plan.agent.facts.iter().map(|fact| fact.name.node.as_str()).collect();
    let help = match (nearest(name, declared.iter().copied()), declared.as_slice()) {
        (Some(near), _) => format!("did you mean `{near}`?"),
        (None, []) => "it declares none".to_owned(),
        (None, some) => format!("it declares {}", alternatives(some)),
    };
    format!("--fact {name}: policy `{}` declares no fact `{}`; {help}", plan.policy, written_host_fact(name))
}

/// A value of a type as the option takes it.
fn sample(ty: Type) -> &'static str {
    match ty {
        Type::Number(unit) => unit.sample(),
        Type::Bool => "true",
        Type::Text | Type::Name => "review",
    }
}
