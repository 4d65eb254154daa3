//! The policy file whose constants are varied, and its combinations.

use std::path::Path;

use trimtab_analysis::sweep::Variation;
use trimtab_base::source::SourceFormat;

use crate::cli::console::{Console, Failure};
use crate::cli::project::Project;
use crate::cli::{input, policy};
use crate::host::Files;
use crate::pipeline::sweep::{Combinations, Sample, SweepError, SweptFile};
use crate::pipeline::{self, Compiled};

/// Reads and compiles the file, or returns `None` if it has errors, which are printed.
///
/// # Errors
/// It cannot be read, is in a format without constants, or the policy cannot be chosen.
pub(super) fn open(
    path: &Path,
    stdin_filename: Option<&str>,
    policy: Option<&str>,
    project: &Project,
    console: &Console,
) -> Result<Option<SweptFile>, Failure> {
    let name = input::display_name(path, stdin_filename);
    if SourceFormat::from_name(&name) != SourceFormat::Policy || path.extension().is_some_and(|end| end == "json") {
        return Err(Failure::Message(format!(
            "{name}: only the constants of a `.trim` policy can be varied; `trimtab import` converts a YAML policy"
        )));
    }
    let text = input::read_text(path).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    let compiled = compile(&name, &text, project);
    policy::print_findings(&compiled, console);
    let Some(plan) = policy::plan(&compiled, &name, policy)? else { return Ok(None) };
    Ok(Some(SweptFile::new(&name, text, compiled, plan, policy)))
}

/// Returns the combinations of all values, or a sample of them, or `None` if the policy has errors with some, which are
/// printed.
///
/// # Errors
/// A constant is unknown, or there are too many combinations.
pub(super) fn combinations(
    file: &SweptFile,
    variations: &[Variation],
    sample: Option<Sample>,
    project: &Project,
    console: &Console,
) -> Result<Option<Combinations>, Failure> {
    let combinations = Combinations::of(file, variations, sample, &mut |text| compile(&file.name, text, project));
    combinations.map(Some).or_else(|error| match &error {
        SweepError::Invalid { compiled, .. } => {
            for one in compiled {
                policy::print_errors(one, console);
            }
            console.error(&format!("error: {error}"));
            Ok(None)
        }
        SweepError::Parameter { .. } => Err(Failure::Message(format!("--vary {error}"))),
        SweepError::TooManyCombinations => {
            Err(Failure::Message(format!("{error}; try some of them with --samples, or fewer values")))
        }
        SweepError::Choice(reason) => Err(Failure::Message(policy::reason(&file.name, reason))),
        SweepError::Overlap => Err(Failure::Message(error.to_string())),
    })
}

fn compile(name: &str, text: &str, project: &Project) -> Compiled {
    let mut compiled = pipeline::compile_with(name, text, &mut Files::around(name));
    project.apply_profile(&mut compiled.checked);
    compiled
}
