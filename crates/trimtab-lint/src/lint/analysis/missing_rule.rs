//! Lints that report a policy without a rule of some kind.

use trimtab_base::diagnostic::Diagnostic;
use trimtab_language::check::{Policy, Rule};

use crate::lint::analysis::placement::{NewRule, add_rule};
use crate::lint::{Lint, Subject};

/// A kind of rule that may be missing, and the finding for a policy without it.
pub(crate) struct MissingRule {
    /// The lint that reports it.
    pub lint: &'static Lint,
    /// Whether a policy has such a rule.
    pub is_present: fn(&Subject<'_>, &Policy) -> bool,
    /// Selects the rules that require such a rule; `None` when every policy requires one.
    pub required_by: Option<fn(&Rule) -> bool>,
    /// The message after the name of the rule that requires such a rule, or of the policy.
    pub message: &'static str,
    /// The label at that name.
    pub here: &'static str,
    /// The help.
    pub help: &'static str,
    /// The rule that the fix adds.
    pub rule: NewRule,
}

impl MissingRule {
    /// Checks each policy of a file.
    pub(crate) fn check(&self, subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
        for policy in &subject.checked.policies {
            let rules = || policy.rules.iter();
            let (name, span) = match self.required_by {
                None => (&policy.name, subject.policy_name(policy)),
                Some(required_by) => match rules().find(|rule| required_by(rule)) {
                    Some(rule) => (&rule.name, rule.head),
                    None => continue,
                },
            };
            if !(self.is_present)(subject, policy) {
                let message = format!("`{name}` {}", self.message);
                let mut finding = self.lint.finding(span, message, self.here).help(self.help);
                finding.fixes.extend(add_rule(subject, policy, &self.rule));
                findings.push(finding);
            }
        }
    }
}
