//! Keeps a command from writing its results over what it reads.

use std::path::{Path, PathBuf, absolute};

use clap::{Arg, ArgMatches, Command};
use same_file::Handle;

use super::console::Failure;
use super::{input, load};

/// The arguments that name files to write.
const OUTPUTS: &[&str] = &["output", "contexts", "events", "svg", "write"];

/// The value names of policies that may also be in a revision of git, so that their values are no paths.
const POLICIES: &[&str] = &["BEFORE", "AFTER"];

/// The value name of inputs that are read whole before the output is opened.
const READ_FIRST: &str = "RESULT";

/// Fails if a file that the command would write is one that it reads or that it also writes for another argument.
/// `command` is the verb or sub-verb of the matches.
pub(super) fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    if let Some((name, matches)) = matches.subcommand() {
        return command.find_subcommand(name).map_or(Ok(()), |command| check(command, matches));
    }
    let (outputs, inputs): (Vec<_>, Vec<_>) = command
        .get_arguments()
        .flat_map(|argument| paths(argument, matches).into_iter().map(move |path| (argument, path)))
        .partition(|(argument, _)| OUTPUTS.contains(&argument.get_id().as_str()));
    for (at, (argument, path)) in outputs.iter().enumerate() {
        // Devices and pipes hold nothing that could be overwritten.
        if path.exists() && !path.is_file() {
            continue;
        }
        let name = argument.get_long().unwrap_or_default();
        if let Some((other, _)) = outputs[..at].iter().find(|(_, other)| is_same_name(other, path)) {
            let other = other.get_long().unwrap_or_default();
            let reason = format!("--{other} and --{name} name the same file, {}", path.display());
            return Err(Failure::Message(reason));
        }
        if let Some(output) = handle(path)
            && inputs.iter().any(|(argument, input)| reads(argument, input, &output))
        {
            let reason =
                format!("--{name} would overwrite {}, which the command reads; name another file", path.display());
            return Err(Failure::Message(reason));
        }
    }
    Ok(())
}

/// The files, directories and globs that an argument has as its values.
fn paths(argument: &Arg, matches: &ArgMatches) -> Vec<PathBuf> {
    let id = argument.get_id().as_str();
    let values = matches.try_get_many::<PathBuf>(id).ok().flatten();
    let mut paths: Vec<PathBuf> = values.into_iter().flatten().cloned().collect();
    if POLICIES.iter().any(|name| is_named(argument, name)) {
        paths.extend(matches.get_raw(id).into_iter().flatten().map(PathBuf::from));
    }
    paths.retain(|path| !input::is_stdin(path));
    paths
}

fn is_named(argument: &Arg, name: &str) -> bool {
    argument.get_value_names().is_some_and(|names| names.iter().any(|known| known == name))
}

/// Whether two paths are spellings of one file, which need not exist: `out` and `./out`.
fn is_same_name(a: &Path, b: &Path) -> bool {
    a == b || matches!((absolute(a), absolute(b)), (Ok(a), Ok(b)) if a == b)
}

/// An existing regular file, by whatever name; opening a pipe could take what it holds.
fn handle(path: &Path) -> Option<Handle> {
    path.is_file().then(|| Handle::from_path(path).ok()).flatten()
}

/// Whether a path that is an input is this file, or a directory or glob with it.
fn reads(argument: &Arg, path: &PathBuf, output: &Handle) -> bool {
    if is_named(argument, READ_FIRST) {
        return false;
    }
    let recordings = if is_named(argument, "TRANSCRIPT") { load::RECORDINGS } else { &[] };
    let endings = [&["trim"], recordings].concat();
    // A path that cannot be read is reported by the command.
    let files = input::files(std::slice::from_ref(path), &endings).unwrap_or_default();
    files.iter().any(|file| handle(file).as_ref() == Some(output))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The arguments that name what is read, or a folder in which a command makes files by rules of its own.
    const INPUTS: &[&str] = &[
        "against",
        "check",
        "config",
        "directory",
        "file",
        "on",
        "output_dir",
        "paths",
        "playbook",
        "policies",
        "policy_file",
        "results",
        "resume",
        "transcripts",
    ];

    fn add_paths(command: &Command, ids: &mut BTreeSet<String>) {
        let takes_path = |argument: &&Arg| argument.get_value_parser().type_id() == std::any::TypeId::of::<PathBuf>();
        ids.extend(command.get_arguments().filter(takes_path).map(|argument| argument.get_id().to_string()));
        command.get_subcommands().for_each(|command| add_paths(command, ids));
    }

    #[test]
    fn every_argument_that_takes_a_path_is_an_input_or_an_output() {
        let mut ids = BTreeSet::new();
        add_paths(&crate::cli::command(), &mut ids);
        let known: BTreeSet<String> = OUTPUTS.iter().chain(INPUTS).map(ToString::to_string).collect();
        assert_eq!(ids, known);
    }
}
