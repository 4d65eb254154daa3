//! Policy files and plans.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use trimtab_base::diagnostic::{self, Diagnostic, Severity};
use trimtab_base::source::{NoSources, SourceId, SourceLoader, SourceMap};
use trimtab_language::plan::{self, PlanLoadError, PolicyChoiceError};

use crate::host::{Files, read_policy};
use crate::pipeline::{CompiledFile, Compiler};

/// A compiled policy file: its diagnostics, and its policies if there are no errors.
#[derive(Debug)]
pub struct PolicyFile {
    pub(super) compiler: Compiler,
    pub(super) file: CompiledFile,
    diagnostics: Vec<Diagnostic>,
}

/// Compiles a policy text. A name that ends in `.yaml` or `.yml` is read as YAML.
///
/// Compilation never fails: errors are diagnostics. A `use` in the text is an error, see [`compile_with`].
pub fn compile(name: &str, text: &str) -> PolicyFile {
    compile_with(name, text, &mut NoSources)
}

/// Compiles a policy text together with the files that it imports.
pub fn compile_with(name: &str, text: &str, sources: &mut dyn SourceLoader) -> PolicyFile {
    let mut compiler = Compiler::default();
    let file = compiler.compile(name, text, sources);
    let mut diagnostics = compiler.diagnostics().to_vec();
    diagnostic::sort(&mut diagnostics);
    PolicyFile { compiler, file, diagnostics }
}

/// Compiles a policy file and the files that it imports. Imports stay inside the project: the nearest parent directory with
/// `trimtab.toml` or `.git`.
///
/// # Errors
/// The file cannot be read. Errors in its text are diagnostics.
pub fn compile_file(path: impl AsRef<Path>) -> io::Result<PolicyFile> {
    let name = path.as_ref().to_string_lossy().into_owned();
    let text = read_policy(path.as_ref())?;
    Ok(compile_with(&name, &text, &mut Files::around(&name)))
}

impl PolicyFile {
    /// Errors and warnings in the file and in the files that it imports, sorted by position.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether there are errors. Then there are no policies and no plans.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The id of the file in [`sources`](Self::sources).
    pub fn id(&self) -> SourceId {
        self.file.id
    }

    /// The texts that the spans of diagnostics point into.
    pub fn sources(&self) -> &SourceMap {
        self.compiler.sources()
    }

    /// The names of the policies in the file.
    pub fn policies(&self) -> impl Iterator<Item = &str> {
        self.file.checked.iter().flat_map(|file| &file.policies).map(|policy| policy.name.as_str())
    }

    /// The plan of a policy: the named one, or the only one that no other extends.
    ///
    /// # Errors
    /// The file has errors or no such policy, or it has several policies and none is named.
    pub fn plan(&self, policy: Option<&str>) -> Result<Plan, PlanError> {
        let checked = self.file.checked.as_ref().ok_or(PlanError::InvalidFile)?;
        plan::lower(checked, policy).map(|plan| Plan(Arc::new(plan))).map_err(PlanError::from)
    }
}

/// A policy that is ready to run.
#[derive(Clone, Debug)]
pub struct Plan(pub(super) Arc<plan::Plan>);

impl Plan {
    /// A plan that the command line has made.
    #[cfg(feature = "proxy")]
    pub(crate) fn of(plan: plan::Plan) -> Self {
        Self(Arc::new(plan))
    }

    /// The plan itself.
    #[cfg(feature = "proxy")]
    pub(crate) fn inner(&self) -> &plan::Plan {
        &self.0
    }

    /// The name of the policy.
    pub fn policy(&self) -> &str {
        &self.0.policy
    }

    /// The description of the policy.
    pub fn title(&self) -> Option<&str> {
        self.0.title.as_deref()
    }

    /// The names of the rules in the order in which they are tried.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.0.rules.iter().map(|rule| rule.name.as_str())
    }

    /// Whether the plan moves results out of the context. Then requests declare the tool
    /// `RECALL_TOOL`, whose calls the host answers with `Session::recall`.
    /// A host that does not send the rendered requests declares the tool as `Dialect::recall_tool`.
    pub fn offloads(&self) -> bool {
        self.0.offloads()
    }

    /// A hash of everything that affects what the plan does. Plans with the same hash make the same edits.
    pub fn hash(&self) -> &str {
        &self.0.hash
    }

    /// Makes a plan from the JSON that [`to_json`](Self::to_json) and `trimtab compile` print. The policy is not needed.
    ///
    /// The plan makes the same edits as the plan that was printed, and has the same hash.
    ///
    /// ```
    /// let policy = trimtab::compile("p.trim", "edition 2026\npolicy p { rule r { when failures >= 3 do mask results } }");
    /// let json = policy.plan(None)?.to_json();
    ///
    /// let plan = trimtab::Plan::from_json(&json)?;
    /// assert_eq!(plan.to_json(), json);
    ///
    /// let error = trimtab::Plan::from_json(&json.replace("mask", "maks")).unwrap_err();
    /// assert_eq!(error.to_string(), "rules[0].do[0].effect: unknown effect `maks`");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The text is not JSON, has another version of the format, contains something unknown or invalid, or does not match
    /// its hash. [`PlanLoadError::errors`] lists everything that is unknown or invalid.
    pub fn from_json(json: &str) -> Result<Self, PlanLoadError> {
        plan::Plan::from_json(json).map(|plan| Self(Arc::new(plan)))
    }

    /// The plan as JSON with sorted keys, including its hash and its title.
    pub fn to_json(&self) -> String {
        self.0.json().to_string()
    }
}

/// Why a file has no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// The file has errors.
    InvalidFile,
    /// The file has no policy.
    NoPolicy,
    /// The file has several policies, and none was named.
    Ambiguous {
        /// The names of the policies.
        policies: Vec<String>,
    },
    /// The file has no policy of this name.
    Unknown {
        /// The name that was given.
        name: String,
        /// The names of the policies.
        policies: Vec<String>,
    },
}

impl From<PolicyChoiceError> for PlanError {
    fn from(error: PolicyChoiceError) -> Self {
        let names = |names: Vec<smol_str::SmolStr>| names.iter().map(ToString::to_string).collect();
        match error {
            PolicyChoiceError::NoPolicy => Self::NoPolicy,
            PolicyChoiceError::Several(policies) => Self::Ambiguous { policies: names(policies) },
            PolicyChoiceError::Unknown(name, policies) => {
                Self::Unknown { name: name.to_string(), policies: names(policies) }
            }
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidFile => out.write_str("the policy file has errors"),
            Self::NoPolicy => out.write_str("the file has no policy"),
            Self::Ambiguous { policies } => {
                write!(out, "the file has {} policies; name {}", policies.len(), diagnostic::alternatives(policies))
            }
            Self::Unknown { name, policies } => {
                write!(out, "unknown policy `{name}`; available policies: {}", diagnostic::alternatives(policies))
            }
        }
    }
}

impl Error for PlanError {}
