//! How two policies differ.

use trimtab_analysis::diff::{self, ReplayDifference};
use trimtab_report::report::result::DifferenceResult;
use trimtab_report::report::{ComparedPolicy, Comparison, ContextCharts};
use trimtab_simulate::simulate::{Extract, Options, replay};

use super::lint::STYLE;
use super::policy::Plan;
use super::recording::Transcript;

/// Compares two plans rule by rule, and replays transcripts under both, with default options and quotations as summaries. The replays
/// are sorted by their difference, the largest first.
pub fn diff(before: &Plan, after: &Plan, transcripts: &[Transcript]) -> DifferenceResult {
    let replayed = |transcript: &Transcript| {
        let [before, after] =
            [before, after].map(|plan| replay(&plan.0, &transcript.0, &Options::default(), &mut Extract, &mut |_| {}));
        ReplayDifference { id: transcript.id().to_owned(), ..ReplayDifference::of(&before, &after) }
    };
    let mut replays: Vec<ReplayDifference> = transcripts.iter().map(replayed).collect();
    replays.sort_by_key(|difference| std::cmp::Reverse(difference.weight()));
    let comparison = Comparison {
        before: ComparedPolicy { file: before.policy(), plan: &before.0 },
        after: ComparedPolicy { file: after.policy(), plan: &after.0 },
        difference: &diff::compare(&before.0, &after.0),
        replays: (!transcripts.is_empty()).then_some(&replays),
        charts: &ContextCharts::default(),
        unread: &[],
        style: STYLE,
    };
    (&comparison).into()
}
