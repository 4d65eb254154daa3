//! The project that files belong to: its settings, and what of them counts for a file.

use std::path::{Path, PathBuf};

use clap::Args;
use globset::{GlobBuilder, GlobMatcher};

use super::console::{Console, Failure};
use super::input;
use crate::check::CheckedFile;
use crate::config::{self, Config, LintSelection};
use crate::diagnostic::Severity;
use crate::lint::Settings;
use crate::report;
use crate::source::SourceMap;

/// Arguments of each verb that reads the project's settings.
#[derive(Args, Debug)]
pub(super) struct ProjectArguments {
    /// The project's settings [default: the nearest trimtab.toml, from the first path upward]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Read no settings of a project
    #[arg(long, conflicts_with = "config")]
    isolated: bool,
    /// The host, a profile of the project's settings; it comes before what an agent block says
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

/// A project's settings and where they lie.
#[derive(Debug, Default)]
pub(super) struct Project {
    /// The settings.
    pub(super) config: Config,
    /// The folder of their file; none without one.
    pub(super) root: Option<PathBuf>,
    /// Their text, the only one.
    pub(super) sources: SourceMap,
    /// For each choice for some files, what they match.
    matchers: Vec<Vec<GlobMatcher>>,
    /// The profile that was asked for.
    requested_profile: Option<String>,
}

impl ProjectArguments {
    /// Whether settings or a host were asked for.
    pub(super) const fn is_given(&self) -> bool {
        self.config.is_some() || self.profile.is_some()
    }

    /// Reads the settings that count for some paths. Mistakes in them are shown and end the verb.
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
            let known = if known.is_empty() { "none is defined".to_owned() } else { known.join(", ") };
            let name = self.profile.as_deref().unwrap_or_default();
            return Err(Failure::Message(format!("there is no profile `{name}` ({known})")));
        }
        Ok(project)
    }
}

/// The settings file in the folder of a path or in one above it.
fn nearest(path: &Path) -> Option<PathBuf> {
    let start = if path.as_os_str() == "-" { Path::new(".") } else { path };
    let start = std::fs::canonicalize(start).or_else(|_| std::env::current_dir()).ok()?;
    start.ancestors().map(|folder| folder.join(config::NAME)).find(|file| file.is_file())
}

fn read(file: &Path, console: &Console) -> Result<Project, Failure> {
    let name = shorter(file).display().to_string();
    let text = input::read_text(file).map_err(|reason| format!("cannot read {name}: {reason}"))?;
    let mut sources = SourceMap::default();
    let id = sources.add(name.clone(), text);
    let (config, found) = sources.get(id).map(config::read).unwrap_or_default();
    for one in &found {
        Console::print_error(&report::draw(&sources, one, console.notes));
    }
    if found.iter().any(|one| one.severity == Severity::Error) {
        return Err(Failure::Message(format!("{name} has mistakes")));
    }
    console.detail(&format!("settings: {name}"));
    let matchers = config.files.iter().map(|(globs, _)| globs.iter().map(|glob| matcher(&glob.node)).collect());
    let matchers = matchers.collect::<Result<_, String>>()?;
    let root = std::fs::canonicalize(file).ok().and_then(|file| file.parent().map(Path::to_path_buf));
    Ok(Project { matchers, root, sources, config, requested_profile: None })
}

/// A path relative to the working directory, where it lies below.
pub(super) fn shorter(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).map_or_else(|_| path.to_path_buf(), Path::to_path_buf)
}

fn matcher(glob: &str) -> Result<GlobMatcher, String> {
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    built.map(|glob| glob.compile_matcher()).map_err(|error| format!("`{glob}` is no glob: {}", error.kind()))
}

impl Project {
    /// What counts for a file: the settings of the project, and those for such files on top.
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

    /// Settles what is known of the host of a policy: what its file says, with the project's profile in the gaps, or
    /// the other way round when a profile is asked for by name.
    pub(super) fn apply_profile(&self, checked: &mut Option<CheckedFile>) {
        self.apply_profile_or(checked, None);
    }

    /// The same for a host of this name, unless another is asked for.
    pub(super) fn apply_profile_or(&self, checked: &mut Option<CheckedFile>, name: Option<&str>) {
        let Some(checked) = checked else { return };
        // Names were looked up when the settings were read.
        if let Ok(agent) = self.config.agent(&checked.agent, self.requested_profile.as_deref().or(name)) {
            checked.agent = agent;
        }
    }

    /// The name of the profile that counts.
    pub(super) fn profile(&self) -> Option<&str> {
        let own = self.config.profile.as_ref().map(|profile| profile.node.as_str());
        self.requested_profile.as_deref().or(own)
    }
}
