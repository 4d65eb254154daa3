//! `trimtab import`: a policy of another format as policy text.

use std::path::PathBuf;

use clap::{ArgMatches, Args, FromArgMatches};
use trimtab_base::source::{Source, SourceFormat, SourceId};
use trimtab_language::check::CheckedFile;
use trimtab_language::plan;
use trimtab_report::report::{self, Encoding};
use trimtab_syntax::format;
use trimtab_syntax::syntax;

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Verb, input, policy};
use crate::pipeline::{self, Compiled};

pub(super) static VERB: Verb = Verb {
    name: "import",
    about: "Convert a YAML list of effects to a policy file",
    arguments: Import::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Import {
    /// A YAML file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Replace the output file if it exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Import::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    let name = input::display_name(&arguments.file, Some("stdin.yaml"));
    if SourceFormat::from_name(&name) != SourceFormat::Yaml {
        return Err(format!("{name} is not a YAML file: its name must end in .yaml or .yml").into());
    }
    let target = arguments.output_options.file();
    if let Some(path) = target.filter(|path| !arguments.force && path.exists()) {
        return Err(format!("{} exists (--force replaces it)", path.display()).into());
    }
    let compiled = policy::compile(&arguments.file, &name, &console)?;
    let Some(checked) = &compiled.checked else { return Ok(Exit::Findings) };
    let text = converted(&compiled, checked)?;
    if !arguments.force {
        console.keep_existing();
    }
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
    let again = pipeline::compile_with("imported.trim", &text, &mut trimtab_base::source::NoSources);
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
