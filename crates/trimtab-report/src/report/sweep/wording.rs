//! The words and numbers that the formats for people share.

use trimtab_analysis::sweep::{
    Axis, AxisUnit, Candidate, Half, Interval, Lead, MIN_TRANSCRIPTS, Observation, SweepVerdict,
};
use trimtab_base::quantity::{Decimal, grouped, percent};

use super::SweepReport;
use crate::report::amount::{dollars, is_shown_as_more_than_zero, with_sign};
use crate::report::number::{plural, whole};

/// The most combinations of the front that are listed.
const MAX_LISTED: usize = 20;

/// `24 combinations of 2 constants on 21 transcripts: 12 to tune, 9 held out.`
pub(super) fn heading(report: &SweepReport<'_>) -> String {
    let sweep = report.sweep;
    let constants = plural(report.parameters.len(), "constant");
    let (tried, possible) = (report.tried, report.possible);
    let of = if tried < possible { format!("{} of ", whole(tried)) } else { String::new() };
    let combinations = format!("{of}{}", plural(possible, "combination"));
    let [tuning, held_out] = sweep.transcripts;
    let transcripts = plural(tuning + held_out, "transcript");
    format!(
        "`{}` with {combinations} of {constants} on {transcripts}: {} to tune, {} held out.",
        report.policy,
        whole(tuning),
        whole(held_out)
    )
}

/// The combinations of a table: the front, the best first, and the file as written; and how many are left out.
pub(super) fn listed<'a>(report: &SweepReport<'a>) -> (Vec<(usize, &'a Candidate)>, usize) {
    let sweep = report.sweep;
    let mut listed: Vec<usize> = sweep.front.iter().copied().take(MAX_LISTED).collect();
    if !listed.contains(&0) {
        listed.push(0);
    }
    let left_out = sweep.front.iter().filter(|at| !listed.contains(at)).count();
    (listed.into_iter().filter_map(|at| Some((at, sweep.candidates.get(at)?))).collect(), left_out)
}

/// The settings of a combination: `busy=60%, mask_old.keep=5`.
pub(super) fn settings(report: &SweepReport<'_>, candidate: &Candidate) -> String {
    let each = report.parameters.iter().zip(&candidate.settings);
    each.map(|(parameter, value)| format!("{}={value}", parameter.name)).collect::<Vec<_>>().join(", ")
}

/// The heads of the columns after the settings.
pub(super) fn columns(report: &SweepReport<'_>) -> Vec<&'static str> {
    let axes = report.sweep.objective.axes.iter().map(|axis| axis.name);
    let broken = (!report.sweep.objective.constraints.is_empty()).then_some("broken");
    axes.chain(broken).collect()
}

/// The cells of a combination on a set, in the order of [`columns`].
pub(super) fn cells(report: &SweepReport<'_>, candidate: &Candidate, half: Half) -> Vec<String> {
    let figures = candidate.on(half);
    let mean = |axis: &&'static Axis| figures.mean(axis).map_or_else(|| "none".to_owned(), |mean| amount(axis, mean));
    let means = report.sweep.objective.axes.iter().map(mean);
    // Several constraints can be broken on the same transcript; the worst one counts.
    let broken = figures.unmet.iter().max().map(|count| whole(*count));
    means.chain(broken).collect()
}

/// `Tuning set: 12 transcripts, means per transcript`
pub(super) fn caption(report: &SweepReport<'_>, half: Half) -> String {
    let [tuning, held_out] = report.sweep.transcripts;
    let (name, count) = match half {
        Half::Tuning => ("Tuning set", tuning),
        Half::HeldOut => ("Held-out set", held_out),
    };
    format!("{name}: {}, means per transcript", plural(count, "transcript"))
}

/// What is to be known of the columns.
pub(super) fn notes(report: &SweepReport<'_>) -> Vec<String> {
    let sweep = report.sweep;
    let mut notes: Vec<String> = Vec::new();
    if !sweep.objective.constraints.is_empty() {
        let constraints: Vec<String> = sweep.objective.constraints.iter().map(|one| format!("`{one}`")).collect();
        let verb = if constraints.len() == 1 { "does" } else { "do" };
        notes.push(format!(
            "`broken` is the number of transcripts on which {} {verb} not hold.",
            constraints.join(", ")
        ));
    }
    if sweep.objective.axes.iter().any(|axis| axis.name == "calls-above") {
        notes.push(format!("`calls-above` counts calls above {} of the window.", percent(report.above)));
    }
    if sweep.observations.iter().any(Observation::has_stops) {
        notes.push(
            "A transcript that a combination stops counts on the other axes at least as much as under the worst combination \
             that does not stop it: calls that are not made are no saving."
                .to_owned(),
        );
    }
    let unknown: Vec<String> = sweep.unknown.iter().map(|axis| format!("`{}`", axis.name)).collect();
    if !unknown.is_empty() {
        notes.push(format!(
            "Unknown on transcripts with more than half of the tokens, and therefore left out: {}.",
            unknown.join(", ")
        ));
    }
    let all = plural(sweep.observations.len(), "transcript");
    for (axis, known) in &sweep.partial {
        notes.push(format!("`{}` is known on {} of {all}, and compared on these.", axis.name, whole(*known)));
    }
    notes
}

/// The differences between the winner and the others, a sentence each.
pub(super) fn leads(report: &SweepReport<'_>) -> Vec<String> {
    let sweep = report.sweep;
    let Some(axis) = sweep.deciding else { return Vec::new() };
    let mut others: Vec<usize> = sweep.leads.iter().map(|lead| lead.other).collect();
    others.dedup();
    let on = |over, half| sweep.leads.iter().find(|lead| (lead.other, lead.half) == (over, half));
    let sentence = |over: usize| {
        let halves: Vec<String> = Half::ALL
            .iter()
            .filter_map(|half| {
                on(over, *half).map(|lead| format!("{} on the {} set", difference(axis, &lead.interval), half.name()))
            })
            .collect();
        let other = match sweep.candidates.get(over) {
            Some(candidate) if over > 0 => format!("the runner-up `{}`", settings(report, candidate)),
            _ => "the file as written".to_owned(),
        };
        format!(
            "{} compared with {other}: {}.{}",
            axis.name,
            halves.join(", "),
            errors(axis, Half::ALL.map(|half| on(over, half)))
        )
    };
    others.into_iter().map(sentence).collect()
}

/// How much smaller errors of replays may make a lead, in a sentence; empty if they do not.
fn errors(axis: &Axis, leads: [Option<&Lead>; 2]) -> String {
    let each = leads.into_iter().flatten().map(|lead| (amount(axis, lead.error), lead.half.name()));
    let each: Vec<String> = each
        .filter(|(amount, _)| is_shown_as_more_than_zero(amount))
        .map(|(amount, half)| format!("{amount} on the {half} set"))
        .collect();
    if each.is_empty() {
        return String::new();
    }
    format!(" Errors of replays make the lead smaller by at most {} (nominal 80% interval).", each.join(" and "))
}

/// `-$0.125 (-$0.152 to -$0.101)`
pub(super) fn difference(axis: &Axis, interval: &Interval) -> String {
    let [mean, low, high] =
        [interval.mean, interval.low, interval.high].map(|one| with_sign(one, "+", |one| amount(axis, one)));
    format!("{mean} ({low} to {high})")
}

/// The conclusion in a sentence, and whether it is good news.
pub(super) fn conclusion(report: &SweepReport<'_>) -> (String, bool) {
    let sweep = report.sweep;
    let winner = sweep.winner.and_then(|at| sweep.candidates.get(at));
    let name = winner.map(|winner| settings(report, winner)).unwrap_or_default();
    let axis = sweep.deciding.map(|axis| axis.name).unwrap_or_default();
    let text = match sweep.verdict {
        SweepVerdict::NoneFeasible if sweep.transcripts[0] == 0 => {
            "No transcript is in the tuning set: use more recordings or a smaller --held-out.".to_owned()
        }
        SweepVerdict::NoneFeasible => {
            "No combination meets all constraints on all transcripts of the tuning set.".to_owned()
        }
        SweepVerdict::AsWritten => format!("No combination has less {axis} than the file as written."),
        SweepVerdict::TooFewTranscripts => format!(
            "`{name}` has the least {axis} on the tuning set, but nothing can be concluded: each set needs at least \
             {MIN_TRANSCRIPTS} transcripts."
        ),
        SweepVerdict::BreaksConstraint => format!(
            "`{name}` has the least {axis} on the tuning set, but a constraint does not hold on the held-out set."
        ),
        SweepVerdict::DoesNotHold => format!(
            "`{name}` has the least {axis} on the tuning set, but its lead does not hold: on the held-out set it is not \
             better than the file as written."
        ),
        SweepVerdict::WithinNoise => format!(
            "`{name}` has the least {axis} on the tuning set, but its lead over the file as written is within noise."
        ),
        SweepVerdict::WithinError => format!(
            "`{name}` has the least {axis} on the tuning set, but its lead over the file as written is smaller than the \
             errors of replays."
        ),
        SweepVerdict::MeetsConstraints => format!(
            "`{name}` has the least {axis} of the combinations that meet the constraints; the file as written does not meet \
             them."
        ),
        SweepVerdict::Holds => format!("`{name}` has the least {axis}, and its lead holds on the held-out set."),
    };
    (text, sweep.verdict.is_verified() || sweep.verdict == SweepVerdict::AsWritten)
}

/// A mean on an axis.
pub(super) fn amount(axis: &Axis, mean: Decimal) -> String {
    match axis.unit {
        AxisUnit::Dollars if mean.abs() < Decimal::ONE => format!("${:.4}", mean.round_dp(4)),
        AxisUnit::Dollars => dollars(mean),
        AxisUnit::Tokens => grouped(mean),
        AxisUnit::Share => percent(mean),
        AxisUnit::Count => mean.round_dp(2).normalize().to_string(),
    }
}
