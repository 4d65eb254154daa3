//! Formulas: conditions with numbered tests, and their possible outcomes while some facts are open.

use crate::check::{Condition, Test};

/// The outcome that a condition holds, as a bit of a set of outcomes.
pub(super) const HOLDS: u8 = 1;
/// The outcome that it does not hold.
pub(super) const FAILS: u8 = 2;
/// The outcome that it is unknown.
pub(super) const UNKNOWN: u8 = 4;

/// A condition with numbered tests.
#[derive(Debug)]
pub(super) enum Formula {
    Constant(bool),
    All(Vec<Formula>),
    Any(Vec<Formula>),
    Not(Box<Formula>),
    Test(usize),
}

impl Formula {
    /// Numbers the tests of a condition, after those already in the list.
    pub(super) fn of<'c>(condition: &'c Condition, tests: &mut Vec<&'c Test>) -> Self {
        let mut inner = |parts: &'c [Condition]| parts.iter().map(|part| Self::of(part, tests)).collect();
        match condition {
            Condition::Constant(truth) => Self::Constant(*truth),
            Condition::All(parts) => Self::All(inner(parts)),
            Condition::Any(parts) => Self::Any(inner(parts)),
            Condition::Not(part) => Self::Not(Box::new(Self::of(part, tests))),
            Condition::Test(test) => {
                tests.push(test);
                Self::Test(tests.len() - 1)
            }
        }
    }

    /// Its possible outcomes, given those of each test. Never too few; exact once every test has one outcome.
    pub(super) fn outcomes(&self, of: &impl Fn(usize) -> u8) -> u8 {
        match self {
            Self::Constant(true) => HOLDS,
            Self::Constant(false) => FAILS,
            Self::Test(test) => of(*test),
            Self::Not(inner) => opposite(inner.outcomes(of)),
            Self::All(parts) => all(parts.iter().map(|part| part.outcomes(of))),
            Self::Any(parts) => opposite(all(parts.iter().map(|part| opposite(part.outcomes(of))))),
        }
    }

    /// A test with several possible outcomes in a part with several possible outcomes.
    pub(super) fn open_test(&self, of: &impl Fn(usize) -> u8) -> Option<usize> {
        if self.outcomes(of).count_ones() < 2 {
            return None;
        }
        match self {
            Self::Constant(_) => None,
            Self::Test(test) => Some(*test),
            Self::Not(inner) => inner.open_test(of),
            Self::All(parts) | Self::Any(parts) => parts.iter().find_map(|part| part.open_test(of)),
        }
    }
}

const fn opposite(outcomes: u8) -> u8 {
    (outcomes & UNKNOWN) | (outcomes & HOLDS) << 1 | (outcomes & FAILS) >> 1
}

/// The possible outcomes of an `and`: it fails if one part fails, and is otherwise unknown if one part is unknown.
fn all(parts: impl Iterator<Item = u8>) -> u8 {
    let (mut each, mut any) = (HOLDS | UNKNOWN, 0);
    for part in parts {
        any |= part & (FAILS | UNKNOWN);
        if part & (HOLDS | UNKNOWN) == 0 {
            return FAILS;
        }
        each &= if part & HOLDS == 0 { UNKNOWN } else { HOLDS | UNKNOWN };
    }
    (each & HOLDS) | any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_and_fails_if_one_part_fails_and_is_otherwise_unknown_if_one_part_is() {
        assert_eq!(all([HOLDS, HOLDS].into_iter()), HOLDS);
        assert_eq!(all([HOLDS, FAILS, UNKNOWN].into_iter()), FAILS);
        assert_eq!(all([HOLDS, UNKNOWN].into_iter()), UNKNOWN);
        assert_eq!(all([HOLDS | FAILS, HOLDS].into_iter()), HOLDS | FAILS);
        assert_eq!(all([HOLDS | FAILS, UNKNOWN].into_iter()), FAILS | UNKNOWN);
        assert_eq!(all(std::iter::empty()), HOLDS);
        assert_eq!(opposite(HOLDS | UNKNOWN), FAILS | UNKNOWN);
    }
}
