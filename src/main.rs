//! The `trimtab` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    trimtab::cli::main(std::env::args_os())
}
