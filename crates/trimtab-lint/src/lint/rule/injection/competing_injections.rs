//! `competing-injections`

use std::collections::HashMap;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Severity, TextEdit};
use trimtab_base::quantity::{Decimal, Value};
use trimtab_language::check::{Comparison, Guard, Operand, Relation, Rule, Test};
use trimtab_language::fact::{Fact, Falls, Topic};
use trimtab_language::phase::Phase;
use trimtab_syntax::syntax::tree::ExprKind;

use crate::lint::analysis::edit::{comparison_parts, fix};
use crate::lint::analysis::placement::after;
use crate::lint::analysis::{effect_scope, requirement};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("competing-injections", Severity::Warning, include_str!("competing_injections.md")),
    category: Category::Injection,
    certainty: Certainty::Structural,
    fix: FixAvailability::Unsafe,
    check: Check::File(check),
    ..Lint::DEFAULT
};

/// Whether a message can be about a fact. The first message lowers facts such as `failures`.
fn is_occasion(fact: &Fact) -> bool {
    let topics = [Topic::Trouble, Topic::ContextSize, Topic::ContextCount, Topic::ReportedSize];
    topics.contains(&fact.topic) && fact.falls != Falls::Messages
}

/// The range of one fact in which a rule is due; each bound with whether it is exclusive.
#[derive(Clone, Copy)]
struct Range<'a> {
    rule: &'a Rule,
    test: &'a Test,
    least: Option<(Decimal, bool)>,
    most: Option<(Decimal, bool)>,
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for policy in &subject.checked.policies {
        let mut last: HashMap<(Phase, SmolStr, bool), Range<'_>> = HashMap::new();
        for rule in subject.rules_of(policy) {
            if rule.actions.iter().any(effect_scope::injects) {
                for range in ranges(rule) {
                    let share = matches!(range.test.relation, Relation::Compare(_, Operand::ShareOfWindow(_)));
                    if let Some(other) = last.insert((rule.phase, range.test.reading.name(), share), range) {
                        findings.extend(both(subject, other, range));
                    }
                }
            }
        }
    }
}

/// The range of each fact that the message of a rule is about.
fn ranges(rule: &Rule) -> Vec<Range<'_>> {
    let mut all: Vec<Range<'_>> = Vec::new();
    for (test, truth) in rule.condition.required_tests() {
        let Relation::Compare(operator, Operand::ShareOfWindow(limit) | Operand::Value(Value::Number(limit))) =
            &test.relation
        else {
            continue;
        };
        let Some(much) = requirement::is_lower_bound(test, truth).filter(|_| is_occasion(test.reading.fact)) else {
            continue;
        };
        let open = matches!(operator, Comparison::More | Comparison::Less) == truth;
        let at = all.iter().position(|one| one.test.reading.name() == test.reading.name());
        let at = at.unwrap_or_else(|| {
            all.push(Range { rule, test, least: None, most: None });
            all.len() - 1
        });
        let end = if much { &mut all[at].least } else { &mut all[at].most };
        end.get_or_insert((*limit, open));
    }
    all
}

/// Whether no value is in both ranges.
fn are_disjoint(range: &Range<'_>, other: &Range<'_>) -> bool {
    let below = |most: Option<(Decimal, bool)>, least: Option<(Decimal, bool)>| match (most, least) {
        (Some((most, a)), Some((least, b))) => most < least || most == least && (a || b),
        _ => false,
    };
    below(range.most, other.least) || below(other.most, range.least)
}

/// Whether a rule has already fired when the other one is due: it starts earlier and fires once.
fn has_fired(range: &Range<'_>, other: &Range<'_>) -> bool {
    let once = |guard: &Guard| matches!(guard, Guard::Once | Guard::OnceUntil(_) | Guard::Limit(1));
    let first = matches!((range.least, other.least), (Some((least, _)), Some((other, _))) if least < other);
    first && range.rule.guards.iter().any(|guard| once(&guard.node))
}

fn both(subject: &Subject<'_>, range: Range<'_>, other: Range<'_>) -> Option<Diagnostic> {
    if are_disjoint(&range, &other) || has_fired(&range, &other) || has_fired(&other, &range) {
        return None;
    }
    let message = format!("`{}` and `{}` can inject a message at the same call", range.rule.name, other.rule.name);
    let mut finding = LINT
        .finding(other.test.span, message, format!("`{}` is due here", other.rule.name))
        .label(range.test.span, format!("`{}` is due here too", range.rule.name));
    let (lower, upper) = if range.least <= other.least { (range, other) } else { (other, range) };
    if let Some(end) = end(subject, &upper).filter(|_| lower.least != upper.least && lower.most.is_none()) {
        let edit = TextEdit { span: after(lower.test.span), text: format!(" and {end}") };
        finding.fixes.push(fix(format!("end `{}` at `{end}`", lower.rule.name), false, edit));
    }
    Some(finding.help("end one of them where the other starts"))
}

/// Returns the test that holds just below the range of a rule, or `None` if its comparison is written in another form.
fn end(subject: &Subject<'_>, upper: &Range<'_>) -> Option<String> {
    let Relation::Compare(operator, _) = &upper.test.relation else { return None };
    let below = match operator {
        Comparison::AtLeast => "<",
        Comparison::More => "<=",
        _ => return None,
    };
    let (_, limit, fact) = comparison_parts(subject, upper.rule, upper.test)?;
    let is_number = matches!(limit.kind, ExprKind::Number(..));
    is_number.then(|| format!("{} {below} {}", subject.quote(fact.span), subject.quote(limit.span)))
}
