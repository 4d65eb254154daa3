//! Givens that nothing reads, values that cannot be, and expectations of calls that do not come.

use trimtab_base::quantity::Value;
use trimtab_base::source::Span;

use super::{Checker, Expectation, TestInput};
use crate::check::display::format_reading;
use crate::check::error;
use crate::check::policy::Reading;
use crate::check::test_case::{ExpectationKind, Series};

impl Checker<'_, '_> {
    /// Reports inputs of a valid test that its policy does not read; `reads` is what the policy reads.
    pub(super) fn check_inputs_are_read(&mut self, given: &TestInput, expected: &[Expectation], reads: &[&Reading]) {
        let claimed = expected.iter().filter_map(|expectation| match &expectation.claim {
            ExpectationKind::Fact(_, test) => Some(&test.reading),
            _ => None,
        });
        let read: Vec<&Reading> = reads.iter().copied().chain(claimed).collect();
        for series in &given.series {
            if !read.iter().any(|reading| shows(reading, &series.reading)) {
                self.report(unread(series, reads));
            }
        }
        let Some(calls) = given.calls().filter(|calls| *calls > 0) else { return };
        for expectation in expected {
            if let Some(at) = expectation.claim.calls().iter().find(|at| **at >= calls) {
                self.report(error::test::beyond(expectation.span, *at, calls));
            }
        }
    }

    /// Reports a value that a fact with these arguments cannot have.
    pub(super) fn is_possible(&mut self, reading: &Reading, value: &Value, span: Span) {
        let (Value::Number(number), Some(largest)) = (value, reading.fact.largest(&reading.arguments)) else { return };
        if *number > largest {
            let shown = |number| Value::Number(number).display(reading.fact.ty);
            self.report(error::test::impossible(span, &format_reading(reading), &shown(*number), &shown(largest)));
        }
    }
}

/// Whether the value of one reading affects another one: the same fact with the same arguments, or one that follows from it.
fn shows(reading: &Reading, given: &Reading) -> bool {
    let is_same = std::ptr::eq(reading.fact, given.fact) && reading.arguments == given.arguments;
    is_same || reading.fact.follows_from(given.fact)
}

fn unread(series: &Series, reads: &[&Reading]) -> trimtab_base::diagnostic::Diagnostic {
    let (fact, name) = (series.reading.fact, series.reading.name());
    let mut others: Vec<String> = Vec::new();
    for reading in reads.iter().filter(|reading| std::ptr::eq(reading.fact, fact) && !fact.is_host()) {
        let name = format_reading(reading);
        if !others.contains(&name) {
            others.push(name);
        }
    }
    error::test::unread(series.reading.span, &name, &format_reading(&series.reading), &others)
}
