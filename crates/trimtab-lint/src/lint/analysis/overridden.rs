//! Rules that a policy overrides.

use std::collections::HashMap;

use trimtab_base::source::Span;
use trimtab_language::check::{Policy, Rule};

use crate::lint::Subject;

/// A rule that a policy of the file overrides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Overridden<'a> {
    /// The rule of the policy that is extended.
    pub old: &'a Rule,
    /// The rule with the override.
    pub new: &'a Rule,
    /// The span of the override.
    pub span: Span,
}

/// The rules that the policies of the file override themselves.
pub(crate) fn overridden_rules<'a>(subject: &Subject<'a>) -> Vec<Overridden<'a>> {
    let checked = subject.checked;
    let mut all = Vec::new();
    for policy in &checked.policies {
        let is_base = |other: &&Policy| policy.base.as_ref() == Some(&other.name);
        let Some(base) = checked.policies.iter().chain(&checked.used).find(is_base) else { continue };
        let own = |rule: &Rule| Some(rule.origin.overrides.last().filter(|by| by.node == policy.name)?.span);
        let changed: Vec<(&Rule, Span)> = policy.rules.iter().filter_map(|rule| Some((rule, own(rule)?))).collect();
        if changed.is_empty() {
            continue;
        }
        let inherited: HashMap<&str, &Rule> = base.rules.iter().map(|rule| (rule.name.as_str(), rule)).collect();
        all.extend(
            changed.into_iter().filter_map(|(new, span)| {
                Some(Overridden { old: inherited.get(new.name.as_str()).copied()?, new, span })
            }),
        );
    }
    all
}
