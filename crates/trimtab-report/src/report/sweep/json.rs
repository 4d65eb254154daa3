//! A sweep as one JSON object, with all combinations and all axes.

use rust_decimal::prelude::ToPrimitive;
use serde_json::{Map, Value as Json, json};
use trimtab_analysis::sweep::{AXES, Axis, Candidate, Figures, Half, Lead};
use trimtab_base::quantity::Decimal;

use super::{SweepFormat, SweepReport};
use crate::report::Encoding;

pub(super) static FORMAT: SweepFormat = SweepFormat {
    name: "json",
    summary: "One JSON object with all combinations and axes",
    encoding: Encoding::Json,
    is_page: false,
    render,
};

fn render(report: &SweepReport<'_>) -> String {
    let (sweep, split) = (report.sweep, report.split);
    let [tuning, held_out] = sweep.transcripts;
    let names = |axes: &[&Axis]| axes.iter().map(|axis| axis.name).collect::<Vec<_>>();
    let parameters = report
        .parameters
        .iter()
        .map(|parameter| json!({ "name": parameter.name, "written": parameter.written, "values": parameter.values }));
    let partial = sweep.partial.iter().map(|(axis, known)| json!({ "axis": axis.name, "transcripts": known }));
    let candidates = sweep.candidates.iter().enumerate();
    let json = json!({
        "schema_version": 1,
        "version": report.version,
        "policy": { "file": report.file, "name": report.policy },
        "parameters": parameters.collect::<Vec<_>>(),
        "possible_combinations": report.possible,
        "tried_combinations": report.tried,
        "axes": names(&sweep.objective.axes),
        "unknown_axes": names(&sweep.unknown),
        "partial_axes": partial.collect::<Vec<_>>(),
        "constraints": sweep.objective.constraints,
        "above": number(report.above),
        "held_out": number(split.held_out),
        "seed": split.seed,
        "transcripts": { "tuning": tuning, "held_out": held_out },
        "combinations": candidates.map(|(at, candidate)| combination(report, at, candidate)).collect::<Vec<_>>(),
        "front": sweep.front,
        "winner": sweep.winner,
        "runner_up": sweep.runner_up,
        "leads": sweep.leads.iter().map(lead).collect::<Vec<_>>(),
        "verdict": sweep.verdict.name(),
        "errors": report.errors,
    });
    format!("{json:#}\n")
}

fn combination(report: &SweepReport<'_>, at: usize, candidate: &Candidate) -> Json {
    let settings = report.parameters.iter().zip(&candidate.settings);
    let settings: Map<String, Json> = settings.map(|(one, value)| (one.name.clone(), json!(value))).collect();
    json!({
        "settings": settings,
        "as_written": at == 0,
        "hash": candidate.hash,
        "tuning": figures(candidate.on(Half::Tuning)),
        "held_out": figures(candidate.on(Half::HeldOut)),
    })
}

fn figures(figures: &Figures) -> Json {
    let means = AXES.iter().map(|axis| (axis.name.to_owned(), json!(figures.mean(axis).map(number))));
    json!({ "means": means.collect::<Map<_, _>>(), "broken": figures.unmet })
}

fn lead(lead: &Lead) -> Json {
    let [mean, low, high] = [lead.interval.mean, lead.interval.low, lead.interval.high].map(number);
    json!({ "other": lead.over, "half": lead.half.name(), "mean": mean, "low": low, "high": high, "error": number(lead.error) })
}

/// A number with at most nine places.
pub(super) fn number(amount: Decimal) -> Json {
    amount.round_dp(9).to_f64().map_or(Json::Null, Json::from)
}
