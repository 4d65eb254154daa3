//! The policy file whose constants are varied.

use trimtab_analysis::sweep::{self, Parameter, ParameterError};
use trimtab_base::source::{Source, SourceId, SourceMap};
use trimtab_language::plan::{self, Plan};
use trimtab_lint::lint;
use trimtab_syntax::syntax;

use super::{Compile, SweepError};
use crate::pipeline::Compiled;

/// A policy file without errors, in the policy language.
#[derive(Debug)]
pub struct SweptFile {
    /// Its name as the user gave it.
    pub name: String,
    /// Its text.
    pub text: String,
    /// The plan of the file as written.
    pub plan: Plan,
    /// What can be varied.
    parameters: Vec<Parameter>,
    /// The text of the file and of those that it uses.
    sources: SourceMap,
    /// The wanted policy.
    policy: Option<String>,
}

impl SweptFile {
    /// A compiled file and the plan of its policy, which is the wanted one or the only one.
    pub fn new(name: &str, text: String, compiled: Compiled, plan: Plan, policy: Option<&str>) -> Self {
        let source = Source::new(SourceId(0), name, text.as_str());
        let parameters = sweep::parameters(&syntax::parse(&source).0, &text);
        let policy = policy.map(str::to_owned);
        Self { name: name.to_owned(), text, plan, parameters, sources: compiled.sources, policy }
    }

    /// The parameter of this name.
    pub(super) fn parameter(&self, name: &str) -> Result<&Parameter, SweepError> {
        sweep::find(&self.parameters, name).map_err(|error| {
            let file = &self.name;
            let reason = match error {
                ParameterError::Ambiguous(help) => format!("{file} has several of this name; {help}"),
                ParameterError::Unknown(help) => match self.used_file_with(name) {
                    Some(other) => format!("it is in {other}, which {file} uses; only {file} is varied"),
                    None => format!("{file} has no constant of this name; {help}"),
                },
            };
            SweepError::Parameter { name: name.to_owned(), reason }
        })
    }

    /// The name of the first used file that has a parameter of this name.
    fn used_file_with(&self, name: &str) -> Option<&str> {
        let has = |source: &&Source| {
            let found = sweep::parameters(&syntax::parse(source).0, source.text());
            !matches!(sweep::find(&found, name), Err(ParameterError::Unknown(_)))
        };
        self.sources.iter().find(has).map(Source::name)
    }

    /// The text of the file with other values of parameters.
    pub(super) fn edited<'p>(
        &self,
        values: impl IntoIterator<Item = (&'p Parameter, &'p str)>,
    ) -> Result<String, SweepError> {
        let edits: Vec<_> = values.into_iter().map(|(parameter, value)| parameter.edit(value)).collect();
        lint::apply_edits(&self.text, SourceId(0), &edits).ok_or(SweepError::Overlap)
    }

    /// The plan of another text of this file, or the compiled text if it has errors.
    pub(super) fn plan_of(&self, text: &str, compile: &mut Compile<'_>) -> Result<Result<Plan, Compiled>, SweepError> {
        let compiled = compile(text);
        let Some(checked) = &compiled.checked else { return Ok(Err(compiled)) };
        plan::lower(checked, self.policy.as_deref()).map(Ok).map_err(SweepError::Choice)
    }
}
