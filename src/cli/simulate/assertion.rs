//! Assertions of the command line, parsed as expectations of a test.

use trimtab_analysis::test::{Observer, SummedExpectation};
use trimtab_language::check::Expectation;
use trimtab_language::plan::Plan;
use trimtab_report::report;
use trimtab_report::report::{AssertionResult, SummedAssertion};
use trimtab_simulate::simulate::Trace;

use crate::cli::console::{Console, Failure};
use crate::pipeline::assertion;

/// Parses all expectations of an option; all errors are printed.
pub(in super::super) fn all(
    option: &str,
    texts: &[String],
    plan: &Plan,
    console: &Console,
) -> Result<Vec<Expectation>, Failure> {
    assertion::parse(option, texts, plan).map_err(|errors| {
        for finding in &errors.diagnostics {
            Console::print_error(report::draw(&errors.sources, finding, console.notes));
        }
        Failure::Message(format!("invalid {option}: use an expectation as after `expect` in a test"))
    })
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
