//! A policy given as a file or as a file in a git revision.

use std::path::Path;

use trimtab_base::diagnostic::Severity;
use trimtab_base::source::{SourceId, Span, Spanned};
use trimtab_language::plan::Plan;
use trimtab_report::report;

use crate::cli::console::{Console, Failure};
use crate::cli::{input, policy};
use crate::host::Revision;
use crate::pipeline::{self, Compiled};

/// Compiles the policy and returns its name; findings are printed to standard error.
pub(super) fn compile(named: &str, console: &Console) -> Result<(String, Compiled), Failure> {
    let path = Path::new(named);
    match named.split_once(':') {
        Some((revision, inside)) if !path.exists() && input::harness(path).is_none() => {
            recorded(revision, inside, console)
        }
        _ => {
            let name = input::display_name(path, None);
            let compiled = policy::compile(path, &name, console)?;
            Ok((name, compiled))
        }
    }
}

fn recorded(revision: &str, path: &str, console: &Console) -> Result<(String, Compiled), Failure> {
    let unreadable = |reason| format!("cannot read {revision}:{path}: {reason}");
    let mut files = Revision::open(revision).map_err(unreadable)?;
    let file = files.file(path).map_err(unreadable)?;
    let compiled = pipeline::compile_with(&file.name, &file.text, &mut files);
    for diagnostic in &compiled.diagnostics {
        if diagnostic.severity == Severity::Error || !console.is_quiet() {
            Console::print_error(report::draw(&compiled.sources, diagnostic, console.notes));
        }
    }
    Ok((file.name, compiled))
}

/// The plan; `window` overrides every other window.
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
    plan.ok_or_else(|| Failure::Message(format!("{name} has errors and cannot be compared")))
}
