//! A policy as the user names it: a file, or a file of a revision.

use std::path::Path;

use crate::cli::console::{Console, Failure};
use crate::cli::{input, policy};
use crate::diagnostic::Severity;
use crate::host::Revision;
use crate::pipeline::{self, Compiled};
use crate::plan::Plan;
use crate::report;
use crate::source::{SourceId, Span, Spanned};

/// The policy through all stages, with its name; what was found in it is shown on standard error.
pub(super) fn compile(named: &str, console: &Console) -> Result<(String, Compiled), Failure> {
    let path = Path::new(named);
    match named.split_once(':') {
        Some((revision, inside)) if !path.exists() => recorded(revision, inside, console),
        _ => {
            let name = input::display_name(path, None);
            let compiled = policy::compile(path, &name, console)?;
            Ok((name, compiled))
        }
    }
}

fn recorded(revision: &str, path: &str, console: &Console) -> Result<(String, Compiled), Failure> {
    let said = |reason| format!("cannot read {revision}:{path}: {reason}");
    let mut files = Revision::open(Path::new("."), revision).map_err(said)?;
    let file = files.file(path).map_err(said)?;
    let compiled = pipeline::compile_with(&file.name, &file.text, &mut files);
    for one in &compiled.diagnostics {
        if one.severity == Severity::Error || !console.is_quiet() {
            Console::print_error(&report::draw(&compiled.sources, one, console.notes));
        }
    }
    Ok((file.name, compiled))
}

/// The plan, with a window that comes before all others.
pub(super) fn plan(
    name: &str,
    mut compiled: Compiled,
    policy: Option<&str>,
    window: Option<u64>,
) -> Result<Plan, Failure> {
    if let (Some(checked), Some(window)) = (&mut compiled.checked, window) {
        checked.agent.window = Some(Spanned::new(window, Span::new(SourceId::SETTINGS, 0, 0)));
    }
    let plan = policy::plan(&compiled, name, policy)?;
    plan.ok_or_else(|| Failure::Message(format!("{name} has errors, so there is nothing to compare")))
}
