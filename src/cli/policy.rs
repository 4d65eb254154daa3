//! Compiles a policy file and the files that it uses.

use std::path::Path;

use trimtab_base::diagnostic::Severity;
use trimtab_language::plan::{self, Plan, PolicyChoiceError};
use trimtab_report::report;

use super::console::{Console, Failure};
use super::input;
use crate::host::Files;
use crate::pipeline::{self, Compiled};

/// Fails if a path is a directory, with a policy file in it as a suggestion.
pub(super) fn check_is_file(path: &Path, name: &str) -> Result<(), Failure> {
    if !path.is_dir() {
        return Ok(());
    }
    let files = input::files(&[path.to_path_buf()], &["trim"])?;
    let suggestion = match files.as_slice() {
        [] => "; it has no policy files".to_owned(),
        [only] => format!("; did you mean {}?", only.display()),
        [first, rest @ ..] => format!("; name one of its {} policy files, such as {}", rest.len() + 1, first.display()),
    };
    Err(Failure::Message(format!("{name} is a directory, and a policy is one file{suggestion}")))
}

/// Compiles a policy file; findings are printed to standard error.
pub(super) fn compile(path: &Path, name: &str, console: &Console) -> Result<Compiled, Failure> {
    check_is_file(path, name)?;
    let text = input::read_text(path).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    let compiled = pipeline::compile_with(name, &text, &mut Files::around(name));
    print_findings(&compiled, console);
    Ok(compiled)
}

/// Prints the findings of a policy file to standard error.
pub(super) fn print_findings(compiled: &Compiled, console: &Console) {
    print_of(compiled, console, !console.is_quiet());
}

/// Prints the errors of a policy file to standard error, without its warnings.
pub(super) fn print_errors(compiled: &Compiled, console: &Console) {
    print_of(compiled, console, false);
}

fn print_of(compiled: &Compiled, console: &Console, all: bool) {
    for diagnostic in compiled.diagnostics.iter().filter(|one| all || one.severity == Severity::Error) {
        Console::print_error(report::draw(&compiled.sources, diagnostic, console.notes));
    }
}

/// Returns the plan of a policy, or `None` if the file has errors.
pub(super) fn plan(compiled: &Compiled, name: &str, policy: Option<&str>) -> Result<Option<Plan>, Failure> {
    let Some(checked) = &compiled.checked else { return Ok(None) };
    plan::lower(checked, policy).map(Some).map_err(|error| Failure::Message(reason(name, &error)))
}

/// Why no policy of a file can be chosen.
pub(super) fn reason(name: &str, error: &PolicyChoiceError) -> String {
    let list =
        |names: &[smol_str::SmolStr]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match error {
        PolicyChoiceError::NoPolicy => format!("{name} defines no policy"),
        PolicyChoiceError::Several(names) => {
            format!("{name} defines several policies; choose one with --policy: {}", list(names))
        }
        PolicyChoiceError::Unknown(wanted, names) => {
            format!("{name} does not define a policy `{wanted}`; it defines {}", list(names))
        }
    }
}
