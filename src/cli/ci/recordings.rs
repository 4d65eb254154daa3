//! The check of the limits that a project's settings put on its recordings.

use trimtab_analysis::config::RecordingLimits;
use trimtab_analysis::recording::CacheStatistics;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::Span;
use trimtab_model::model::Models;
use trimtab_report::report::{CiCheck, CiProblem, break_sum, plural};
use trimtab_simulate::simulate::{CACHE_CAUSES, RecordedCache};

use super::policy::{error, place};
use super::simulation::recordings_of;
use crate::cli::console::Failure;
use crate::cli::load::AgentFiles;
use crate::cli::prices::PriceArguments;
use crate::cli::project::Project;
use crate::cli::recordings::{Item, Recordings};

/// Checks the limits, or returns `None` if the settings have none.
pub(super) fn check(project: &Project, prices: PriceArguments, jobs: usize) -> Result<Option<CiCheck>, Failure> {
    let all = &project.config.recordings;
    if all.is_empty() {
        return Ok(None);
    }
    let mut check = CiCheck::new("recordings");
    let models = prices.of(&project.config.models);
    let mut measured = Measured::default();
    for limits in all {
        let own = measure(limits, (project, &models), jobs, &mut check)?;
        judge(&own, limits, project, &mut check);
        measured.transcripts += own.transcripts;
        measured.cache += &own.cache;
    }
    let avoidable = break_sum(measured.cache.avoidable(), "avoidable cache break");
    check.summary = format!("{}: {avoidable}", plural(measured.transcripts, "transcript"));
    Ok(Some(check))
}

/// What the recordings of an entry hold.
#[derive(Default)]
struct Measured {
    transcripts: usize,
    cache: CacheStatistics,
}

fn problem(project: &Project, span: Span, text: String) -> CiProblem {
    CiProblem { place: place(&project.sources, span), ..error(text) }
}

/// Reads the recordings of an entry. Those that cannot be read are problems of the check.
fn measure(
    limits: &RecordingLimits,
    (project, models): (&Project, &Models),
    jobs: usize,
    check: &mut CiCheck,
) -> Result<Measured, Failure> {
    let mut measured = Measured::default();
    for pattern in &limits.transcripts {
        let paths = match recordings_of(pattern, project) {
            Ok(paths) => paths,
            Err(reason) => {
                check.is_incomplete = true;
                check.problems.push(problem(project, pattern.span, reason));
                continue;
            }
        };
        let agents = AgentFiles::among(&paths);
        let recordings = Recordings { agents: Some(&agents), ..Recordings::new(&paths, jobs) };
        recordings.each(
            |_, recording| RecordedCache::of(&recording.transcript, models),
            |item| {
                match item {
                    Item::Done(done) => {
                        measured.transcripts += 1;
                        measured.cache += &CacheStatistics::of(&done.value);
                    }
                    Item::Panicked { id, message } => {
                        check.is_incomplete = true;
                        check.problems.push(problem(project, pattern.span, format!("{id}: {message}")));
                    }
                    Item::Unread { file, error: reason } => {
                        check.is_incomplete = true;
                        let text = format!("{}: {}", file.name, reason.message);
                        check.problems.push(problem(project, pattern.span, text));
                    }
                    Item::FileEnd { .. } => {}
                }
                Ok(())
            },
        )?;
    }
    Ok(measured)
}

/// Compares the avoidable cost with its limit. A limit that is exceeded is exceeded whatever breaks without a price cost.
fn judge(measured: &Measured, limits: &RecordingLimits, project: &Project, check: &mut CiCheck) {
    let (avoidable, limit) = (measured.cache.avoidable(), &limits.max_avoidable_cost);
    let amount = |cost: Decimal| format!("${}", cost.round_dp(6).normalize());
    if avoidable.costs.cost > limit.node {
        let causes: Vec<String> = CACHE_CAUSES
            .iter()
            .filter(|cause| cause.is_avoidable())
            .filter_map(|cause| Some((cause, measured.cache.causes.get(cause)?)))
            .map(|(cause, sum)| format!("{} {}", cause.name(), amount(sum.costs.cost)))
            .collect();
        let text = format!(
            "avoidable cache breaks cost {}, more than {} ({}); run `trimtab transcript stat --breaks`",
            amount(avoidable.costs.cost),
            amount(limit.node),
            causes.join(", "),
        );
        check.problems.push(problem(project, limit.span, text));
    } else if !avoidable.costs.is_complete() {
        check.is_incomplete = true;
        let unpriced = plural(avoidable.costs.number - avoidable.costs.priced, "avoidable cache break");
        let text = format!("{unpriced} without a known price; add the model to [models]");
        check.problems.push(problem(project, limit.span, text));
    }
}
