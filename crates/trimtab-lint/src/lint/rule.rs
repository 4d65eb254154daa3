//! The lints, one file each, in a folder for each category.

mod cache;
mod definitions;
mod effects;
mod evidence;
mod injection;
mod kept;
mod reachability;
mod safety;
pub(super) mod style;
mod suppression;
mod thresholds;
mod units;

use super::descriptor::Lint;

/// The lints of each category, in the order of the reference.
const CATEGORIES: &[&[&Lint]] = &[
    units::LINTS,
    reachability::LINTS,
    thresholds::LINTS,
    kept::LINTS,
    effects::LINTS,
    injection::LINTS,
    cache::LINTS,
    safety::LINTS,
    definitions::LINTS,
    style::LINTS,
    suppression::LINTS,
    evidence::LINTS,
];

/// All lints, in the order of the reference: by category, then by name.
pub static LINTS: &[&Lint] = &concatenated::<{ count() }>();

/// The lint with this name.
pub fn find(name: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.name() == name).copied()
}

// Loops, because iterators are not `const`.

const fn count() -> usize {
    let (mut count, mut at) = (0, 0);
    while at < CATEGORIES.len() {
        count += CATEGORIES[at].len();
        at += 1;
    }
    count
}

const fn concatenated<const COUNT: usize>() -> [&'static Lint; COUNT] {
    let mut all = [CATEGORIES[0][0]; COUNT];
    let (mut category, mut next) = (0, 0);
    while category < CATEGORIES.len() {
        let mut at = 0;
        while at < CATEGORIES[category].len() {
            all[next] = CATEGORIES[category][at];
            assert!(all[next].has_code(), "a lint needs a code");
            (next, at) = (next + 1, at + 1);
        }
        category += 1;
    }
    all
}
