//! The sizes of the context at which a rule can be due, however its condition is written.

use std::cmp::Ordering;

use trimtab_base::quantity::{Decimal, Value, share_of, whole};
use trimtab_language::check::{Agent, Comparison, Condition, Operand, Relation, Test};
use trimtab_language::fact::Topic;

/// A bound of the size of the context within which a rule can be due, as required by its condition.
#[derive(Clone, Copy, Debug)]
pub struct Threshold<'a> {
    /// The test that requires it.
    pub test: &'a Test,
    /// As a share of the window, or `None` if it depends on a window that is unknown.
    pub share: Option<Decimal>,
    /// In tokens, or `None` if it depends on a window that is unknown.
    pub tokens: Option<u64>,
    /// Whether the bound itself is excluded.
    pub exclusive: bool,
    /// Whether the test reads `reported.*`.
    pub reported: bool,
}

/// The side of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Least,
    Most,
}

/// What is known about the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// The window in tokens.
    pub window: Option<u64>,
    /// Tokens kept free for the reply.
    pub reserve: u64,
}

impl Room {
    /// The window and reserve of the host of an `agent` block with this window.
    pub(crate) fn of(agent: &Agent, window: Option<u64>) -> Self {
        Self { window, reserve: agent.reserve.unwrap_or(0) }
    }
}

impl<'a> Threshold<'a> {
    /// Returns the smallest size at which a condition can hold, or `None` if it has no such bound.
    pub(crate) fn least(condition: &'a Condition, room: Room) -> Option<Self> {
        bound(condition, true, Side::Least, room)
    }

    /// Returns the largest size at which a condition can hold, or `None` if it has no such bound.
    pub(crate) fn most(condition: &'a Condition, room: Room) -> Option<Self> {
        bound(condition, true, Side::Most, room)
    }

    /// The smallest number of tokens that a lower bound includes.
    pub fn least_tokens(&self) -> Option<u64> {
        self.tokens.map(|tokens| tokens.saturating_add(u64::from(self.exclusive)))
    }

    /// Returns how two bounds compare, or `None` if one is a share, the other in tokens, and the window is unknown.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self.share, other.share, self.tokens, other.tokens) {
            (Some(a), Some(b), ..) => Some(a.cmp(&b)),
            (_, _, Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => None,
        }
    }
}

/// The bound of a condition that has this truth value.
fn bound(condition: &Condition, truth: bool, side: Side, room: Room) -> Option<Threshold<'_>> {
    match (condition, truth) {
        (Condition::Constant(_), _) => None,
        (Condition::Not(inner), _) => bound(inner, !truth, side, room),
        (Condition::Test(test), _) => of_test(test, truth, side, room),
        // Every part must hold, so the tightest bound counts.
        (Condition::All(parts), true) | (Condition::Any(parts), false) => {
            parts.iter().filter_map(|part| bound(part, truth, side, room)).reduce(|a, b| tighter(a, b, side))
        }
        // One part is enough, so each must have a bound, and the widest one counts.
        (Condition::Any(parts), true) | (Condition::All(parts), false) => {
            let possible = parts.iter().filter(|part| !matches!(part, Condition::Constant(is) if *is != truth));
            let bounds: Option<Vec<_>> = possible.map(|part| bound(part, truth, side, room)).collect();
            let (first, rest) = bounds.as_deref()?.split_first()?;
            rest.iter().try_fold(*first, |widest, next| wider(widest, *next, side))
        }
    }
}

/// The tighter of two bounds; one that cannot be compared with the other gives way to one in tokens.
fn tighter<'a>(a: Threshold<'a>, b: Threshold<'a>, side: Side) -> Threshold<'a> {
    let replaces = match (a.order(&b), side) {
        (Some(order), Side::Least) => order.is_lt(),
        (Some(order), Side::Most) => order.is_gt(),
        (None, _) => a.tokens.is_none() && b.tokens.is_some(),
    };
    if replaces { b } else { a }
}

/// Returns the wider of two bounds, or `None` if they cannot be compared.
fn wider<'a>(a: Threshold<'a>, b: Threshold<'a>, side: Side) -> Option<Threshold<'a>> {
    let order = a.order(&b)?;
    let is_wider = if side == Side::Least { order.is_gt() } else { order.is_lt() };
    Some(if is_wider { b } else { a })
}

fn of_test(test: &Test, truth: bool, side: Side, room: Room) -> Option<Threshold<'_>> {
    let fact = test.reading.fact;
    let Relation::Compare(operator, operand) = &test.relation else { return None };
    if !fact.is_size() {
        return None;
    }
    let operator = if truth { *operator } else { operator.negated() };
    // Little free room means a large context.
    let operator = if fact.is_inverse() { operator.flipped() } else { operator };
    let exclusive = match (operator, side) {
        (Comparison::More, Side::Least) | (Comparison::Less, Side::Most) => true,
        (Comparison::AtLeast, Side::Least) | (Comparison::AtMost | Comparison::Equal, Side::Most) => false,
        _ => return None,
    };
    let (share, tokens) = if fact.is_inverse() { leaving(operand, room)? } else { size(operand, room)? };
    Some(Threshold { test, share, tokens, exclusive, reported: fact.topic == Topic::ReportedSize })
}

/// A size as a share of the window and in tokens.
type Size = (Option<Decimal>, Option<u64>);

fn size(operand: &Operand, Room { window, .. }: Room) -> Option<Size> {
    match operand {
        Operand::ShareOfWindow(share) => Some((Some(*share), window.map(|window| share_of(window, *share)))),
        Operand::Value(Value::Number(tokens)) => {
            Some((window.and_then(|window| tokens.checked_div(window.into())), Some(whole(*tokens))))
        }
        Operand::Value(_) => None,
    }
}

/// The size of a context that leaves this much free; both are unknown without the window.
fn leaving(operand: &Operand, Room { window, reserve }: Room) -> Option<Size> {
    let Some(window) = window else {
        return match operand {
            Operand::ShareOfWindow(free) if reserve == 0 => Some((Decimal::ONE.checked_sub(*free), None)),
            _ => Some((None, None)),
        };
    };
    let free = match operand {
        Operand::ShareOfWindow(free) => Decimal::from(share_of(window, *free)),
        Operand::Value(Value::Number(free)) => *free,
        Operand::Value(_) => return None,
    };
    let tokens = Decimal::from(window).checked_sub(reserve.into())?.checked_sub(free)?.max(Decimal::ZERO);
    Some((tokens.checked_div(window.into()), Some(whole(tokens))))
}
