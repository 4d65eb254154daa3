//! `--write`: the values of the winner in the policy file.

use std::path::Path;

use trimtab_analysis::sweep::{Sweep, SweepVerdict};
use trimtab_report::report;

use crate::cli::Exit;
use crate::cli::console::{Console, Failure};
use crate::host::output::edit_file;
use crate::pipeline::sweep::{Combinations, SweptFile};

/// How the subcommand ends if nothing is to be written.
pub(super) fn exit(sweep: &Sweep) -> Exit {
    if sweep.verdict == SweepVerdict::NoneFeasible { Exit::Findings } else { Exit::Success }
}

/// Writes the values of the winner and prints the change to standard error; refuses if its lead was not verified, unless
/// that is forced.
pub(super) fn write(
    path: &Path,
    file: &SweptFile,
    combinations: &Combinations,
    sweep: &Sweep,
    is_forced: bool,
    console: &mut Console,
) -> Result<Exit, Failure> {
    let name = &file.name;
    let Some(text) = sweep.winner.and_then(|winner| combinations.text(winner)) else {
        console.error(&format!("error: {name} was not changed: no combination meets the constraints"));
        return Ok(Exit::Findings);
    };
    if sweep.verdict == SweepVerdict::AsWritten {
        console.note(&format!("{name} was not changed: it is the best as written"));
        return Ok(Exit::Success);
    }
    if !is_forced && !sweep.verdict.is_verified() {
        console.error(&format!(
            "error: {name} was not changed: the lead of the winner was not verified; --force writes it"
        ));
        return Ok(Exit::Findings);
    }
    edit_file(path, &file.text, text).map_err(|reason| format!("cannot write {name}: {reason}"))?;
    let patch = report::unified_diff(name, &file.text, text, console.notes);
    if !console.is_quiet() {
        Console::print_error(patch.trim_end());
    }
    Ok(Exit::Success)
}
