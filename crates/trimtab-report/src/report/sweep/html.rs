//! A sweep as one self-contained page: the Pareto front as a chart whose points open their settings, and tables.

use serde::Serialize;
use trimtab_analysis::sweep::{AXES, Axis, Candidate, Half};

use super::{PLACES, SweepFormat, SweepReport, wording};
use crate::report::Encoding;
use crate::report::figure::rounded;
use crate::report::page::PageKind;
use crate::report::replay_result::ReplayError;
use crate::report::simulation::OPEN_LOOP_NOTICE;

pub(super) static FORMAT: SweepFormat = SweepFormat {
    name: "html",
    summary: "A web page with the Pareto front as a chart",
    encoding: Encoding::Data,
    is_page: true,
    render,
};

const KIND: PageKind = PageKind {
    title: "Sweep report",
    scripts: &[
        include_str!("../page/script/figure.js"),
        include_str!("../page/script/element.js"),
        include_str!("../page/script/table.js"),
        include_str!("../page/script/scatter.js"),
        include_str!("../page/script/combination.js"),
        include_str!("../page/script/sweep.js"),
    ],
    style: include_str!("../page/scatter.css"),
};

/// What the page shows.
#[derive(Serialize)]
struct SweepPage<'a> {
    version: &'a str,
    notice: &'a str,
    file: &'a str,
    policy: &'a str,
    heading: String,
    /// How many of the files could be read, or `None` if all could.
    partial: Option<String>,
    conclusion: String,
    is_good: bool,
    leads: Vec<String>,
    notes: Vec<String>,
    /// Of the tuning set and of the held-out set.
    transcripts: [usize; 2],
    parameters: Vec<Parameter<'a>>,
    /// The axes of the front, and after them the others whose values are known.
    axes: Vec<ShownAxis>,
    /// How many of them are axes of the front.
    objective_axes: usize,
    has_constraints: bool,
    combinations: Vec<Combination<'a>>,
    front: &'a [usize],
    winner: Option<usize>,
    errors: &'a [ReplayError],
}

#[derive(Serialize)]
struct Parameter<'a> {
    name: &'a str,
    written: &'a str,
}

#[derive(Serialize)]
struct ShownAxis {
    name: &'static str,
    summary: &'static str,
}

/// A combination with its figures on the tuning set and on the held-out set.
#[derive(Serialize)]
struct Combination<'a> {
    settings: &'a [String],
    /// Whether it meets the constraints on the tuning set.
    is_feasible: bool,
    halves: [HalfFigures; 2],
}

#[derive(Serialize)]
struct HalfFigures {
    /// The mean on each axis, and how it is written.
    means: Vec<Option<(f64, String)>>,
    /// How the means differ from those of the file as written, with intervals.
    differences: Vec<Option<String>>,
    /// On how many transcripts the constraint does not hold that is broken most often.
    broken: Option<usize>,
}

fn render(report: &SweepReport<'_>) -> String {
    KIND.document(&serde_json::to_string(&page(report)).unwrap_or_default())
}

fn page<'a>(report: &SweepReport<'a>) -> SweepPage<'a> {
    let sweep = report.sweep;
    let axes = shown_axes(report);
    let (conclusion, is_good) = wording::conclusion(report);
    let parameters = report.parameters.iter().map(|one| Parameter { name: &one.name, written: &one.written });
    let combinations = sweep.candidates.iter().enumerate();
    SweepPage {
        version: report.version,
        notice: OPEN_LOOP_NOTICE,
        file: report.file,
        policy: report.policy,
        heading: wording::heading(report),
        partial: report.read_count.partial(),
        conclusion,
        is_good,
        leads: wording::leads(report),
        notes: wording::notes(report),
        transcripts: sweep.transcripts,
        parameters: parameters.collect(),
        axes: axes.iter().map(|axis| ShownAxis { name: axis.name, summary: axis.summary }).collect(),
        objective_axes: sweep.objective.axes.len(),
        has_constraints: !sweep.objective.constraints.is_empty(),
        combinations: combinations.map(|(at, one)| combination(report, at, one, &axes)).collect(),
        front: &sweep.front,
        winner: sweep.winner,
        errors: report.errors,
    }
}

/// The axes of the front, and after them the others whose values are known.
fn shown_axes(report: &SweepReport<'_>) -> Vec<&'static Axis> {
    let sweep = report.sweep;
    let is_new = |axis: &&&Axis| sweep.objective.axes.iter().all(|other| other.name != axis.name);
    let is_known = |axis: &&&Axis| sweep.candidates.iter().all(|one| one.on(Half::Tuning).mean(axis).is_some());
    let others = AXES.iter().filter(is_new).filter(is_known);
    sweep.objective.axes.iter().chain(others).copied().collect()
}

fn combination<'a>(
    report: &SweepReport<'_>,
    at: usize,
    candidate: &'a Candidate,
    axes: &[&'static Axis],
) -> Combination<'a> {
    Combination {
        settings: &candidate.settings,
        is_feasible: candidate.on(Half::Tuning).is_feasible(),
        halves: Half::ALL.map(|half| half_figures(report, (at, candidate), half, axes)),
    }
}

fn half_figures(
    report: &SweepReport<'_>,
    (at, candidate): (usize, &Candidate),
    half: Half,
    axes: &[&'static Axis],
) -> HalfFigures {
    let figures = candidate.on(half);
    let mean =
        |axis: &&'static Axis| figures.mean(axis).map(|mean| (rounded(mean, PLACES), wording::amount(axis, mean)));
    let difference = |axis: &&'static Axis| {
        let interval = report.sweep.interval((at, 0), axis, half)?;
        (at > 0).then(|| wording::difference(axis, &interval))
    };
    HalfFigures {
        means: axes.iter().map(mean).collect(),
        differences: report.sweep.objective.axes.iter().map(difference).collect(),
        broken: figures.unmet.iter().max().copied(),
    }
}
