//! The forge of a repository and the file that runs `trimtab ci` on it.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::host::{self, file};

/// Where the CI of a repository runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Forge {
    /// A workflow of GitHub Actions
    Github,
    /// A job of GitLab CI
    Gitlab,
    /// No CI file
    None,
}

const WORKFLOW: &str = include_str!("github.yml");
const JOB: &str = include_str!("gitlab.yml");
/// The lines of the templates that name the directory of the project.
const WORKFLOW_DIRECTORY: &str = "        working-directory: PROJECT\n";
const JOB_DIRECTORY: &str = "    - cd PROJECT\n";
/// The version of Trimtab in the templates.
const VERSION: &str = "0.0.0";

const WORKFLOWS: &str = ".github/workflows";
const PIPELINE: &str = ".gitlab-ci.yml";
const INCLUDED_JOB: &str = ".gitlab/trimtab.gitlab-ci.yml";

/// The file that runs the checks on a forge.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CiFile {
    /// Its path from the root of the repository.
    pub(super) path: PathBuf,
    /// Its text, or `None` if the file runs Trimtab already.
    pub(super) text: Option<String>,
    /// Whether an existing pipeline must include the file before it has an effect.
    pub(super) needs_include: bool,
}

/// The forge of a repository: that of its remotes, else that of its CI files.
pub(super) fn detect(repository: &Path) -> Option<Forge> {
    let remotes = if host::repository_root(repository).is_some() { host::remote_urls(repository) } else { Vec::new() };
    remotes.iter().find_map(|url| of_url(url)).or_else(|| {
        let exists = |name: &str| repository.join(name).exists();
        if exists(PIPELINE) { Some(Forge::Gitlab) } else { exists(".github").then_some(Forge::Github) }
    })
}

/// The forge of a remote, from the name of its host.
fn of_url(url: &str) -> Option<Forge> {
    let address = url.split_once("://").map_or(url, |(_, address)| address);
    let authority = address.split(['/', '\\']).next().unwrap_or_default();
    // `git@host:path` has no scheme.
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    if host.contains("github") { Some(Forge::Github) } else { host.contains("gitlab").then_some(Forge::Gitlab) }
}

impl Forge {
    /// The file that runs `trimtab ci` for a project at this path from the root of the repository.
    pub(super) fn ci_file(self, repository: &Path, project: &Path) -> Option<CiFile> {
        let file = |path: &str, text: String| CiFile { path: path.into(), text: Some(text), needs_include: false };
        match self {
            Self::Github => Some(match workflow_with_trimtab(repository) {
                Some(path) => CiFile { path, text: None, needs_include: false },
                None => file(&format!("{WORKFLOWS}/trimtab.yml"), workflow(project)),
            }),
            Self::Gitlab => {
                let text = job(project);
                let pipeline = repository.join(PIPELINE);
                Some(match pipeline.symlink_metadata().is_ok() {
                    false => file(PIPELINE, text),
                    true if mentions_trimtab(&pipeline) => {
                        CiFile { path: PIPELINE.into(), text: None, needs_include: false }
                    }
                    true => CiFile { needs_include: true, ..file(INCLUDED_JOB, text) },
                })
            }
            Self::None => None,
        }
    }
}

/// The lines that add the job to an existing pipeline.
pub(super) fn include_lines() -> [String; 2] {
    ["include:".to_owned(), format!("  - local: {INCLUDED_JOB}")]
}

/// The workflow for a project at this path from the root of the repository.
fn workflow(project: &Path) -> String {
    let line = |path: &str| format!("        working-directory: {}\n", yaml(path));
    filled(WORKFLOW, WORKFLOW_DIRECTORY, project, line)
}

/// The job for a project at this path from the root of the repository.
fn job(project: &Path) -> String {
    filled(JOB, JOB_DIRECTORY, project, |path| format!("    - {}\n", yaml(&format!("cd {}", shell_word(path)))))
}

/// A template with the version of this program, and the line with the directory of a project that is not at the root.
fn filled(template: &str, line: &str, project: &Path, new_line: impl Fn(&str) -> String) -> String {
    let path = project.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    let new_line = if path.is_empty() { String::new() } else { new_line(&path) };
    template.replace(line, &new_line).replace(VERSION, env!("CARGO_PKG_VERSION"))
}

/// The first workflow that mentions Trimtab.
fn workflow_with_trimtab(repository: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(repository.join(WORKFLOWS)).ok()?;
    let mut paths: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "yml" || end == "yaml"));
    paths.sort();
    let path = paths.into_iter().find(|path| mentions_trimtab(path))?;
    path.strip_prefix(repository).map(Path::to_path_buf).ok()
}

/// Whether a CI file mentions Trimtab.
fn mentions_trimtab(path: &Path) -> bool {
    file::read_regular(path, file::MAX_TEXT_BYTES)
        .is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("trimtab"))
}

/// A text as a value in YAML.
fn yaml(text: &str) -> String {
    // Spaces inside a plain scalar have no meaning, and a JSON string is a double-quoted scalar.
    if is_plain(&text.replace(' ', "_")) { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

/// A text as a word of a shell.
pub(super) fn shell_word(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// A pattern as words of a shell, which expands it; `trimtab` expands a quoted one itself.
pub(super) fn shell_pattern(pattern: &str) -> String {
    let plain = pattern.strip_prefix('~').unwrap_or(pattern).replace('*', "");
    if is_plain(&plain) { pattern.to_owned() } else { shell_word(pattern) }
}

/// Whether a path has no character with a meaning in YAML or a shell.
fn is_plain(path: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "._-/".contains(char);
    path.chars().all(is_plain) && path.starts_with(|char: char| char.is_ascii_alphabetic() || "./".contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_a_remote_names_the_forge() {
        for (url, expected) in [
            ("git@github.com:owner/gitlab-tools.git", Some(Forge::Github)),
            ("https://user:token@github.example.com/owner/repository", Some(Forge::Github)),
            ("ssh://git@gitlab.com:22/owner/github.git", Some(Forge::Gitlab)),
            ("https://GitLab.example.org/owner/repository", Some(Forge::Gitlab)),
            ("https://example.org/github.com/gitlab", None),
            ("../gitlab.git", None),
            ("", None),
        ] {
            assert_eq!(of_url(url), expected, "{url}");
        }
    }

    #[test]
    fn ci_files_are_valid_yaml_and_name_the_version_and_the_directory() {
        let root = tempfile::tempdir().expect("a temporary directory");
        for project in ["", "sub/agent", "it's a \"place\""] {
            for forge in [Forge::Github, Forge::Gitlab] {
                let file = forge.ci_file(root.path(), Path::new(project)).expect("a file");
                let text = file.text.expect("a text");
                let value: serde_json::Value = serde_yaml::from_str(&text).expect("valid YAML");
                assert!(!text.contains("PROJECT") && !text.contains(VERSION), "{text}");
                assert!(text.contains(env!("CARGO_PKG_VERSION")), "{text}");
                let directory = match forge {
                    Forge::Github => value["jobs"]["policies"]["steps"][3]["working-directory"].clone(),
                    _ => value["trimtab"]["script"][0].clone(),
                };
                let expected = match (forge, project) {
                    (Forge::Github, "") => serde_json::Value::Null,
                    (Forge::Github, project) => project.into(),
                    (_, "") => "trimtab ci".into(),
                    (_, "sub/agent") => "cd sub/agent".into(),
                    _ => r#"cd 'it'\''s a "place"'"#.into(),
                };
                assert_eq!(directory, expected, "{text}");
            }
        }
    }
}
