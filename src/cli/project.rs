//! The project of some files: its settings and the profile of its host.

mod paths;

use std::path::{Path, PathBuf};

use clap::Args;
use trimtab_analysis::config::{self, Config, LintSelection};
use trimtab_base::diagnostic::{self, Severity};
use trimtab_base::source::SourceMap;
use trimtab_language::check::{Agent, CheckedFile};
use trimtab_lint::lint::Settings;
use trimtab_report::report;

use super::console::{Console, Failure};
use super::glob::PathGlob;
use super::input;
use crate::host::repository_root;

/// Arguments of each subcommand that reads the project's settings.
#[derive(Args, Debug, Default)]
pub(super) struct ProjectArguments {
    /// The settings file [default: the nearest trimtab.toml in the directory of the first path or above]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Ignore the settings of the project
    #[arg(long, conflicts_with = "config")]
    isolated: bool,
    /// The host profile to use, defined in the settings; it overrides `agent` blocks
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

/// The settings of a project and their location.
#[derive(Debug, Default)]
pub(super) struct Project {
    /// The settings.
    pub(super) config: Config,
    /// The directory of the settings file, if there is one.
    pub(super) root: Option<PathBuf>,
    /// The text of the settings file.
    pub(super) sources: SourceMap,
    /// The globs of each `[[lint.files]]` table.
    matchers: Vec<Vec<PathGlob>>,
    /// The profile given by `--profile`.
    requested_profile: Option<String>,
}

impl ProjectArguments {
    /// Whether a settings file or a profile is given.
    pub(super) const fn is_given(&self) -> bool {
        self.config.is_some() || self.profile.is_some()
    }

    /// The arguments as they are written on a command line, each after a space.
    pub(super) fn written(&self) -> String {
        let config = self.config.as_ref().map_or_else(String::new, |file| format!(" --config {}", file.display()));
        let isolated = if self.isolated { " --isolated" } else { "" };
        let profile = self.profile.as_ref().map_or_else(String::new, |name| format!(" --profile {name}"));
        format!("{config}{isolated}{profile}")
    }

    /// Reads the settings for some paths. Errors in them are printed and end the subcommand.
    pub(super) fn open(&self, paths: &[PathBuf], console: &Console) -> Result<Project, Failure> {
        let file = match (&self.config, self.isolated) {
            (Some(file), _) => Some(file.clone()),
            (None, true) => None,
            (None, false) => nearest(paths.first().map_or(Path::new("."), PathBuf::as_path)),
        };
        let mut project = match file {
            Some(file) => read(&file, console)?,
            None => Project::default(),
        };
        project.requested_profile.clone_from(&self.profile);
        if let Err(known) = project.config.profile_agent(self.profile.as_deref()) {
            let known = if known.is_empty() {
                "no profile is defined".to_owned()
            } else {
                format!("defined profiles: {}", known.join(", "))
            };
            let name = self.profile.as_deref().unwrap_or_default();
            return Err(Failure::Message(format!("unknown profile `{name}`; {known}")));
        }
        Ok(project)
    }
}

/// The settings file in the directory of a path or above, up to the root of its repository.
fn nearest(path: &Path) -> Option<PathBuf> {
    let start = if path.as_os_str() == "-" { Path::new(".") } else { path };
    let start = std::fs::canonicalize(start).or_else(|_| std::env::current_dir()).ok()?;
    let root = repository_root(&start);
    let is_above = |folder: &&Path| root.is_some_and(|root| root.starts_with(folder) && root != *folder);
    let folders = start.ancestors().take_while(|folder| !is_above(folder));
    folders.map(|folder| folder.join(config::NAME)).find(|file| file.is_file())
}

/// Reads a settings file. Errors in it are printed and end the subcommand.
pub(super) fn read(file: &Path, console: &Console) -> Result<Project, Failure> {
    let name = relative_to_here(file).display().to_string();
    let text = input::read_text(file).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    let mut sources = SourceMap::default();
    let id = sources.add(name.clone(), text);
    let (config, mut found) = sources.get(id).map(config::read).unwrap_or_default();
    let root = std::fs::canonicalize(file).ok().and_then(|file| file.parent().map(Path::to_path_buf));
    found.extend(root.iter().flat_map(|root| paths::problems(&config, root)));
    diagnostic::sort(&mut found);
    for finding in &found {
        Console::print_error(report::draw(&sources, finding, console.notes));
    }
    if found.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Failure::Message(format!("{name} has errors")));
    }
    console.detail(&format!("settings: {name}"));
    let matchers = config.files.iter().map(|(globs, _)| globs.iter().map(|glob| PathGlob::new(&glob.node)).collect());
    let matchers = matchers.collect::<Result<_, String>>()?;
    Ok(Project { matchers, root, sources, config, requested_profile: None })
}

/// A path relative to the working directory if it is below it.
pub(super) fn relative_to_here(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).map_or_else(|_| path.to_path_buf(), Path::to_path_buf)
}

impl Project {
    /// The lint settings of a file: those of the project, then those of matching `[[lint.files]]` tables.
    pub(super) fn settings(&self, path: &Path) -> Settings {
        let mut settings = Settings::default();
        self.config.lint.apply_to(&mut settings);
        for choice in self.choices(path) {
            choice.apply_to(&mut settings);
        }
        settings
    }

    fn choices(&self, path: &Path) -> impl Iterator<Item = &LintSelection> {
        let relative = std::fs::canonicalize(path).ok();
        let relative = relative.as_deref().zip(self.root.as_deref());
        let relative = relative.and_then(|(path, root)| path.strip_prefix(root).ok()).map(Path::to_path_buf);
        let own = self.config.files.iter().zip(&self.matchers);
        own.filter(move |(_, globs)| relative.as_ref().is_some_and(|path| globs.iter().any(|glob| glob.is_match(path))))
            .map(|((_, choice), _)| choice)
    }

    /// Completes the agent block of a policy from the project's profile; a profile given by name overrides the block.
    pub(super) fn apply_profile(&self, checked: &mut Option<CheckedFile>) {
        self.apply_profile_or(checked, None);
    }

    /// The same with the profile `name`, unless `--profile` is given.
    pub(super) fn apply_profile_or(&self, checked: &mut Option<CheckedFile>, name: Option<&str>) {
        let Some(checked) = checked else { return };
        // Unknown names were reported when the settings were read.
        if let Ok(agent) = self.config.agent(&checked.agent, self.requested_profile.as_deref().or(name)) {
            checked.agent = agent;
        }
    }

    /// The host that the project describes, without a policy.
    pub(super) fn agent(&self) -> Agent {
        self.config.agent(&Agent::default(), self.requested_profile.as_deref()).unwrap_or_default()
    }

    /// The name of the profile in use.
    pub(super) fn profile(&self) -> Option<&str> {
        let own = self.config.profile.as_ref().map(|profile| profile.node.as_str());
        self.requested_profile.as_deref().or(own)
    }
}
