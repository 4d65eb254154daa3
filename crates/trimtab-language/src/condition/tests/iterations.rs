//! The iterations at which a condition can hold.

use super::{known, of};
use crate::condition::{Assumptions, Iterations, iterations};

fn range(text: &str) -> (u64, Option<u64>) {
    let all = [Assumptions::default(), known()].map(|assumptions| iterations(&of(text), &assumptions));
    assert_eq!(all[0], all[1], "{text}");
    let Iterations { first, last } = all[0];
    (first, last)
}

#[test]
fn a_condition_may_hold_at_a_few_iterations_only() {
    assert_eq!(range("iteration == 0"), (0, Some(0)));
    assert_eq!(range("not (iteration >= 1) and context.ratio >= 80%"), (0, Some(0)));
    assert_eq!(range("iteration in [3, 5] and failures >= 1"), (3, Some(5)));
    assert_eq!(range("iteration == 0 and failures >= 1 or iteration == 1"), (0, Some(1)));
    assert_eq!(range("iteration > 4"), (5, None));
    assert_eq!(range("iteration == 0 or context.ratio >= 80%"), (0, None));
    assert_eq!(range("context.ratio >= 80%"), (0, None));
}

#[test]
fn the_replies_of_a_run_bound_its_iterations() {
    assert_eq!(range("budget.calls < 1"), (0, Some(0)));
    assert_eq!(range("budget.calls >= 5"), (4, None));
    assert_eq!(range("session.calls <= 2"), (0, Some(2)));
}
