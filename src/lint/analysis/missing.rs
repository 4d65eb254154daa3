//! What a policy goes without: something that no rule of it does, and that every policy wants, or one with such a rule.

use crate::check::Rule;
use crate::diagnostic::Diagnostic;
use crate::lint::analysis::layout::{NewRule, policy_name, with_rule};
use crate::lint::{Lint, Subject};

/// Something that may be missing, and what is said of a policy without it.
pub(in crate::rooms::lint) struct Missing {
    /// The lint that misses it.
    pub(in crate::rooms::lint) lint: &'static Lint,
    /// Whether a rule does it.
    pub(in crate::rooms::lint) is_done: fn(&Rule) -> bool,
    /// Whether a rule makes it wanted; none when every policy wants it.
    pub(in crate::rooms::lint) is_wanted: Option<fn(&Rule) -> bool>,
    /// What is wrong, behind the name of the rule that makes it wanted, or else of the policy.
    pub(in crate::rooms::lint) message: &'static str,
    /// What is at that name.
    pub(in crate::rooms::lint) here: &'static str,
    /// What to do.
    pub(in crate::rooms::lint) help: &'static str,
    /// The rule that the fix adds.
    pub(in crate::rooms::lint) rule: NewRule,
}

impl Missing {
    /// Looks at each policy of a file.
    pub(in crate::rooms::lint) fn look(&self, subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
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
                finding.fixes.extend(with_rule(subject, policy, &self.rule));
                found.push(finding);
            }
        }
    }
}
