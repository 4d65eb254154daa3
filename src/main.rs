//! The `trimtab` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    trimtab::command_line(std::env::args_os())
}
