//! Settings of another system as a policy, with the table of what each option became.

use trimtab_analysis::system::{self, Fidelity, System};
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::{NoSources, SourceMap};
use trimtab_report::report::{self, Encoding, LISTING_FORMATS};

use super::super::Exit;
use super::super::console::{Console, Failure};
use super::Import;
use crate::pipeline;

pub(super) fn import(
    arguments: &Import,
    system: &'static System,
    name: &str,
    text: &str,
    mut console: Console,
) -> Result<Exit, Failure> {
    let mut sources = SourceMap::default();
    let id = sources.add(name, text);
    let Some(source) = sources.get(id) else { return Ok(Exit::Findings) };
    let import = system::import(source, system);
    let shown = |severity: Severity| severity == Severity::Error || !console.is_quiet();
    for finding in import.diagnostics.iter().filter(|finding| shown(finding.severity)) {
        Console::print_error(report::draw(&sources, finding, console.notes));
    }
    if import.diagnostics.iter().any(|finding| finding.severity == Severity::Error) {
        return Ok(Exit::Findings);
    }
    if pipeline::compile_with("imported.trim", &import.text, &mut NoSources).checked.is_none() {
        return Err(format!(
            "the file was not converted because of a bug in trimtab: its policy is wrong:\n{}",
            import.text
        )
        .into());
    }
    if let Some(format) = arguments.format {
        console.write(format.render(&report::imported(&import, source), console.style))?;
    } else {
        if !console.is_quiet() {
            let table = report::fidelity_table(&import, source);
            Console::print_error(LISTING_FORMATS[0].render(&table, console.notes));
        }
        console.write(Encoding::Data.finish(import.text))?;
    }
    console.close()?;
    let is_lossy = import.rows.iter().any(|row| row.fidelity != Fidelity::Exact && row.is_set());
    let is_strict = arguments.strict && (is_lossy || !import.diagnostics.is_empty());
    Ok(if is_strict { Exit::Findings } else { Exit::Success })
}
