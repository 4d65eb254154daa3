//! Installs, removes and describes the hook of a client.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use trimtab_live::hook_client::{HookClient, HookSwitch, Installation, SettingsError, SettingsHook, plugin};
use trimtab_report::report::unified_diff;

use super::{Hook, summary};
use crate::cli::console::{Console, Failure};
use crate::cli::project::{ProjectArguments, relative_to_here};
use crate::cli::{Exit, load};
use crate::host::file::{self, FileId};
use crate::host::{HookState, output, program_on_path, repository_root};

/// The first words of each file that `--install` writes.
const HEADER: &str = "// Written by `trimtab hook";

/// A file in which the hook of a client can be.
#[derive(Debug)]
pub(super) struct HookFile {
    path: PathBuf,
    /// The root of the project, or `None` for all projects.
    project: Option<PathBuf>,
}

impl HookFile {
    /// The file for all projects of the user.
    pub(super) fn user(client: &HookClient) -> Result<Self, Failure> {
        let home = std::env::home_dir().ok_or_else(|| "the home directory is not known".to_owned())?;
        Ok(Self { path: home.join(client.installation.path(false)), project: None })
    }

    /// The file for the project of the working directory.
    pub(super) fn project(client: &HookClient) -> Result<Self, Failure> {
        let here = std::env::current_dir()?;
        let root = repository_root(&here).unwrap_or(&here).to_path_buf();
        Ok(Self { path: root.join(client.installation.path(true)), project: Some(root) })
    }

    const fn word(&self) -> &'static str {
        if self.project.is_some() { "project" } else { "user" }
    }

    fn read(&self) -> Result<Option<String>, String> {
        match file::read_at_most(&self.path, file::MAX_TEXT_BYTES) {
            Ok(bytes) => crate::cli::input::text(bytes).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// The path in messages.
    fn shown(&self) -> String {
        relative_to_here(&self.path).display().to_string()
    }

    fn cannot(&self, verb: &str, reason: &str) -> Failure {
        Failure::Message(format!("cannot {verb} {}: {reason}", self.shown()))
    }
}

/// A new text of a file, or `None` if the file is to be removed.
type NewText = Option<String>;

impl Hook {
    /// Installs the hook, after showing the change and what each rule can do.
    pub(super) fn install(&self, place: &HookFile, policy: &Path, console: &mut Console) -> Result<Exit, Failure> {
        let client = self.client;
        let name = policy.display().to_string();
        let project = ProjectArguments::default().open(&[policy.to_path_buf()], console)?;
        let Some(plan) = load::plan(policy, &name, self.policy.as_deref(), &project, console)? else {
            return Ok(Exit::Findings);
        };
        let (rules, running) = summary::of_plan(&plan, &name);
        if running == 0 {
            console.write(&rules)?;
            console.note("warning: no rule of this policy can run in a hook; nothing was installed");
            return Ok(Exit::Findings);
        }
        let (program, policy) = (program(place)?, policy_argument(policy, place)?);
        let chosen = self.policy.iter().flat_map(|name| ["--policy", name]);
        let words = [&program, "hook", client.name, &policy].into_iter().chain(chosen);
        let command: Vec<String> = words.map(str::to_owned).collect();
        let changed = change(client, place, self.dry_run, console, |old| installed(client, place, old, &command))?;
        console.write(&rules)?;
        for note in client.notes {
            console.write(&format!("note: {note}\n"))?;
        }
        if let Some(warning) = switched_off(client) {
            console.note(&warning);
        }
        let outcome = match (changed, self.dry_run) {
            (false, _) => "the hook is installed already",
            (true, true) => "nothing was changed: this was a dry run",
            (true, false) => "the hook is installed",
        };
        console.note(&format!("{} ({}): {outcome}", client.title, place.word()));
        Ok(Exit::Success)
    }
}

/// Removes the hook, after showing the change.
pub(super) fn uninstall(
    client: &'static HookClient,
    place: &HookFile,
    is_dry: bool,
    console: &mut Console,
) -> Result<Exit, Failure> {
    let changed = change(client, place, is_dry, console, |old| match (old, &client.installation) {
        (None, _) => Ok(None),
        (Some(old), Installation::Setting { hook, .. }) => {
            hook.uninstall(old).map_err(|error| place.cannot("change", &by_hand(&error, "remove its entry")))
        }
        (Some(old), Installation::Plugin { .. }) if old.starts_with(HEADER) => Ok(None),
        (Some(old), Installation::Plugin { .. }) => Ok(Some(old.to_owned())),
    })?;
    let outcome = match (changed, is_dry) {
        (false, _) => "the hook is not installed",
        (true, true) => "nothing was changed: this was a dry run",
        (true, false) => "the hook is removed",
    };
    console.note(&format!("{} ({}): {outcome}", client.title, place.word()));
    Ok(Exit::Success)
}

/// Where the hook is installed, and its last error.
pub(super) fn status(client: &HookClient, places: &[HookFile]) -> Result<String, Failure> {
    let mut text = format!("{}\n", client.title);
    for place in places {
        let old = place.read().map_err(|reason| place.cannot("read", &reason))?;
        let commands = match (old, &client.installation) {
            (None, _) => Vec::new(),
            (Some(old), Installation::Setting { hook, .. }) => {
                hook.installed(&old).map_err(|error| place.cannot("read", &error.to_string()))?
            }
            (Some(old), Installation::Plugin { .. }) => plugin_command(&old).into_iter().collect(),
        };
        let commands = if commands.is_empty() { "not installed".to_owned() } else { commands.join(", ") };
        text += &format!("  {:7}  {}: {commands}\n", place.word(), place.shown());
    }
    if let Some(warning) = switched_off(client) {
        text += &format!("  {warning}\n");
    }
    let error = HookState::of(client.name)?.last_error();
    text += &format!("  last error: {}\n", error.as_deref().map_or("none", str::trim_end));
    Ok(text)
}

/// A warning if the settings of the user turn the hooks of a client off.
fn switched_off(client: &HookClient) -> Option<String> {
    let HookSwitch { path, setting, is_in } = client.switch.as_ref()?;
    let file = std::env::home_dir()?.join(path);
    let bytes = file::read_at_most(&file, file::MAX_TEXT_BYTES).ok()?;
    let is_off = is_in(&String::from_utf8_lossy(&bytes));
    is_off.then(|| format!("warning: hooks of {} are off: ~/{path} has `{setting}`", client.title))
}

/// Shows a change of a file and makes it. Returns whether there is one. Other processes that change settings wait.
fn change(
    client: &HookClient,
    place: &HookFile,
    is_dry: bool,
    console: &mut Console,
    new: impl FnOnce(Option<&str>) -> Result<NewText, Failure>,
) -> Result<bool, Failure> {
    let state = HookState::of(client.name)?;
    let _lock = if is_dry { None } else { Some(state.lock().map_err(|error| locking_failed(&state, &error))?) };
    let old = place.read().map_err(|reason| place.cannot("read", &reason))?;
    let new = new(old.as_deref())?;
    if old == new {
        return Ok(false);
    }
    let name = place.shown();
    let (before, after) = (old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
    console.write(&unified_diff(&name, before, after, console.style))?;
    if is_dry {
        return Ok(true);
    }
    let written = match (&old, &new) {
        (Some(old), Some(new)) => output::edit_file(&place.path, old, new),
        (None, Some(new)) => output::create_file(&place.path, new)
            .and_then(|is_new| if is_new { Ok(()) } else { Err("the file was created in the meantime".to_owned()) }),
        (_, None) => output::remove_file(&place.path, before),
    };
    written.map_err(|reason| place.cannot("write", &reason))?;
    Ok(true)
}

fn locking_failed(state: &HookState, error: &std::io::Error) -> Failure {
    Failure::Message(format!("cannot write the state in {}: {error}", state.folder().display()))
}

/// The file with the hook.
fn installed(client: &HookClient, place: &HookFile, old: Option<&str>, command: &[String]) -> Result<NewText, Failure> {
    match &client.installation {
        Installation::Setting { hook, .. } => {
            let command = command_line(command);
            let failed = |error: SettingsError| place.cannot("change", &by_hand(&error, &example(hook, &command)));
            hook.install(old.unwrap_or_default(), &command).map(Some).map_err(failed)
        }
        Installation::Plugin { template, .. } => match old.filter(|old| !old.starts_with(HEADER)) {
            Some(_) => Err(place.cannot("write", "it is not a file of Trimtab; move it away first")),
            None => Ok(Some(plugin(template, command))),
        },
    }
}

fn by_hand(error: &SettingsError, what: &str) -> String {
    format!("{error}; repair it, or do it by hand: {what}")
}

fn example(hook: &SettingsHook, command: &str) -> String {
    format!("add\n{}", hook.example(command))
}

/// The command in a file that `--install` has written.
fn plugin_command(text: &str) -> Option<String> {
    let line = text.lines().filter(|_| text.starts_with(HEADER)).find(|line| line.starts_with("const command"))?;
    let words: Vec<String> = serde_json::from_str(line.split_once(" = ")?.1).ok()?;
    Some(command_line(&words))
}

/// The program that the client runs. Settings of a project are shared, so it is found by its name there. Elsewhere a client
/// that was not started in a shell may not find it.
fn program(place: &HookFile) -> Result<String, Failure> {
    let name = "trimtab";
    if place.project.is_some() {
        return Ok(name.to_owned());
    }
    let own = std::env::current_exe()?;
    // Its name on the path stays the same when a package manager replaces the program.
    let found = program_on_path(name).filter(|found| is_same(found, &own));
    written(&found.unwrap_or(own))
}

fn is_same(one: &Path, other: &Path) -> bool {
    FileId::at(one).ok().zip(FileId::at(other).ok()).is_some_and(|(a, b)| a == b)
}

/// The policy as the command names it: relative to the root of the project that it belongs to, or else absolute.
fn policy_argument(policy: &Path, place: &HookFile) -> Result<String, Failure> {
    let absolute = std::path::absolute(policy)?;
    let inside = place.project.as_deref().and_then(|root| absolute.strip_prefix(root).ok());
    written(inside.unwrap_or(&absolute))
}

fn written(path: &Path) -> Result<String, Failure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Failure::Message(format!("{} is not UTF-8, as settings must be", path.display())))
}

/// Words as a shell reads them.
fn command_line(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:@%,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else if cfg!(windows) {
        format!("\"{word}\"")
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
