//! The resolved policy as JSON.

use serde_json::{Value as Json, json};
use trimtab_base::source::Span;
use trimtab_language::check::Rule;

use super::page::format_type;
use super::{Inspection, PrintedClause, memory, requests_summary};

pub(super) fn json(inspection: &Inspection<'_>) -> Json {
    let (policy, need) = (inspection.policy, inspection.need());
    let facts = need.facts.iter().map(|(reading, rules)| {
        let fact = reading.fact;
        json!({ "name": reading.name(), "type": format_type(fact.ty, false), "optional": fact.is_optional(), "rules": rules })
    });
    let prompts = need.prompts.iter().map(|prompt| {
        let place = inspection.prompt_at(prompt).map(|span| at(inspection, span));
        json!({ "name": prompt.name, "text": prompt.text, "rules": prompt.rules, "at": place })
    });
    let thresholds = need
        .thresholds
        .iter()
        .map(|threshold| json!({ "share": threshold.share.normalize(), "tokens": threshold.tokens, "rules": threshold.rules }));
    let phases = inspection.phases().into_iter().map(|(phase, rules)| json!({ "phase": phase.word(), "rules": rules }));
    let disabled = policy.disabled.iter().map(|disabled| {
        json!({
            "rule": disabled.rule, "from": disabled.origin, "policy": disabled.policy, "why": disabled.why,
            "rule_at": at(inspection, disabled.head), "at": at(inspection, disabled.span),
        })
    });
    let bases = policy.bases.iter().map(|base| json!({ "name": base.node, "at": at(inspection, base.span) }));
    json!({
        "schema_version": 1,
        "policy": {
            "name": policy.name,
            "title": policy.title,
            "hash": inspection.plan.hash,
            "at": at(inspection, policy.span),
            "extends": bases.collect::<Vec<_>>(),
        },
        "agent": agent(inspection),
        "rules": policy.rules.iter().map(|each| rule(inspection, each, &need.prompts)).collect::<Vec<_>>(),
        "disabled": disabled.collect::<Vec<_>>(),
        "facts": facts.collect::<Vec<_>>(),
        "prompts": prompts.collect::<Vec<_>>(),
        "phases": phases.collect::<Vec<_>>(),
        "window": inspection.window.map(|window| json!({ "tokens": window.tokens, "by": window.by })),
        "thresholds": thresholds.collect::<Vec<_>>(),
    })
}

/// A location: file, and line and column from 1.
fn at(inspection: &Inspection<'_>, span: Span) -> Json {
    let Some(source) = inspection.sources.get(span.source) else { return Json::Null };
    let at = source.position(span.start);
    json!({ "file": source.name(), "line": at.line, "column": at.column })
}

fn agent(inspection: &Inspection<'_>) -> Json {
    let agent = &inspection.plan.agent;
    let values = [
        ("model", json!(agent.model.as_ref().map(|model| &model.node))),
        ("window", json!(agent.window.map(|window| window.node))),
        ("reserve", json!(agent.reserve)),
        ("overhead", json!(agent.overhead)),
        ("tools", json!(agent.tools)),
    ];
    let facts = agent.facts.iter().map(|fact| {
        let default = fact.default.as_ref().map(|value| fact.format(value));
        json!({ "name": fact.name.node, "type": fact.type_word(), "default": default, "at": at(inspection, fact.name.span) })
    });
    let facts = Some(facts.collect::<Vec<_>>()).filter(|facts| !facts.is_empty());
    let given = values.into_iter().filter(|(_, value)| !value.is_null());
    let place = |word: &str| agent.place(word).map_or(Json::Null, |span| at(inspection, span));
    let given = given.map(|(word, value)| (word.to_owned(), json!({ "value": value, "at": place(word) })));
    Json::Object(given.chain(facts.map(|facts| ("facts".to_owned(), json!(facts)))).collect())
}

fn rule(inspection: &Inspection<'_>, rule: &Rule, prompts: &[super::Prompt<'_>]) -> Json {
    let clauses = PrintedClause::of(rule, prompts)
        .into_iter()
        .map(|clause| json!({ "clause": clause.word, "text": clause.text, "at": at(inspection, clause.span) }));
    let overrides = rule.origin.overrides.iter().map(|by| json!({ "policy": by.node, "at": at(inspection, by.span) }));
    let memory = memory(rule).into_iter().map(|(guard, what)| json!({ "guard": guard, "what": what }));
    json!({
        "name": rule.name,
        "sealed": rule.sealed,
        "phase": rule.phase.word(),
        "policy": rule.origin.policy,
        "at": at(inspection, rule.head),
        "overrides": overrides.collect::<Vec<_>>(),
        "placed_at": rule.origin.placed.map(|span| at(inspection, span)),
        "clauses": clauses.collect::<Vec<_>>(),
        "remembers": memory.collect::<Vec<_>>(),
        "asks_summariser": requests_summary(rule),
    })
}
