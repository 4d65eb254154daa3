//! Structural implications, compared with those that the search proves.

use super::of;
use crate::condition::Assumptions;
use crate::condition::decide::{SearchResult, find_state};
use crate::condition::formula::{FAILS, HOLDS, UNKNOWN};
use crate::condition::structural::implies;

const CONDITIONS: [&str; 22] = [
    "context.ratio >= 60%",
    "context.ratio > 60%",
    "context.ratio >= 80%",
    "not context.ratio < 80%",
    "context.ratio == 80%",
    "context.ratio != 80%",
    "context.tokens >= 60%",
    "context.tokens > 40k tokens",
    "context.tokens > 41k tokens",
    "reported.tokens ?? 0 tokens > 40k tokens",
    "reported.tokens ?? 90k tokens > 40k tokens",
    "iteration > 2",
    "iteration >= 3",
    "not (iteration <= 3 or failures > 2)",
    "context.ratio >= 80% and iteration >= 3",
    "context.ratio > 60% or failures > 2",
    "context.ratio >= 80% and (iteration > 9 or failures > 5)",
    "(context.ratio >= 60% or iteration > 9) and not failures > 5",
    "has_tool(\"bash\")",
    "not has_tool(\"bash\") or iteration < 3",
    "(call.name ?? \"c\") in [\"a\", \"b\"]",
    "known(result.tokens)",
];

#[test]
fn structural_implications_agree_with_the_search() {
    let conditions = CONDITIONS.map(of);
    let mut proved = 0;
    for (a, first) in conditions.iter().zip(CONDITIONS) {
        for (b, second) in conditions.iter().zip(CONDITIONS).filter(|(b, _)| implies(a, b)) {
            let answer = find_state(&[a, b], &[HOLDS, FAILS | UNKNOWN], &Assumptions::default());
            assert_eq!(answer, SearchResult::Impossible, "{first} was taken to say {second}");
            proved += 1;
        }
    }
    assert!(proved > 40, "{proved} of the pairs, each condition with itself among them");
}

#[test]
fn a_higher_threshold_implies_a_lower_one() {
    let proved = |a: &str, b: &str| implies(&of(a), &of(b));
    assert!(proved("context.ratio >= 80% and iteration > 2", "iteration >= 2"));
    assert!(proved("context.ratio >= 80% or failures > 9", "failures > 3 or context.ratio >= 60%"));
    assert!(proved("not (failures > 2 or iteration < 9)", "not failures > 3"));
    assert!(!proved("context.ratio > 60%", "context.ratio > 80%"));
    assert!(proved("context.tokens > 80%", "context.tokens > 60%"));
    assert!(!proved("context.tokens >= 80%", "context.tokens > 60%"), "a small window cuts both to one number");
    assert!(!proved("reported.tokens ?? 0 tokens > 5k tokens", "reported.tokens ?? 9k tokens > 5k tokens"));
}
