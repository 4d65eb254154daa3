//! The process of the agent.

use std::io::{Error, ErrorKind};
use std::path::Path;
use std::process::ExitStatus;

use tokio::process::Command;

use crate::cli::console::Failure;
use crate::host::STATE_VARIABLE;

/// Runs a command with the terminal of this process, and returns its exit code. Signals that a terminal sends reach the
/// command itself.
pub(super) async fn run(mut command: Command) -> Result<u8, Failure> {
    let program = command.as_std().get_program().display().to_string();
    let mut child = command.kill_on_drop(true).spawn().map_err(|error| not_started(&program, &error))?;
    loop {
        tokio::select! {
            status = child.wait() => return Ok(code(status?)),
            // The terminal has told the command too.
            interrupt = tokio::signal::ctrl_c() => interrupt?,
            () = terminated() => {
                // The command is asked to end, as this process was.
                terminate(&child);
            }
        }
    }
}

/// Why a command has not been started. A path may exist and not be found: the interpreter that a script names is missing.
fn not_started(program: &str, error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound if Path::new(program).components().count() == 1 => {
            format!("cannot run `{program}`: it is not installed, or not in PATH")
        }
        _ => format!("cannot run `{program}`: {error}"),
    }
}

/// Lets commands of the agent find `trimtab recall` and the contents in this state directory.
pub(super) fn enable_recall(command: &mut Command, state: &Path) {
    if let Ok(state) = std::path::absolute(state) {
        command.env(STATE_VARIABLE, state);
    }
    let own = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_path_buf()));
    let known = std::env::var_os("PATH").unwrap_or_default();
    if let Ok(all) = std::env::join_paths(std::env::split_paths(&known).chain(own)) {
        command.env("PATH", all);
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => drop(terminated.recv().await),
        Err(_) => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    std::future::pending().await
}

#[cfg(unix)]
fn terminate(child: &tokio::process::Child) {
    let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
    if let Some(id) = id {
        // It may have ended just now.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
    }
}

#[cfg(not(unix))]
fn terminate(_: &tokio::process::Child) {}

/// The exit code, as a shell gives it.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
