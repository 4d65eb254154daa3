//! Expectations that stand outside a test: assertions on simulations, constraints on sweeps.

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::SourceMap;
use trimtab_language::check::{self, Expectation};
use trimtab_language::plan::Plan;

/// What is wrong with assertions, and the texts that the diagnostics point into.
#[derive(Debug, Default)]
pub struct AssertionErrors {
    /// The assertions, each as it would stand in a test.
    pub sources: SourceMap,
    /// All errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses expectations, each as after `expect` in a test. Messages give `name` as the file.
///
/// # Errors
/// What is wrong with any of them.
pub fn parse(name: &str, texts: &[String], plan: &Plan) -> Result<Vec<Expectation>, AssertionErrors> {
    let rules: Vec<SmolStr> = plan.rules.iter().map(|rule| rule.name.clone()).collect();
    let (mut errors, mut expectations) = (AssertionErrors::default(), Vec::new());
    for text in texts {
        let id = errors.sources.add(name, format!("expect {text}"));
        let Some(source) = errors.sources.get(id) else { continue };
        match check::assertion(source, &rules, &plan.agent) {
            Ok(expectation) => expectations.push(expectation),
            Err(found) => errors.diagnostics.extend(found),
        }
    }
    if expectations.len() == texts.len() { Ok(expectations) } else { Err(errors) }
}
