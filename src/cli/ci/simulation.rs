//! The check of the simulations in a project's settings.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::policy::{error, place};
use super::root;
use crate::check::{self, Expectation};
use crate::cli::console::Failure;
use crate::cli::isolated::isolated;
use crate::cli::load::{self, RECORDINGS, Recording};
use crate::cli::project::Project;
use crate::cli::{input, policy};
use crate::config::Simulation;
use crate::host::Files;
use crate::pipeline;
use crate::plan::Plan;
use crate::report::{CiCheck, CiProblem, plural};
use crate::simulate::{Extract, Options, replay};
use crate::source::{Source, SourceId, Span};
use crate::test::Observer;

/// How many replays ran and how many expectations were met.
#[derive(Default)]
struct Tally {
    recordings: usize,
    met: usize,
    expected: usize,
}

pub(super) fn check(project: &Project) -> CiCheck {
    let mut check = CiCheck::new("simulate");
    let all = &project.config.simulations;
    let mut tally = Tally::default();
    for simulation in all {
        match prepare(simulation, project) {
            Ok(ready) => check.problems.extend(ready.run(simulation, project, &mut tally)),
            Err(troubles) => {
                check.is_incomplete = true;
                check.problems.extend(troubles);
            }
        }
    }
    let recordings = plural(tally.recordings, "replay");
    check.summary = match all.len() {
        0 => "no simulations in the settings".to_owned(),
        count => {
            let counts = match tally.expected {
                0 => "no expectations checked".to_owned(),
                expected => format!("{} of {} met", tally.met, plural(expected, "expectation")),
            };
            format!("{}, {recordings}: {counts}", plural(count, "simulation"))
        }
    };
    check
}

/// A simulation with everything it needs.
struct PreparedSimulation {
    name: String,
    plan: Plan,
    recordings: Vec<Recording>,
    expected: Vec<Expectation>,
}

/// Reads the files of a simulation, or returns all problems with them.
fn prepare(simulation: &Simulation, project: &Project) -> Result<PreparedSimulation, Vec<CiProblem>> {
    let folder = root(project);
    let (path, name) = inside(&folder, &simulation.policy.node);
    let problem = |span: Span, text: String| CiProblem { place: place(&project.sources, span), ..error(text) };
    let plan =
        plan(&path, &name, simulation, project).map_err(|reason| vec![problem(simulation.policy.span, reason)])?;
    let (mut troubles, mut recordings) = (Vec::new(), Vec::new());
    for pattern in &simulation.transcripts {
        match read(&inside(&folder, &pattern.node).0) {
            Ok(found) => recordings.extend(found),
            Err(reason) => troubles.push(problem(pattern.span, reason)),
        }
    }
    let mut expected = Vec::new();
    let rules: Vec<_> = plan.rules.iter().map(|rule| rule.name.clone()).collect();
    for text in &simulation.expect {
        let source = Source::new(SourceId(0), "expect", format!("expect {}", text.node));
        match check::assertion(&source, &rules, &plan.agent) {
            Ok(expectation) => expected.push(expectation),
            Err(found) => troubles.extend(found.into_iter().map(|finding| problem(text.span, finding.message))),
        }
    }
    if troubles.is_empty() { Ok(PreparedSimulation { name, plan, recordings, expected }) } else { Err(troubles) }
}

/// A path of the settings, relative to the working directory.
fn inside(folder: &Path, path: &str) -> (PathBuf, String) {
    let path = folder.join(path);
    let name = input::display_name(&path, None);
    (path, name)
}

/// The plan on the host of the simulation.
fn plan(path: &Path, name: &str, simulation: &Simulation, project: &Project) -> Result<Plan, String> {
    let text = input::read_text(path).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    let mut compiled = pipeline::compile_with(name, &text, &mut Files::around(name));
    project.apply_profile_or(&mut compiled.checked, simulation.profile.as_ref().map(|profile| profile.node.as_str()));
    let plan = policy::plan(&compiled, name, simulation.name.as_deref()).map_err(Failure::reason)?;
    plan.ok_or_else(|| format!("{name} has errors: run `trimtab validate {name}`"))
}

/// The conversations of a path or a glob of the settings.
fn read(pattern: &Path) -> Result<Vec<Recording>, String> {
    let files = input::files(&[pattern.to_path_buf()], RECORDINGS).map_err(Failure::reason)?;
    let (agents, mut all) = (load::AgentFiles::among(&files), Vec::new());
    for path in &files {
        let name = input::display_name(path, None);
        all.extend(load::recordings(path, &name, None, &agents).map_err(|error| format!("{name}: {}", error.message))?);
    }
    if all.is_empty() { Err(format!("{} matches no recording", pattern.display())) } else { Ok(all) }
}

impl PreparedSimulation {
    /// Replays all recordings in parallel and returns unmet expectations.
    fn run(&self, simulation: &Simulation, project: &Project, tally: &mut Tally) -> Vec<CiProblem> {
        let each = |recording: &Recording| {
            let mut watch = Observer::new(&self.expected);
            let options = watch.options(Options::default());
            let trace =
                replay(&self.plan, &recording.transcript, &options, &mut Extract, &mut |sent| watch.record(sent));
            let broken: Vec<String> =
                trace.invariants.broken.iter().map(|(call, simulation)| format!("call {call}: {simulation}")).collect();
            (watch.judge(&trace), broken)
        };
        let each = |recording: &Recording| isolated(|| each(recording));
        let done: Vec<_> = self.recordings.par_iter().map(each).collect();
        let mut troubles = Vec::new();
        for (recording, done) in self.recordings.iter().zip(done) {
            let about = |text: &str| format!("{} on {}: {text}", self.name, recording.id);
            tally.recordings += 1;
            let (verdicts, broken) = match done {
                Ok(judged) => judged,
                Err(panic) => {
                    troubles.push(error(about(&panic)));
                    continue;
                }
            };
            tally.expected += verdicts.len();
            tally.met += verdicts.iter().filter(|verdict| verdict.is_met).count();
            for (expected, verdict) in simulation.expect.iter().zip(verdicts).filter(|(_, verdict)| !verdict.is_met) {
                let seen = verdict.actual.lines().next().unwrap_or_default().trim_end_matches(':');
                let text = about(&format!("{}: {seen}", expected.node));
                troubles.push(CiProblem { place: place(&project.sources, expected.span), ..error(text) });
            }
            troubles.extend(broken.iter().map(|violation| error(about(&format!("broken invariant: {violation}")))));
        }
        troubles
    }
}
