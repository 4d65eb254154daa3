//! `trimtab man`: manual pages.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, Command, FromArgMatches};
use clap_mangen::Man;
use trimtab_report::report::Encoding;

use super::console::{Console, Failure, OutputArguments};
use super::{Exit, Subcommand};
use crate::host::output::{create_folder, write_file};

pub(super) static SUBCOMMAND: Subcommand = Subcommand {
    name: "man",
    about: "Print the manual page, or write one page per command to a directory",
    arguments: Manual::augment_args,
    run,
};

#[derive(Args, Debug)]
struct Manual {
    /// Write trimtab.1 and one page per command, such as trimtab-validate.1 or trimtab-transcript-stat.1, to this directory
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    output_dir: Option<PathBuf>,
    #[command(flatten)]
    output_options: OutputArguments,
}

fn run(matches: &ArgMatches) -> Result<Exit, Failure> {
    let arguments = Manual::from_arg_matches(matches).map_err(|error| error.to_string())?;
    let mut console = Console::open(&arguments.output_options)?;
    if let Some(folder) = &arguments.output_dir {
        write(folder, &console)?;
    } else {
        let mut page = Vec::new();
        Man::new(super::command()).render(&mut page)?;
        console.write(Encoding::Data.finish(String::from_utf8_lossy(&page)))?;
    }
    console.close()?;
    Ok(Exit::Success)
}

/// Writes all pages to a directory, which is created if necessary.
fn write(folder: &Path, console: &Console) -> Result<(), Failure> {
    create_folder(folder).map_err(|reason| format!("cannot write to {}: {reason}", folder.display()))?;
    let mut root = super::command().disable_help_subcommand(true);
    root.build();
    let below =
        root.get_subcommands().flat_map(Command::get_subcommands).filter(|command| command.get_name() != "help");
    for command in std::iter::once(&root).chain(root.get_subcommands()).chain(below) {
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        let mut page = Vec::new();
        let source = concat!("trimtab ", env!("CARGO_PKG_VERSION"));
        Man::new(command.clone()).title(&name).source(source).render(&mut page)?;
        write_file(&folder.join(format!("{name}.1")), &page)?;
    }
    console.note(&format!("manual pages written to {}", folder.display()));
    Ok(())
}
