//! Narrowing: the optional facts that are known where a condition holds, or where it does not.

use super::policy::{Condition, Reading, Relation, Test};

/// Whether two readings are of the same fact with the same arguments, apart from their defaults.
pub(super) fn is_same(a: &Reading, b: &Reading) -> bool {
    std::ptr::eq(a.fact, b.fact) && a.arguments == b.arguments
}

/// Adds the readings that are known where the condition is `truth`.
pub(super) fn narrow(condition: &Condition, truth: bool, known: &mut Vec<Reading>) {
    match condition {
        Condition::Test(Test { reading, relation: Relation::Known, .. }) if truth => known.push(reading.clone()),
        Condition::Constant(_) | Condition::Test(_) => {}
        Condition::Not(inner) => narrow(inner, !truth, known),
        Condition::All(parts) if truth => parts.iter().for_each(|part| narrow(part, true, known)),
        Condition::Any(parts) if !truth => parts.iter().for_each(|part| narrow(part, false, known)),
        Condition::All(parts) | Condition::Any(parts) => in_each(parts, truth, known),
    }
}

/// Adds the readings that are known whichever of the parts is `truth`.
fn in_each(parts: &[Condition], truth: bool, known: &mut Vec<Reading>) {
    let Some((first, rest)) = parts.split_first() else { return };
    let mut common = Vec::new();
    narrow(first, truth, &mut common);
    for part in rest {
        if common.is_empty() {
            return;
        }
        let mut other = Vec::new();
        narrow(part, truth, &mut other);
        common.retain(|reading| other.iter().any(|known| is_same(reading, known)));
    }
    known.append(&mut common);
}
