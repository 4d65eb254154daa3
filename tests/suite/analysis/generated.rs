//! Random conditions: deep ones over a few readings, many of which are never or always true.

use trimtab::check::{Comparison, Condition, Operand, Reading, Relation, Test};
use trimtab::condition::Assumptions;
use trimtab::fact::{self, CallsFrom, FACTS, Fact, Parameter, ParameterKind, Recent, RecentDefault, Scope};
use trimtab::phase::Phase;
use trimtab::quantity::{Decimal, Type, Unit, Value};
use trimtab::source::Span;

use crate::rng::Rng;

pub(super) struct Case {
    pub(super) condition: Condition,
    /// A condition on the same facts.
    pub(super) other: Condition,
    pub(super) assumptions: Assumptions,
}

/// A fact with the constants that it is compared with.
struct Subject {
    reading: Reading,
    constants: Vec<Value>,
    shares: Vec<Decimal>,
}

pub(super) fn case(rng: &mut Rng) -> Case {
    let assumptions = assumptions(rng);
    let many = rng.choose(if assumptions.window.is_some() { &[1, 1, 2, 2, 2, 3, 3, 4][..] } else { &[1, 1, 2, 2, 3] });
    let subjects: Vec<Subject> = (0..many).map(|_| subject(rng, many)).collect();
    let one = tree(rng, &subjects, 2);
    let two = tree(rng, &subjects, 1);
    let three = tree(rng, &subjects, 1);
    let (narrow, wide) =
        (Condition::All(vec![one.clone(), two.clone()]), Condition::Any(vec![three.clone(), one.clone()]));
    let (condition, other) = match rng.below(100) {
        0..28 => (Condition::All(vec![not(wide), narrow]), two),
        28..58 => (Condition::Any(vec![wide, not(narrow)]), one),
        58..64 => (contradictory_bounds(rng, &subjects), one),
        64..70 => (not(contradictory_bounds(rng, &subjects)), one),
        70..80 => (narrow, wide),
        80..85 => (wide, narrow),
        _ => (tree(rng, &subjects, 3), one),
    };
    Case { condition, other, assumptions }
}

fn assumptions(rng: &mut Rng) -> Assumptions {
    let windows = [Some(200_000), Some(200_000), Some(128_000), Some(1_537), Some(10), Some(0), None, None];
    let window = rng.choose(&windows);
    Assumptions { window, reserve: rng.choose(&[None, Some(0), Some(10_000)]), phase: Phase::Request }
}

/// Facts that conditions should read often. Half of the readings choose among all facts.
const COMMON: [&str; 35] = [
    "host",
    "context.ratio",
    "context.ratio",
    "context.ratio",
    "context.tokens",
    "context.tokens",
    "context.free",
    "reported.ratio",
    "window",
    "window",
    "iteration",
    "failures",
    "repeats",
    "occurrences",
    "budget.tokens",
    "result.text",
    "since",
    "cycles",
    "stall",
    "changed",
    "changed",
    "changed",
    "fired",
    "fired",
    "tools.calls",
    "tools.used",
    "used_tool",
    "share.persona",
    "share.history",
    "context.largest",
    "calls",
    "calls",
    "edits",
    "files.changed",
    "tools.calls",
];

fn fact(rng: &mut Rng) -> &'static Fact {
    let fact = if rng.percent(50) { fact::find(rng.choose(&COMMON)).unwrap() } else { rng.choose(FACTS) };
    if fact.is_host() { host_fact(rng) } else { fact }
}

/// A fact of the host of any type.
fn host_fact(rng: &mut Rng) -> &'static Fact {
    let words: Vec<&str> = fact::host_type_words().collect();
    Fact::of_host(fact::host_type(rng.choose(&words)).unwrap(), rng.percent(30)).unwrap()
}

/// A name that only facts of this declaration have.
fn host_fact_name(rng: &mut Rng, fact: &Fact) -> Value {
    let default = if fact.is_optional() { "" } else { "_default" };
    text(&format!("{}_{}{default}", fact::host_type_word(fact.ty), rng.choose(&["a", "b"])))
}

fn argument(rng: &mut Rng, parameter: &Parameter) -> Value {
    match parameter.kind {
        ParameterKind::Number(..) => Value::whole(rng.choose(&[3, 5])),
        ParameterKind::Limit(_) => Value::whole(rng.choose(&[0, 3])),
        ParameterKind::Tools | ParameterKind::AfterTools => {
            fact::tools_argument(rng.choose(&[&[][..], &["bash"], &["bash", "mcp__*"]]).iter().copied())
        }
        ParameterKind::Texts => fact::texts_argument(rng.choose(&[&["a"][..], &["a", "b"]]).iter().copied()),
        ParameterKind::Recent(units, default) => recent(rng, units, default),
        ParameterKind::CallsFrom => text(rng.choose(&CallsFrom::WORDS)),
        ParameterKind::Scope(_) => text(rng.choose(&Scope::WORDS)),
        ParameterKind::Tool => text(rng.choose(&["bash", "edit"])),
        ParameterKind::Variable | ParameterKind::HostFact => text(rng.choose(&["mode", "plan"])),
        ParameterKind::Facts => text(""),
        ParameterKind::Rule | ParameterKind::OwnRule => text(rng.choose(&["b", "c"])),
    }
}

/// How far back to look, in one of the units.
fn recent(rng: &mut Rng, units: &[Unit], default: RecentDefault) -> Value {
    let all =
        [Recent::Calls(3), Recent::Calls(5), Recent::Iterations(3), Recent::Time(60.into()), Recent::Time(90.into())];
    let some: Vec<Recent> = all.into_iter().filter(|recent| units.contains(&recent.quantity().unit)).collect();
    let is_limited = default != RecentDefault::Everything || rng.percent(70);
    Recent::argument(is_limited.then(|| rng.choose(&some)))
}

/// Facts that a fact compares.
fn compared(rng: &mut Rng) -> Vec<Reading> {
    let names: &[&str] = rng.choose(&[&[][..], &["failures.total"], &["failures.total", "iteration"]]);
    names.iter().map(|name| Reading::new(fact::find(name).unwrap(), Vec::new(), Span::default())).collect()
}

fn subject(rng: &mut Rng, many: usize) -> Subject {
    let fact = fact(rng);
    let arguments = match fact {
        fact if fact.is_host() => vec![host_fact_name(rng, fact)],
        fact => fact.parameters.iter().map(|parameter| argument(rng, parameter)).collect(),
    };
    let most = if many > 2 { 1 + rng.below(2) } else { 1 + rng.below(3) };
    let constants: Vec<Value> = (0..most).map(|_| constant(rng, fact)).collect();
    let shares = (0..most).map(|_| share(rng)).collect();
    let fallback = (fact.is_optional() && rng.percent(70)).then(|| constant(rng, fact));
    let reading = match compared(rng) {
        compared if fact.compares_facts() => {
            let scope = rng.choose(&Scope::ALL);
            Reading::comparing(fact, rng.choose(&["b", "c"]), (compared, scope), Span::default()).unwrap()
        }
        _ => Reading { fallback, ..Reading::new(fact, arguments, Span::default()) },
    };
    Subject { reading, constants, shares }
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn share(rng: &mut Rng) -> Decimal {
    rng.choose(&["0", "0.1", "0.333", "0.5", "0.6", "0.8", "0.805", "0.9", "1", "1.2"]).parse().unwrap()
}

fn constant(rng: &mut Rng, fact: &Fact) -> Value {
    match fact.ty {
        // The checker rejects a constant outside the domain.
        Type::Number(Unit::Share) => Value::Number(share(rng).min(fact.domain.largest().unwrap_or(Decimal::MAX))),
        Type::Number(Unit::Tokens) => {
            Value::whole(rng.choose(&[0, 1, 8, 499, 1000, 50_000, 100_000, 160_000, 240_000]))
        }
        Type::Number(Unit::Money) => Value::Number(rng.choose(&["0", "0.5", "1.25", "2"]).parse().unwrap()),
        Type::Bool => Value::Bool(rng.percent(50)),
        Type::Number(_) => Value::whole(rng.below(6)),
        _ => text(rng.choose(&["", "a", "b", "ab", "ba", "bash"])),
    }
}

/// A condition with at most this many levels above its tests.
fn tree(rng: &mut Rng, subjects: &[Subject], depth: usize) -> Condition {
    let parts = |rng: &mut Rng| {
        let many = 2 + rng.below(2);
        (0..many).map(|_| tree(rng, subjects, depth - 1)).collect()
    };
    match rng.below(if depth == 0 { 1 } else { 10 }) {
        0 | 1 => leaf(rng, subjects),
        2..6 => Condition::All(parts(rng)),
        6..9 => Condition::Any(parts(rng)),
        _ => not(tree(rng, subjects, depth - 1)),
    }
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

fn leaf(rng: &mut Rng, subjects: &[Subject]) -> Condition {
    if rng.percent(2) {
        return Condition::Constant(rng.percent(50));
    }
    let subject = &subjects[rng.below(subjects.len())];
    test(subject, relation(rng, subject))
}

fn test(subject: &Subject, relation: Relation) -> Condition {
    Condition::Test(Test { reading: subject.reading.clone(), relation, span: Span::default() })
}

fn relation(rng: &mut Rng, subject: &Subject) -> Relation {
    use Comparison::{AtLeast, AtMost, Equal, Less, More, Unequal};
    let fact = subject.reading.fact;
    if rng.percent(if fact.is_optional() { 15 } else { 2 }) {
        return Relation::Known;
    }
    let constant = subject.constants[rng.below(subject.constants.len())].clone();
    let operator = rng.choose(&[Less, AtMost, More, AtLeast, Equal, Unequal]);
    match fact.ty {
        Type::Bool => Relation::Holds,
        _ if rng.percent(8) => Relation::OneOf(subject.constants.clone()),
        Type::Text => match constant {
            Value::Text(part) if rng.percent(60) => Relation::Contains(part),
            constant => Relation::Compare(rng.choose(&[Equal, Unequal]), Operand::Value(constant)),
        },
        Type::Number(unit) if fact.share_of().is_some() || unit == Unit::Tokens && rng.percent(30) => {
            Relation::Compare(operator, Operand::ShareOfWindow(rng.choose(&subject.shares)))
        }
        _ => Relation::Compare(operator, Operand::Value(constant)),
    }
}

/// One fact between two bounds that often exclude every value.
fn contradictory_bounds(rng: &mut Rng, subjects: &[Subject]) -> Condition {
    let subject = &subjects[rng.below(subjects.len())];
    if !matches!(subject.reading.fact.ty, Type::Number(_)) {
        let one = test(subject, relation(rng, subject));
        return Condition::All(vec![one.clone(), leaf(rng, subjects), not(one)]);
    }
    let mut shares = [share(rng), share(rng)];
    shares.sort_unstable();
    let fact = subject.reading.fact;
    let [low, high] = shares.map(|share| match fact.ty {
        Type::Number(Unit::Share) if fact.share_of().is_none() => {
            Operand::Value(Value::Number(share.min(Decimal::ONE)))
        }
        Type::Number(Unit::Tokens | Unit::Share) => Operand::ShareOfWindow(share),
        _ => Operand::Value(Value::Number((share * Decimal::TEN).trunc())),
    });
    let above = test(subject, Relation::Compare(rng.choose(&[Comparison::More, Comparison::AtLeast]), high));
    let below = test(subject, Relation::Compare(Comparison::Less, low));
    Condition::All(vec![above, leaf(rng, subjects), below])
}
