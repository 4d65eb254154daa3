//! The policy file whose parameters are varied.

use std::path::{Path, PathBuf};

use trimtab_analysis::sweep::{self, Parameter, ParameterError};
use trimtab_base::source::{Source, SourceFormat, SourceId, SourceMap};
use trimtab_language::plan::Plan;
use trimtab_syntax::syntax;

use crate::cli::console::{Console, Failure};
use crate::cli::project::Project;
use crate::cli::{input, policy};
use crate::host::Files;
use crate::pipeline::{self, Compiled};

/// A policy file without errors.
pub(super) struct PolicyFile {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) text: String,
    /// The plan of the file as written.
    pub(super) plan: Plan,
    /// What can be varied.
    parameters: Vec<Parameter>,
    /// The text of the file and of those that it uses.
    sources: SourceMap,
    /// The wanted policy.
    policy: Option<String>,
}

impl PolicyFile {
    /// Reads and compiles the file; none if it has errors, which are printed.
    ///
    /// # Errors
    /// It cannot be read, is in a format without parameters, or the policy cannot be chosen.
    pub(super) fn open(
        path: &Path,
        stdin_filename: Option<&str>,
        policy: Option<&str>,
        project: &Project,
        console: &Console,
    ) -> Result<Option<Self>, Failure> {
        let name = input::display_name(path, stdin_filename);
        if SourceFormat::from_name(&name) != SourceFormat::Policy || path.extension().is_some_and(|end| end == "json") {
            return Err(Failure::Message(format!(
                "{name}: only the parameters of a `.trim` policy can be varied; `trimtab import` converts a YAML policy"
            )));
        }
        let text = input::read_text(path).map_err(|reason| format!("cannot read {name}: {reason}"))?;
        let compiled = compile(&name, &text, project);
        policy::print_findings(&compiled, console);
        let Some(plan) = policy::plan(&compiled, &name, policy)? else { return Ok(None) };
        let source = Source::new(SourceId(0), name.as_str(), text.as_str());
        let parameters = sweep::parameters(&syntax::parse(&source).0, &text);
        let (path, policy) = (path.to_owned(), policy.map(str::to_owned));
        Ok(Some(Self { path, name, text, plan, parameters, sources: compiled.sources, policy }))
    }

    /// The parameter of this name.
    pub(super) fn parameter(&self, name: &str) -> Result<&Parameter, Failure> {
        sweep::find(&self.parameters, name).map_err(|error| {
            Failure::Message(match error {
                ParameterError::Ambiguous(help) => {
                    format!("--vary {name}: {} has several of this name; {help}", self.name)
                }
                ParameterError::Unknown(help) => match self.used_file_with(name) {
                    Some(other) => {
                        format!("--vary {name}: it is in {other}, which {} uses; only {0} is varied", self.name)
                    }
                    None => format!("--vary {name}: {} has no parameter of this name; {help}", self.name),
                },
            })
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

    /// The result of compiling another text of this file, and the plan if it has no errors.
    pub(super) fn compile(&self, text: &str, project: &Project) -> Result<(Compiled, Option<Plan>), Failure> {
        let compiled = compile(&self.name, text, project);
        let plan = policy::plan(&compiled, &self.name, self.policy.as_deref())?;
        Ok((compiled, plan))
    }
}

fn compile(name: &str, text: &str, project: &Project) -> Compiled {
    let mut compiled = pipeline::compile_with(name, text, &mut Files::around(name));
    project.apply_profile(&mut compiled.checked);
    compiled
}
