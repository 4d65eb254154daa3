//! Assertions of the command line, parsed as expectations of a test.

use smol_str::SmolStr;
use trimtab_analysis::test::{Observer, SummedExpectation};
use trimtab_base::source::SourceMap;
use trimtab_language::check::{self, Expectation};
use trimtab_language::plan::Plan;
use trimtab_report::report;
use trimtab_report::report::{AssertionResult, SummedAssertion};
use trimtab_simulate::simulate::Trace;

use crate::cli::console::{Console, Failure};

/// Parses all expectations of an option; all errors are printed.
pub(in super::super) fn all(
    option: &str,
    texts: &[String],
    plan: &Plan,
    console: &Console,
) -> Result<Vec<Expectation>, Failure> {
    let rules: Vec<SmolStr> = plan.rules.iter().map(|rule| rule.name.clone()).collect();
    let (mut sources, mut expectations) = (SourceMap::default(), Vec::new());
    for text in texts {
        let id = sources.add(option, format!("expect {text}"));
        let Some(source) = sources.get(id) else { continue };
        match check::assertion(source, &rules, &plan.agent) {
            Ok(expectation) => expectations.push(expectation),
            Err(found) => {
                for finding in &found {
                    Console::print_error(report::draw(&sources, finding, console.notes));
                }
            }
        }
    }
    if expectations.len() < texts.len() {
        return Err(Failure::Message(format!("invalid {option}: use an expectation as after `expect` in a test")));
    }
    Ok(expectations)
}

/// The assertions of a simulation.
#[derive(Default)]
pub(super) struct Assertions {
    /// Those on each recording.
    texts: Vec<String>,
    pub(super) expectations: Vec<Expectation>,
    /// Those on the totals over all recordings.
    pub(super) summed: Vec<SummedAssertion>,
}

impl Assertions {
    /// Parses the assertions of `--assert`.
    pub(super) fn of(texts: &[String], plan: &Plan, console: &Console) -> Result<Self, Failure> {
        let mut assertions = Self::default();
        for (text, expectation) in texts.iter().zip(all("--assert", texts, plan, console)?) {
            if let Some(sum) = SummedExpectation::of(&expectation.claim) {
                assertions.summed.push(SummedAssertion { text: text.clone(), sum });
            } else {
                assertions.texts.push(text.clone());
                assertions.expectations.push(expectation);
            }
        }
        Ok(assertions)
    }

    /// The result of each assertion on a recording.
    pub(super) fn results(&self, watch: &Observer<'_>, trace: &Trace) -> Vec<AssertionResult> {
        let verdicts = watch.judge(trace).into_iter();
        self.texts.iter().zip(verdicts).map(|(text, verdict)| AssertionResult { text: text.clone(), verdict }).collect()
    }
}
