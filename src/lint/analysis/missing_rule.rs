//! Lints that report a policy without a rule of some kind.

use crate::check::Rule;
use crate::diagnostic::Diagnostic;
use crate::lint::analysis::placement::{NewRule, add_rule, policy_name};
use crate::lint::{Lint, Subject};

/// Something that may be missing, and what is said of a policy without it.
pub(crate) struct MissingRule {
    /// The lint that misses it.
    pub(crate) lint: &'static Lint,
    /// Whether a rule does it.
    pub(crate) is_done: fn(&Rule) -> bool,
    /// Selects the rules that require such a rule; `None` when every policy requires one.
    pub(crate) is_wanted: Option<fn(&Rule) -> bool>,
    /// What is wrong, behind the name of the rule that makes it wanted, or else of the policy.
    pub(crate) message: &'static str,
    /// What is at that name.
    pub(crate) here: &'static str,
    /// What to do.
    pub(crate) help: &'static str,
    /// The rule that the fix adds.
    pub(crate) rule: NewRule,
}

impl MissingRule {
    /// Looks at each policy of a file.
    pub(crate) fn look(&self, subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
        for policy in &subject.checked.policies {
            let rules = || policy.rules.iter();
            let (name, span) = match self.is_wanted {
                None => (&policy.name, policy_name(subject, policy)),
                Some(is_wanted) => match rules().find(|rule| is_wanted(rule)) {
                    Some(rule) => (&rule.name, rule.head),
                    None => continue,
                },
            };
            if !rules().any(self.is_done) {
                let message = format!("`{name}` {}", self.message);
                let mut finding = self.lint.finding(span, message, self.here).help(self.help);
                finding.fixes.extend(add_rule(subject, policy, &self.rule));
                found.push(finding);
            }
        }
    }
}
