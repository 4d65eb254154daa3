//! Keeps a command from writing its results over what it reads.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};

use super::console::Failure;
use super::{input, load};
use crate::host::file::FileId;
use crate::host::output::output_path;

/// The arguments that name files to write.
const OUTPUTS: &[&str] = &["output", "contexts", "events", "patch", "svg", "write"];

/// The value names of policies that may also be in a revision of git, so that their values are no paths.
const POLICIES: &[&str] = &["BEFORE", "AFTER"];

/// What an argument for an output means.
#[derive(PartialEq, Eq)]
enum Destination {
    Stdout,
    /// An existing file, by whatever name.
    Existing(FileId),
    /// A file to be made.
    New(PathBuf),
}

/// Fails if a file that the command would write is one that it reads or that it also writes for another argument.
/// `command` is the subcommand or nested subcommand of the matches.
///
/// This is to fail before the work is done. What is read because a file names it is found when the output is complete.
pub(super) fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    if let Some((name, matches)) = matches.subcommand() {
        return command.find_subcommand(name).map_or(Ok(()), |command| check(command, matches));
    }
    let (outputs, inputs): (Vec<_>, Vec<_>) = command
        .get_arguments()
        .flat_map(|argument| paths(argument, matches).into_iter().map(move |path| (argument, path)))
        .partition(|(argument, _)| OUTPUTS.contains(&argument.get_id().as_str()));
    let mut known: Vec<(Destination, &str)> = Vec::new();
    for (argument, path) in &outputs {
        let (name, path_name) = (argument.get_long().unwrap_or_default(), path.display());
        let Some(destination) = destination(path) else { continue };
        if let Some((_, other)) = known.iter().find(|(other, _)| *other == destination) {
            let place = match destination {
                Destination::Stdout => "both go to standard output".to_owned(),
                _ => format!("name the same file, {path_name}"),
            };
            return Err(Failure::Message(format!("--{other} and --{name} {place}")));
        }
        if let Destination::Existing(output) = &destination
            && path.is_file()
            && inputs.iter().any(|(argument, input)| reads(argument, input, output))
        {
            let reason = format!("--{name} would overwrite {path_name}, which the command reads; name another file");
            return Err(Failure::Message(reason));
        }
        known.push((destination, name));
    }
    Ok(())
}

/// Returns what the value of an output means, or `None` if nothing is lost when several outputs go there, or if it
/// cannot be written.
fn destination(path: &Path) -> Option<Destination> {
    if input::is_stdin(path) {
        return Some(Destination::Stdout);
    }
    let Ok(id) = FileId::at(path) else { return output_path(path).ok().map(Destination::New) };
    if FileId::of_stdout().as_ref() == Some(&id) {
        return Some(Destination::Stdout);
    }
    let is_discarded = path.canonicalize().is_ok_and(|path| path == Path::new("/dev/null"));
    (!is_discarded).then_some(Destination::Existing(id))
}

/// The files, directories and globs that an argument has as its values. Only of an output, `-` is one.
fn paths(argument: &Arg, matches: &ArgMatches) -> Vec<PathBuf> {
    let id = argument.get_id().as_str();
    let values = matches.try_get_many::<PathBuf>(id).ok().flatten();
    let mut paths: Vec<PathBuf> = values.into_iter().flatten().cloned().collect();
    if POLICIES.iter().any(|name| is_named(argument, name)) {
        paths.extend(matches.get_raw(id).into_iter().flatten().map(PathBuf::from));
    }
    paths.retain(|path| OUTPUTS.contains(&id) || !input::is_stdin(path));
    paths
}

fn is_named(argument: &Arg, name: &str) -> bool {
    argument.get_value_names().is_some_and(|names| names.iter().any(|known| known == name))
}

/// Whether a path that is an input is this file, or a directory or glob with it.
fn reads(argument: &Arg, path: &PathBuf, output: &FileId) -> bool {
    let recordings = if is_named(argument, "RECORDING") { load::RECORDINGS } else { &[] };
    let endings = [&["trim"], recordings].concat();
    // A path that cannot be read is reported by the command.
    let files = input::files(std::slice::from_ref(path), &endings).unwrap_or_default();
    files.iter().any(|file| FileId::at(file).as_ref().is_ok_and(|file| file == output))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The arguments that name what is read, or a directory in which a command makes files by rules of its own.
    const INPUTS: &[&str] = &[
        "against",
        "check",
        "config",
        "directory",
        "experiment",
        "file",
        "on",
        "outcomes",
        "output_dir",
        "paths",
        "playbook",
        "policies",
        "policy_file",
        "policy_files",
        "record",
        "results",
        "resume",
        "state",
        "token_file",
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
