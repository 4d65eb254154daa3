//! Conditions made by chance: deep ones over a few readings, many of them so that they never or always hold.

use trimtab::check::{Comparison, Condition, Operand, Reading, Relation, Test};
use trimtab::condition::World;
use trimtab::fact::{self, FACTS, Fact, Parameter, ParameterKind, Scope};
use trimtab::phase::Phase;
use trimtab::quantity::{Decimal, Type, Unit, Value};
use trimtab::source::Span;

use super::chance::Chance;

pub(super) struct Case {
    pub(super) condition: Condition,
    /// A condition on the same facts.
    pub(super) other: Condition,
    pub(super) world: World,
}

/// A fact with the constants that it is held against here.
struct Subject {
    reading: Reading,
    constants: Vec<Value>,
    shares: Vec<Decimal>,
}

pub(super) fn case(chance: &mut Chance) -> Case {
    let world = world(chance);
    let many = chance.of(if world.window.is_some() { &[1, 1, 2, 2, 2, 3, 3, 4][..] } else { &[1, 1, 2, 2, 3] });
    let subjects: Vec<Subject> = (0..many).map(|_| subject(chance, many)).collect();
    let one = tree(chance, &subjects, 2);
    let two = tree(chance, &subjects, 1);
    let three = tree(chance, &subjects, 1);
    let (narrow, wide) =
        (Condition::All(vec![one.clone(), two.clone()]), Condition::Any(vec![three.clone(), one.clone()]));
    let (condition, other) = match chance.below(100) {
        0..28 => (Condition::All(vec![not(wide), narrow]), two),
        28..58 => (Condition::Any(vec![wide, not(narrow)]), one),
        58..64 => (apart(chance, &subjects), one),
        64..70 => (not(apart(chance, &subjects)), one),
        70..80 => (narrow, wide),
        80..85 => (wide, narrow),
        _ => (tree(chance, &subjects, 3), one),
    };
    Case { condition, other, world }
}

fn world(chance: &mut Chance) -> World {
    let windows = [Some(200_000), Some(200_000), Some(128_000), Some(1_537), Some(10), Some(0), None, None];
    let window = chance.of(&windows);
    World { window, reserve: chance.of(&[None, Some(0), Some(10_000)]), phase: Phase::Request }
}

/// Facts that conditions should read often. Every fact has a place: half of the readings choose any of them.
const COMMON: [&str; 13] = [
    "context.ratio",
    "context.ratio",
    "context.ratio",
    "context.tokens",
    "context.tokens",
    "context.free",
    "reported.ratio",
    "iteration",
    "failures",
    "repeats",
    "budget.tokens",
    "result.text",
    "since",
];

fn fact(chance: &mut Chance) -> &'static Fact {
    if chance.percent(50) { fact::find(chance.of(&COMMON)).unwrap() } else { chance.of(FACTS) }
}

fn argument(chance: &mut Chance, parameter: &Parameter) -> Value {
    match parameter.kind {
        ParameterKind::Number(..) => Value::whole(chance.of(&[3, 5])),
        ParameterKind::Scope => text(chance.of(&Scope::WORDS)),
        ParameterKind::Tool => text(chance.of(&["bash", "edit"])),
        ParameterKind::Rule => text(chance.of(&["b", "c"])),
    }
}

fn subject(chance: &mut Chance, many: usize) -> Subject {
    let fact = fact(chance);
    let arguments = fact.parameters.iter().map(|parameter| argument(chance, parameter)).collect();
    let most = if many > 2 { 1 + chance.below(2) } else { 1 + chance.below(3) };
    let constants: Vec<Value> = (0..most).map(|_| constant(chance, fact)).collect();
    let shares = (0..most).map(|_| share(chance)).collect();
    let fallback = (fact.is_optional() && chance.percent(70)).then(|| constant(chance, fact));
    Subject { reading: Reading { fact, arguments, fallback, span: Span::default() }, constants, shares }
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn share(chance: &mut Chance) -> Decimal {
    chance.of(&["0", "0.1", "0.333", "0.5", "0.6", "0.8", "0.805", "0.9", "1", "1.2"]).parse().unwrap()
}

fn constant(chance: &mut Chance, fact: &Fact) -> Value {
    match fact.ty {
        Type::Number(Unit::Share) => Value::Number(share(chance)),
        Type::Number(Unit::Tokens) => Value::whole(chance.of(&[0, 1, 8, 499, 1000, 50_000, 100_000, 160_000, 240_000])),
        Type::Number(Unit::Money) => Value::Number(chance.of(&["0", "0.5", "1.25", "2"]).parse().unwrap()),
        Type::Bool => Value::Bool(chance.percent(50)),
        Type::Number(_) => Value::whole(chance.below(6)),
        _ => text(chance.of(&["", "a", "b", "ab", "ba", "bash"])),
    }
}

/// A condition of at most so many levels above its tests.
fn tree(chance: &mut Chance, subjects: &[Subject], depth: usize) -> Condition {
    let parts = |chance: &mut Chance| {
        let many = 2 + chance.below(2);
        (0..many).map(|_| tree(chance, subjects, depth - 1)).collect()
    };
    match chance.below(if depth == 0 { 1 } else { 10 }) {
        0 | 1 => leaf(chance, subjects),
        2..6 => Condition::All(parts(chance)),
        6..9 => Condition::Any(parts(chance)),
        _ => not(tree(chance, subjects, depth - 1)),
    }
}

fn not(condition: Condition) -> Condition {
    Condition::Not(Box::new(condition))
}

fn leaf(chance: &mut Chance, subjects: &[Subject]) -> Condition {
    if chance.percent(2) {
        return Condition::Constant(chance.percent(50));
    }
    let subject = &subjects[chance.below(subjects.len())];
    test(subject, relation(chance, subject))
}

fn test(subject: &Subject, relation: Relation) -> Condition {
    Condition::Test(Test { reading: subject.reading.clone(), relation, span: Span::default() })
}

fn relation(chance: &mut Chance, subject: &Subject) -> Relation {
    use Comparison::{AtLeast, AtMost, Equal, Less, More, Unequal};
    let fact = subject.reading.fact;
    if chance.percent(if fact.is_optional() { 15 } else { 2 }) {
        return Relation::Known;
    }
    let constant = subject.constants[chance.below(subject.constants.len())].clone();
    let sign = chance.of(&[Less, AtMost, More, AtLeast, Equal, Unequal]);
    match fact.ty {
        Type::Bool => Relation::Holds,
        _ if chance.percent(8) => Relation::OneOf(subject.constants.clone()),
        Type::Text => match constant {
            Value::Text(part) if chance.percent(60) => Relation::Contains(part),
            constant => Relation::Compare(chance.of(&[Equal, Unequal]), Operand::Value(constant)),
        },
        Type::Number(Unit::Tokens | Unit::Share) if fact.share_of().is_some() || chance.percent(30) => {
            Relation::Compare(sign, Operand::ShareOfWindow(chance.of(&subject.shares)))
        }
        _ => Relation::Compare(sign, Operand::Value(constant)),
    }
}

/// One fact held between two ends that often leave nothing between them.
fn apart(chance: &mut Chance, subjects: &[Subject]) -> Condition {
    let subject = &subjects[chance.below(subjects.len())];
    if !matches!(subject.reading.fact.ty, Type::Number(_)) {
        let one = test(subject, relation(chance, subject));
        return Condition::All(vec![one.clone(), leaf(chance, subjects), not(one)]);
    }
    let mut shares = [share(chance), share(chance)];
    shares.sort_unstable();
    let [low, high] = shares.map(|share| match subject.reading.fact.ty {
        Type::Number(Unit::Tokens | Unit::Share) => Operand::ShareOfWindow(share),
        _ => Operand::Value(Value::Number((share * Decimal::TEN).trunc())),
    });
    let above = test(subject, Relation::Compare(chance.of(&[Comparison::More, Comparison::AtLeast]), high));
    let below = test(subject, Relation::Compare(Comparison::Less, low));
    Condition::All(vec![above, leaf(chance, subjects), below])
}
