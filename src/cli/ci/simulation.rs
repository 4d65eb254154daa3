//! The check of the simulations in a project's settings.

use std::path::{Path, PathBuf};

use smol_str::SmolStr;
use trimtab_analysis::config::Simulation;
use trimtab_analysis::test::{ExpectationResult, Observer, SummedExpectation};
use trimtab_base::source::{Source, SourceId, Span, Spanned};
use trimtab_language::check::{self, Expectation};
use trimtab_language::plan::Plan;
use trimtab_report::report::{CiCheck, CiProblem, CiSimulation, plural};
use trimtab_simulate::simulate::{Extract, Options, Trace, replay};

use super::policy::{error, place};
use crate::cli::console::Failure;
use crate::cli::load::{AgentFiles, RECORDINGS, Recording};
use crate::cli::prices::PriceArguments;
use crate::cli::project::Project;
use crate::cli::recordings::{Item, Recordings};
use crate::cli::{input, policy};
use crate::host::Files;
use crate::pipeline;

/// Runs all simulations. Those that cannot be prepared are problems of the check.
pub(super) fn check(
    project: &Project,
    prices: PriceArguments,
    jobs: usize,
) -> Result<(CiCheck, Vec<CiSimulation>), Failure> {
    let mut check = CiCheck::new("simulate");
    let all = &project.config.simulations;
    let mut results: Vec<CiSimulation> = Vec::new();
    for simulation in all {
        match prepare(simulation, project, prices) {
            Ok(ready) => {
                let mut result = CiSimulation::new(described(&ready.name, simulation), ready.plan.clone());
                check.is_incomplete |= ready.run(simulation, project, jobs, &mut result, &mut check.problems)?;
                results.push(result);
            }
            Err(troubles) => {
                check.is_incomplete = true;
                check.problems.extend(troubles);
            }
        }
    }
    let total = |of: fn(&CiSimulation) -> usize| results.iter().map(of).sum::<usize>();
    let replays = plural(total(|one| one.replays), "replay");
    check.is_skipped = all.is_empty();
    check.summary = match all.len() {
        0 => "not configured ([[simulate]] in trimtab.toml)".to_owned(),
        count => {
            let counts = match total(|one| one.expected) {
                0 => "no expectations checked".to_owned(),
                expected => format!("{} of {} met", total(|one| one.met), plural(expected, "expectation")),
            };
            let rest = if check.is_incomplete { ", not everything could be checked" } else { "" };
            format!("{}, {replays}: {counts}{rest}", plural(count, "simulation"))
        }
    };
    Ok((check, results))
}

/// The policy of a simulation with its name in the file and the profile, if the settings name them.
fn described(file: &str, simulation: &Simulation) -> String {
    let name = simulation.name.iter().map(|name| format!("policy {name}"));
    let profile = simulation.profile.iter().map(|profile| format!("profile {}", profile.node));
    let chosen: Vec<String> = name.chain(profile).collect();
    if chosen.is_empty() { file.to_owned() } else { format!("{file} ({})", chosen.join(", ")) }
}

/// A replay of a recording, the verdicts of the expectations on it, and the broken invariants.
struct JudgedReplay {
    trace: Trace,
    verdicts: Vec<ExpectationResult>,
    broken: Vec<String>,
}

/// A simulation with everything it needs.
struct PreparedSimulation {
    name: String,
    plan: Plan,
    /// The options of every replay.
    options: Options,
    /// The recordings of each pattern.
    recordings: Vec<Vec<PathBuf>>,
    /// The expectations on each recording, with their places in the settings.
    expected: Vec<Expectation>,
    texts: Vec<Spanned<SmolStr>>,
    /// Those on the totals over all recordings.
    summed: Vec<(Spanned<SmolStr>, SummedExpectation)>,
}

/// Reads the files of a simulation, or returns all problems with them.
fn prepare(
    simulation: &Simulation,
    project: &Project,
    prices: PriceArguments,
) -> Result<PreparedSimulation, Vec<CiProblem>> {
    let path = project.resolve(&simulation.policy);
    let name = input::display_name(&path, None);
    let problem = |span: Span, text: String| CiProblem { place: place(&project.sources, span), ..error(text) };
    let plan =
        plan(&path, &name, simulation, project).map_err(|reason| vec![problem(simulation.policy.span, reason)])?;
    let (mut troubles, mut recordings) = (Vec::new(), Vec::new());
    for pattern in &simulation.transcripts {
        match recordings_of(pattern, project) {
            Ok(found) => recordings.push(found),
            Err(reason) => troubles.push(problem(pattern.span, reason)),
        }
    }
    let (mut expected, mut texts, mut summed) = (Vec::new(), Vec::new(), Vec::new());
    let rules: Vec<_> = plan.rules.iter().map(|rule| rule.name.clone()).collect();
    for text in &simulation.expect {
        let source = Source::new(SourceId(0), "expect", format!("expect {}", text.node));
        match check::assertion(&source, &rules, &plan.agent) {
            Ok(expectation) => {
                if let Some(sum) = SummedExpectation::of(&expectation.claim) {
                    summed.push((text.clone(), sum));
                } else {
                    expected.push(expectation);
                    texts.push(text.clone());
                }
            }
            Err(found) => troubles.extend(found.into_iter().map(|finding| problem(text.span, finding.message))),
        }
    }
    if troubles.is_empty() {
        let options = Options { prices_of: prices.prices_of, ..Options::default() };
        Ok(PreparedSimulation { name, plan, options, recordings, expected, texts, summed })
    } else {
        Err(troubles)
    }
}

/// The plan on the host of the simulation.
fn plan(path: &Path, name: &str, simulation: &Simulation, project: &Project) -> Result<Plan, String> {
    project.check(path)?;
    let text = input::read_text(path).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    let mut compiled = pipeline::compile_with(name, &text, &mut Files::around(name));
    project.apply_profile_or(&mut compiled.checked, simulation.profile.as_ref().map(|profile| profile.node.as_str()));
    let plan = policy::plan(&compiled, name, simulation.name.as_deref()).map_err(Failure::reason)?;
    plan.ok_or_else(|| format!("{name} has errors: run `trimtab validate {name}`"))
}

/// The recordings of a path or a glob of the settings.
pub(super) fn recordings_of(pattern: &Spanned<SmolStr>, project: &Project) -> Result<Vec<PathBuf>, String> {
    let files = project.files(pattern, RECORDINGS)?;
    if files.is_empty() {
        return Err(format!("{} matches no recording", project.resolve(pattern).display()));
    }
    Ok(files)
}

impl PreparedSimulation {
    /// Replays all recordings in parallel and adds unmet expectations to the problems. Returns whether a recording could not
    /// be read.
    fn run(
        &self,
        simulation: &Simulation,
        project: &Project,
        jobs: usize,
        result: &mut CiSimulation,
        problems: &mut Vec<CiProblem>,
    ) -> Result<bool, Failure> {
        let (mut is_incomplete, mut summed) = (false, self.summed.clone());
        for (paths, pattern) in self.recordings.iter().zip(&simulation.transcripts) {
            let agents = AgentFiles::among(paths);
            let recordings = Recordings { agents: Some(&agents), ..Recordings::new(paths, jobs) };
            recordings.each(
                |_, recording| self.judged(recording),
                |item| {
                    match item {
                        Item::Done(done) => {
                            result.add(&done.id, &done.value.trace);
                            for (_, sum) in &mut summed {
                                sum.add(&done.value.trace);
                            }
                            self.take(&done.id, &done.value, project, result, problems);
                        }
                        Item::Panicked { id, message } => {
                            result.replays += 1;
                            problems.push(self.problem(&id, &message));
                        }
                        Item::Unread { file, error: reason } => {
                            is_incomplete = true;
                            let text = format!("{}: {}", file.name, reason.message);
                            problems.push(CiProblem { place: place(&project.sources, pattern.span), ..error(text) });
                        }
                        Item::FileEnd { .. } => {}
                    }
                    Ok(())
                },
            )?;
        }
        for (text, sum) in summed {
            let verdict = sum.verdict();
            result.expected += 1;
            result.met += usize::from(verdict.is_met);
            if !verdict.is_met {
                problems.push(self.unmet("all recordings", &text, &verdict, project));
            }
        }
        Ok(is_incomplete)
    }

    fn judged(&self, recording: &Recording) -> JudgedReplay {
        let mut watch = Observer::new(&self.expected);
        let options = watch.options(self.options.clone());
        let trace = replay(&self.plan, &recording.transcript, &options, &mut Extract, &mut |sent| watch.record(sent));
        let broken = trace.invariants.broken.iter();
        let broken = broken.map(|(call, violation)| format!("call {call}: {violation}")).collect();
        JudgedReplay { verdicts: watch.judge(&trace), broken, trace }
    }

    fn take(
        &self,
        id: &str,
        JudgedReplay { verdicts, broken, .. }: &JudgedReplay,
        project: &Project,
        result: &mut CiSimulation,
        problems: &mut Vec<CiProblem>,
    ) {
        result.replays += 1;
        result.expected += verdicts.len();
        result.met += verdicts.iter().filter(|verdict| verdict.is_met).count();
        let unmet = self.texts.iter().zip(verdicts).filter(|(_, verdict)| !verdict.is_met);
        problems.extend(unmet.map(|(text, verdict)| self.unmet(id, text, verdict, project)));
        problems.extend(broken.iter().map(|violation| self.problem(id, &format!("broken invariant: {violation}"))));
    }

    /// An expectation that is not met.
    fn unmet(&self, id: &str, text: &Spanned<SmolStr>, verdict: &ExpectationResult, project: &Project) -> CiProblem {
        let seen = verdict.actual.lines().next().unwrap_or_default().trim_end_matches(':');
        let problem = self.problem(id, &format!("{}: {seen}", text.node));
        CiProblem { place: place(&project.sources, text.span), ..problem }
    }

    fn problem(&self, id: &str, text: &str) -> CiProblem {
        error(format!("{} on {id}: {text}", self.name))
    }
}
