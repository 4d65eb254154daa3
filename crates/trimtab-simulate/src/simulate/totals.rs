//! Sums over replays.

use super::call_sums::Series;
use super::trace::Trace;

/// Sums over several traces.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// Transcripts.
    pub transcripts: usize,
    /// Calls.
    pub calls: usize,
    /// Runs.
    pub runs: usize,
    /// Contexts as recorded.
    pub before: Series,
    /// Those of the calls that are made with the plan too; see [`Trace::compared`].
    pub compared: Series,
    /// Contexts as the plan would have sent them.
    pub after: Series,
}

impl Totals {
    /// Sums over traces.
    pub fn of<'a>(traces: impl IntoIterator<Item = &'a Trace>) -> Self {
        let mut totals = Self::default();
        for trace in traces {
            totals.transcripts += 1;
            totals.calls += trace.call_count();
            totals.runs += trace.runs;
            totals.before = totals.before.merge(trace.before());
            totals.compared = totals.compared.merge(trace.compared());
            totals.after = totals.after.merge(trace.after());
        }
        totals
    }
}
