//! A list of effects in YAML as a policy.

use trimtab_base::source::{NoSources, Source, SourceId};
use trimtab_language::check::CheckedFile;
use trimtab_language::plan;
use trimtab_report::report::{self, Encoding};
use trimtab_syntax::format;
use trimtab_syntax::syntax;

use super::super::console::{Console, Failure};
use super::super::{Exit, policy};
use crate::host::Files;
use crate::pipeline::{self, Compiled};

pub(super) fn import(name: &str, text: &str, mut console: Console) -> Result<Exit, Failure> {
    // The reader is chosen by the ending.
    let name = if name == "stdin" { "stdin.yaml" } else { name };
    let compiled = pipeline::compile_with(name, text, &mut Files::around(name));
    policy::print_findings(&compiled, &console);
    let Some(checked) = &compiled.checked else { return Ok(Exit::Findings) };
    let text = converted(&compiled, checked)?;
    console.write(Encoding::Data.finish(text))?;
    print_unmapped(&compiled, &console);
    console.close()?;
    Ok(Exit::Success)
}

/// The policy text of a checked YAML file, formatted.
fn converted(compiled: &Compiled, checked: &CheckedFile) -> Result<String, Failure> {
    let bug = |reason: String| format!("the file was not converted because of a bug in trimtab: {reason}");
    let source = compiled.sources.get(SourceId::default()).ok_or_else(|| bug("no source".to_owned()))?;
    let text = report::policy_source(checked, source, &syntax::yaml::all_comments(source));
    let text = format::format_source(&Source::new(SourceId::default(), "imported.trim", text))
        .map_err(|error| bug(error.to_string()))?;
    let again = pipeline::compile_with("imported.trim", &text, &mut NoSources);
    let hashes = |checked: &CheckedFile| {
        let hash = |name: &str| plan::lower(checked, Some(name)).map(|plan| plan.hash);
        checked.policies.iter().map(|policy| hash(&policy.name)).collect::<Vec<_>>()
    };
    if again.checked.as_ref().map(hashes) == Some(hashes(checked)) {
        Ok(text)
    } else {
        Err(bug("the result has another meaning".to_owned()).into())
    }
}

/// Prints the keys that the policy has nothing of.
fn print_unmapped(compiled: &Compiled, console: &Console) {
    let Some(source) = compiled.sources.get(SourceId::default()) else { return };
    for key in syntax::yaml::unmapped_keys(source) {
        let line = source.position(key.span.start).line;
        console.note(&format!("{}:{line}: not mapped: {}", source.name(), key.node));
    }
}
