//! `turned-comparison`

use crate::check::{Rule, Test};
use crate::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use crate::effect::EffectKind;
use crate::fact::Topic;
use crate::lint::analysis::edit::{comparison_parts, fix};
use crate::lint::analysis::reduction::{is_context_size_test, reduces};
use crate::lint::analysis::requirement::is_lower_bound;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};
use crate::syntax::tree::Operator;

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "turned-comparison",
        severity: Severity::Warning,
        title: "relief while there is room, or a stop while all is well",
        why: "A rule that makes the context smaller, or ends the run, waits for little of what it should wait for \
              much of. It is due at the first call, throws away what fits, and falls silent when it is needed: the \
              comparison is most likely the wrong way round.",
        wrong: "edition 2026\npolicy p {\n  rule mask_old { when context.ratio <= 60% do mask results keep 4 results at_least 4k tokens }\n}\n",
        right: "edition 2026\npolicy p {\n  rule mask_old { when context.ratio >= 60% do mask results keep 4 results at_least 4k tokens }\n}\n",
    },
    category: Category::Thresholds,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    let stops = rule.does(EffectKind::Stop);
    if !stops && !reduces(rule) {
        return;
    }
    // Of what an `or` waits for beside it one part may say what the rule is for.
    if rule.condition.tests().count() != rule.condition.required_tests().count() {
        return;
    }
    // That some calls must have been made says nothing of what the rule is for.
    let tests = || {
        rule.condition
            .required_tests()
            .filter(|(test, _)| !matches!(test.reading.fact.topic, Topic::Iteration | Topic::Run))
    };
    if !tests().all(|(test, truth)| is_enabled(test, truth) == Some(false)) {
        return;
    }
    // A stop waits for usage or trouble, too.
    let is_limit = |test: &Test| matches!(test.reading.fact.topic, Topic::Usage | Topic::Trouble);
    let Some((test, truth)) = tests().find(|(test, _)| is_context_size_test(test) || stops && is_limit(test)) else {
        return;
    };
    let what = if stops { "stops the run" } else { "makes the context smaller" };
    let message = format!("rule `{}` {what} while there is little of what it waits for", rule.name);
    let here = if truth { "holds at the first call" } else { "fails at the first call" };
    let mut finding = LINT.finding(test.span, message, here);
    if let Some((operator, ..)) = comparison_parts(subject, rule, test).filter(|_| truth)
        && let Some(turned) = turned(operator.node)
    {
        let edit = TextEdit { span: operator.span, text: turned.to_owned() };
        finding.fixes.push(fix(format!("write `{turned}`"), false, edit));
    }
    found.push(finding.help("turn the comparison round"));
}

/// The operator that asks for the other direction, the bound itself included.
const fn turned(operator: Operator) -> Option<&'static str> {
    match operator {
        Operator::Less | Operator::AtMost => Some(">="),
        Operator::More | Operator::AtLeast => Some("<="),
        _ => None,
    }
}

/// Whether a test waits for much or for little; of what is left free, little is much.
fn is_enabled(test: &Test, truth: bool) -> Option<bool> {
    let much = is_lower_bound(test, truth)?;
    Some(much != (test.reading.fact.is_inverse()))
}
