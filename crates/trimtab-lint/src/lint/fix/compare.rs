//! Whether a round of fixes helped: the findings before it compared with those after it.

use std::collections::HashMap;

use trimtab_base::diagnostic::Diagnostic;

use super::State;
use super::candidate::{Candidate, Rank};
use super::rejection::{Rejection, is_error};

/// Accepts a round that adds no error and removes at least one finding for each of its fixes. Errors hide other findings,
/// so when errors are fixed only errors are counted.
pub(super) fn compare(before: &State, after: &State, round: &[&Candidate]) -> Result<(), Rejection> {
    let [errors_before, errors_after] =
        [before, after].map(|state| state.findings.iter().filter(|finding| is_error(finding)).collect::<Vec<_>>());
    if let Some(rejection) = added(&errors_before, &errors_after) {
        return Err(rejection);
    }
    let (before, after) = match round.first() {
        Some(finding) if finding.rank == Rank::Error => (errors_before, errors_after),
        _ => (before.findings.iter().collect(), after.findings.iter().collect()),
    };
    if after.len() + round.len() <= before.len() {
        return Ok(());
    }
    Err(added(&before, &after).unwrap_or(Rejection::Keeps))
}

/// The first finding whose code occurs more often than before.
fn added(before: &[&Diagnostic], after: &[&Diagnostic]) -> Option<Rejection> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for finding in before {
        *counts.entry(finding.code.id).or_default() += 1;
    }
    let is_added = |finding: &&&Diagnostic| match counts.get_mut(finding.code.id) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    after.iter().find(is_added).map(|finding| Rejection::Adds(finding.code.id, finding.message.clone()))
}
