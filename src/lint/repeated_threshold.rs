//! `repeated-threshold`

use std::collections::{HashMap, HashSet};
use std::mem::{Discriminant, discriminant};

use super::layout::{defined, is_own_form, place_for_let};
use super::{Category, Certainty, Check, Knob, Lint, Remedy, Subject};
use crate::diagnostic::{Code, Diagnostic, Fix, Severity, TextEdit};
use crate::quantity::{Counted, Decimal, Unit};
use crate::syntax::tree::{Expr, ExprKind, Number};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "repeated-threshold",
        severity: Severity::Info,
        title: "one threshold in several places",
        why: "The same number is held against the same fact again and again. Who tunes the policy has to find all \
              of them; a name for the number keeps them together and says what it stands for.",
        wrong: "edition 2026\npolicy p {\n  rule a { when context.ratio >= 60% do mask results }\n  rule b { on reply when context.ratio >= 60% do trim results }\n  rule c { on context_budget when context.ratio >= 60% do notify \"x\" }\n}\n",
        right: "edition 2026\nlet busy = 60%\npolicy p {\n  rule a { when context.ratio >= busy do mask results }\n  rule b { on reply when context.ratio >= busy do trim results }\n  rule c { on context_budget when context.ratio >= busy do notify \"x\" }\n}\n",
    },
    category: Category::Definitions,
    certainty: Certainty::Structural,
    fix: Remedy::Safe,
    pedantic: false,
    evidence: &[],
    over: &[],
    knobs: &[Knob {
        name: "places",
        unit: Unit::Counted(Counted::Count),
        default: Decimal::from_parts(3, 0, 0, false, 0),
        summary: "From how many places on a number should have a name.",
    }],
    check: Check::File(check),
};

/// A fact and what it is held against, in one form for all spellings: the amount, what kind of number it is, and its
/// unit.
type Held<'t> = (&'t str, Decimal, Discriminant<Number>, &'t str);

#[derive(Default)]
struct Thresholds<'t> {
    order: Vec<Held<'t>>,
    places: HashMap<Held<'t>, Vec<&'t Expr>>,
}

/// The name of the fact that an expression reads.
fn fact(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => crate::fact::find(name).map(|fact| fact.name),
        ExprKind::Call(name, _) => crate::fact::find(&name.node).map(|fact| fact.name),
        ExprKind::Default(inner, _) => fact(inner),
        _ => None,
    }
}

/// What a fact is held against; none for 0 and 1, which mean "any".
fn held<'t>(fact: &'t str, expr: &'t Expr) -> Option<Held<'t>> {
    let ExprKind::Number(number, unit) = &expr.kind else { return None };
    let (amount, means_any) = match number {
        Number::Plain(amount) => (*amount, *amount <= Decimal::ONE),
        Number::Percent(amount) => (*amount, false),
        Number::Money(amount) | Number::Duration(amount) => (*amount, amount.is_zero()),
    };
    let unit = unit.as_ref().map_or("", |unit| unit.node.trim_end_matches('s'));
    (!means_any).then_some((fact, amount, discriminant(number), unit))
}

impl<'t> Thresholds<'t> {
    fn add(&mut self, expr: &'t Expr) {
        let Some((left, _, right)) = expr.comparison() else { return };
        let pair = fact(left).map(|fact| (fact, right)).or_else(|| fact(right).map(|fact| (fact, left)));
        let Some((fact, constant)) = pair else { return };
        let Some(key) = held(fact, constant) else { return };
        let places = self.places.entry(key).or_default();
        if places.is_empty() {
            self.order.push(key);
        }
        places.push(constant);
    }
}

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    if !is_own_form(subject) {
        return;
    }
    let mut thresholds = Thresholds::default();
    subject.expressions().for_each(|expr| thresholds.add(expr));
    let most = subject.settings.knob(&LINT, "places");
    let mut taken: HashSet<String> = defined(subject).into_iter().map(str::to_owned).collect();
    for key in &thresholds.order {
        let Some(places) = thresholds.places.get(key).filter(|places| Decimal::from(places.len()) >= most) else {
            continue;
        };
        let Some((first, rest)) = places.split_first() else { continue };
        let value = subject.text(first.span);
        let message = format!("`{value}` is held against `{}` in {} places", key.0, places.len());
        let mut finding = LINT.finding(first.span, message, "stands here");
        for other in rest.iter().take(3) {
            finding = finding.label(other.span, "and here");
        }
        finding.fixes.extend(named(subject, key.0, value, places, &mut taken));
        found.push(finding.help("give it a name with `let`"));
    }
}

/// The fix that gives a number a name and uses it in all places.
fn named(subject: &Subject<'_>, fact: &str, value: &str, places: &[&Expr], taken: &mut HashSet<String>) -> Option<Fix> {
    let place = place_for_let(subject)?;
    let base = format!("{}_threshold", fact.replace('.', "_"));
    let numbered = (2..=places.len() + taken.len()).map(|at| format!("{base}_{at}"));
    let name = std::iter::once(base.clone()).chain(numbered).find(|name| !taken.contains(name))?;
    taken.insert(name.clone());
    let mut edits = vec![TextEdit { span: place, text: format!("let {name} = {value}\n\n") }];
    edits.extend(places.iter().map(|place| TextEdit { span: place.span, text: name.clone() }));
    Some(Fix { title: format!("name it `{name}`"), safe: true, edits })
}
