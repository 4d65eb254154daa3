//! Formats of other systems that a plan is written in: those of `target`, and settings.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use trimtab_analysis::system::{self, SYSTEMS, System};
use trimtab_analysis::target::{TARGETS, TargetFormat};
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::{Source, SourceId, SourceMap};
use trimtab_language::plan::Plan;
use trimtab_report::report;

use super::super::console::{Console, Failure};
use super::super::input;
use crate::host::output::edit_file;

/// A format that a plan is written in.
#[derive(Clone, Copy, Debug)]
pub(super) enum CompileTarget {
    Format(&'static TargetFormat),
    Settings(&'static System),
}

/// Parses the name of a format.
pub(super) fn formats() -> impl TypedValueParser<Value = CompileTarget> {
    let format = |format: &&'static TargetFormat| PossibleValue::new(format.name).help(format.summary);
    let settings = |system: &&'static System| {
        PossibleValue::new(system.name).help(format!("Settings of {}: {}", system.title, system.file))
    };
    let systems = SYSTEMS.iter().filter(|system| system.is_target);
    let names: Vec<PossibleValue> = TARGETS.iter().map(format).chain(systems.map(settings)).collect();
    PossibleValuesParser::new(names).map(|name| match system::find(&name) {
        Some(system) => CompileTarget::Settings(system),
        // The parser lets only names of the tables through.
        None => CompileTarget::Format(TARGETS.iter().copied().find(|target| target.name == name).unwrap_or(TARGETS[0])),
    })
}

impl CompileTarget {
    fn name(self) -> &'static str {
        match self {
            Self::Format(format) => format.name,
            Self::Settings(system) => system.name,
        }
    }

    /// Returns the text, or `None` if it would lose something, which is not allowed. Losses are printed.
    pub(super) fn write(
        self,
        plan: &Plan,
        file: Option<&Path>,
        is_lossy: bool,
        console: &Console,
    ) -> Result<Option<String>, Failure> {
        let (text, losses) = match (self, file) {
            (Self::Format(format), None) => {
                let written = (format.write)(plan);
                (written.text, written.losses.iter().map(ToString::to_string).collect())
            }
            (Self::Format(format), Some(_)) => {
                return Err(format!("{} is not written into a file: use -o", format.name).into());
            }
            (Self::Settings(system), file) => settings(plan, system, file, console)?,
        };
        let losses: Vec<String> = losses;
        for loss in &losses {
            console.error(&format!("{} cannot express {loss}", self.name()));
        }
        Ok((losses.is_empty() || is_lossy).then_some(text))
    }
}

/// The settings, and what they do not say.
fn settings(
    plan: &Plan,
    system: &'static System,
    file: Option<&Path>,
    console: &Console,
) -> Result<(String, Vec<String>), Failure> {
    let source = file.map(|path| settings_file(path, system, console)).transpose()?;
    let unchanged = |reason: String| match &source {
        Some(source) => format!("{} is not changed: {reason}", source.name()),
        None => reason,
    };
    let written = system::write(plan, system, source.as_ref()).map_err(unchanged)?;
    let losses = written.losses.iter().map(|loss| report::settings_loss(loss, system.title));
    Ok((written.text, losses.collect()))
}

/// A settings file that is to be changed; an empty one if it does not exist. Its errors are printed.
pub(in super::super) fn settings_file(
    path: &Path,
    system: &'static System,
    console: &Console,
) -> Result<Source, Failure> {
    let name = path.display().to_string();
    let text = if path.exists() { input::read_text(path) } else { Ok(String::new()) };
    let text = text.map_err(|reason| format!("cannot read {name}: {reason}"))?;
    let source = Source::new(SourceId::default(), name.as_str(), text);
    check_readable(&source, system, console)?;
    Ok(source)
}

/// Prints the errors of a settings file that is to be changed.
fn check_readable(source: &Source, system: &'static System, console: &Console) -> Result<(), Failure> {
    let mut sources = SourceMap::default();
    sources.add(source.name(), source.text());
    let import = system::import(source, system);
    let errors: Vec<_> = import.diagnostics.iter().filter(|finding| finding.severity == Severity::Error).collect();
    for error in &errors {
        Console::print_error(report::draw(&sources, error, console.notes));
    }
    if errors.is_empty() {
        return Ok(());
    }
    Err(format!("{} is not changed: fix its errors first", source.name()).into())
}

/// Writes a settings file in place.
pub(in super::super) fn patch(path: &Path, text: &str, console: &Console) -> Result<(), Failure> {
    let old = if path.exists() { input::read_text(path)? } else { String::new() };
    if old == text {
        console.note(&format!("{} has these settings", path.display()));
        return Ok(());
    }
    if path.exists() {
        edit_file(path, &old, text)?;
    } else {
        crate::host::output::create_file(path, text)?;
    }
    console.note(&format!("changed {}", path.display()));
    Ok(())
}
