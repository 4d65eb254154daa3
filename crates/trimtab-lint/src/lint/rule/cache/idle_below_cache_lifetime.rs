//! `idle-below-cache-lifetime`

use trimtab_base::diagnostic::{Code, Diagnostic, Severity};
use trimtab_base::quantity::{Quantity, Type, Unit, Value, whole};
use trimtab_language::check::{Comparison, Operand, Rule, Test};
use trimtab_language::fact::Topic;
use trimtab_model::model::Caching;

use crate::lint::analysis::reduction::reduces;
use crate::lint::analysis::requirement::required_comparisons;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("idle-below-cache-lifetime", Severity::Warning, include_str!("idle_below_cache_lifetime.md")),
    category: Category::Cache,
    certainty: Certainty::Structural,
    fix: FixAvailability::None,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, findings: &mut Vec<Diagnostic>) {
    let Some((test, pause)) = pause(rule).filter(|_| reduces(subject, rule)) else { return };
    let lifetime = lifetime(subject);
    if pause >= lifetime {
        return;
    }
    let time = |seconds: u64| Quantity::whole(seconds, Unit::Duration);
    let message = format!("`{}` edits old content while the prompt cache is still warm", rule.name);
    let here = format!("the provider keeps a prefix for {} or longer", time(lifetime));
    let finding = LINT.finding(test.span, message, here);
    findings.push(finding.help("ask for the lifetime itself: `known(cache.warm) and not cache.warm`"));
}

/// The test that requires a pause, and the pause in seconds.
fn pause(rule: &Rule) -> Option<(&Test, u64)> {
    required_comparisons(&rule.condition).find_map(|(test, operator, operand)| {
        let fact = test.reading.fact;
        let is_pause = fact.topic == Topic::Pause && fact.ty == Type::Number(Unit::Duration);
        let is_lower = matches!(operator, Comparison::More | Comparison::AtLeast);
        match operand {
            Operand::Value(Value::Number(seconds)) if is_pause && is_lower => Some((test, whole(*seconds))),
            _ => None,
        }
    })
}

/// How long the provider of the policy's model keeps a prefix at least, in seconds; the usual time if the model is not named.
fn lifetime(subject: &Subject<'_>) -> u64 {
    let agent = &subject.checked.agent;
    let model = agent.model.as_ref().and_then(|model| agent.models.find(&model.node));
    let caching = model.map_or(Some(Caching::unknown(false)), |model| model.caching);
    caching.map_or(0, |caching| caching.lifetime)
}
