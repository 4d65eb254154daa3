//! `repeated-threshold`

use std::collections::{HashMap, HashSet};
use std::mem::{Discriminant, discriminant};

use smol_str::SmolStr;
use trimtab_base::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use trimtab_base::quantity::{Counted, Decimal, Unit};
use trimtab_language::fact::Topic;
use trimtab_syntax::syntax::tree::{Expr, ExprKind, Number};

use crate::lint::analysis::placement::{defined_names, let_position};
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};

pub(super) static LINT: Lint = Lint {
    code: Code::new("repeated-threshold", Severity::Info, include_str!("repeated_threshold.md")),
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: FixAvailability::Safe,
    options: &[&PLACES, &COUNTS],
    check: Check::Text(check),
    ..Lint::DEFAULT
};

static PLACES: LintOption = LintOption {
    name: "places",
    unit: Unit::Counted(Counted::Count),
    default: Decimal::from_parts(3, 0, 0, false, 0),
    summary: "The number of places at which a share, a size, a time or an amount of money is reported.",
};

static COUNTS: LintOption = LintOption {
    name: "counts",
    unit: Unit::Counted(Counted::Count),
    default: Decimal::from_parts(6, 0, 0, false, 0),
    summary: "The number of places at which a count is reported; small counts are often equal by chance.",
};

/// A fact with its arguments and the number it is compared with, independent of spelling: the amount, the kind of
/// number, and its unit.
type Compared<'t> = (SmolStr, Decimal, Discriminant<Number>, &'t str);

struct Thresholds<'s, 't> {
    subject: &'s Subject<'t>,
    order: Vec<Compared<'t>>,
    places: HashMap<Compared<'t>, Vec<&'t Expr>>,
}

/// The fact that an expression reads, with its arguments.
fn reading(subject: &Subject<'_>, expr: &Expr) -> Option<SmolStr> {
    match &expr.kind {
        ExprKind::Name(name) => trimtab_language::fact::is_fact_name(name).then(|| name.clone()),
        ExprKind::Call(name, _) if trimtab_language::fact::find(&name.node).is_some() => {
            Some(subject.text(expr.span).split_whitespace().collect())
        }
        ExprKind::Default(inner, _) => reading(subject, inner),
        _ => None,
    }
}

/// Whether a fact is a property of the model. A comparison says for which models a rule is; there is nothing to tune.
fn is_of_model(fact: &str) -> bool {
    trimtab_language::fact::find(fact).is_some_and(|fact| fact.topic == Topic::Model)
}

/// Returns the key of a comparison, or `None` for 0 and 1, which mean "any".
fn key(fact: SmolStr, expr: &Expr) -> Option<Compared<'_>> {
    let ExprKind::Number(number, unit) = &expr.kind else { return None };
    let (amount, means_any) = match number {
        Number::Plain(amount) => (*amount, *amount <= Decimal::ONE),
        Number::Percent(amount) => (*amount, false),
        Number::Money(amount) | Number::Duration(amount) => (*amount, amount.is_zero()),
    };
    // The unit of a count follows from the fact.
    let unit = unit.as_ref().filter(|_| !is_count(expr)).map_or("", |unit| unit.node.trim_end_matches('s'));
    (!means_any).then_some((fact, amount, discriminant(number), unit))
}

/// Whether a number counts things.
fn is_count(expr: &Expr) -> bool {
    let ExprKind::Number(Number::Plain(_), unit) = &expr.kind else { return false };
    unit.as_ref().is_none_or(|unit| matches!(Unit::from_word(&unit.node), Some(Unit::Counted(_))))
}

impl<'t> Thresholds<'_, 't> {
    fn add(&mut self, expr: &'t Expr) {
        let Some((left, _, right)) = expr.comparison() else { return };
        let read = |side| reading(self.subject, side);
        let pair = read(left).map(|fact| (fact, right)).or_else(|| read(right).map(|fact| (fact, left)));
        let Some((fact, constant)) = pair.filter(|(fact, _)| !is_of_model(fact)) else { return };
        let Some(key) = key(fact, constant) else { return };
        let places = self.places.entry(key.clone()).or_default();
        if places.is_empty() {
            self.order.push(key);
        }
        places.push(constant);
    }
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    if !subject.is_policy_source() {
        return;
    }
    let mut thresholds = Thresholds { subject, order: Vec::new(), places: HashMap::new() };
    subject.expressions().for_each(|expr| thresholds.add(expr));
    let Thresholds { mut order, places, .. } = thresholds;
    let [most, counts] = [&PLACES, &COUNTS].map(|option| subject.option(option));
    order.retain(|key| {
        let places = &places[key];
        Decimal::from(places.len()) >= if places.iter().any(|place| is_count(place)) { counts } else { most }
    });
    let defined: HashSet<&str> = defined_names(subject).into_iter().collect();
    let names: Vec<Option<String>> = order.iter().map(|key| name(&key.0)).collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    names.iter().flatten().for_each(|name| *uses.entry(name).or_default() += 1);
    for (key, name) in order.iter().zip(&names) {
        let fact = key.0.as_str();
        let Some((first, rest)) = places[key].split_first() else { continue };
        let value = subject.text(first.span);
        let message = format!("`{value}` is compared with `{fact}` in {} places", rest.len() + 1);
        let mut finding = LINT.finding(first.span, message, "first here");
        for other in rest.iter().take(3) {
            finding = finding.label(other.span, "and here");
        }
        // If a fact has several thresholds, only the author can name them.
        let name = name.as_deref().filter(|name| uses[name] == 1 && !defined.contains(name));
        finding.fixes.extend(name.and_then(|name| introduce_let(subject, name, value, &places[key])));
        findings.push(finding.help("define it with `let`"));
    }
}

/// Returns a name for the threshold of a fact, or `None` if its arguments are not plain words.
fn name(reading: &str) -> Option<String> {
    let words = reading.trim_end_matches(')').replace(['.', '('], "_");
    let is_plain = words.chars().all(|operator| operator.is_ascii_alphanumeric() || operator == '_');
    is_plain.then(|| format!("{words}_threshold"))
}

/// The fix that defines a name for the number and uses it in all places.
fn introduce_let(subject: &Subject<'_>, name: &str, value: &str, places: &[&Expr]) -> Option<Fix> {
    let place = let_position(subject)?;
    let mut edits = vec![TextEdit { span: place, text: format!("let {name} = {value}\n\n") }];
    edits.extend(places.iter().map(|place| TextEdit { span: place.span, text: name.to_owned() }));
    Some(Fix::new(format!("name it `{name}`"), true, edits))
}
