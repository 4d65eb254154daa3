//! How agents are pointed at a proxy.
//!
//! An agent is one file and two lines here: `mod` and the entry in `CLIENTS`.

mod claude;
mod codex;
mod copilot;
mod opencode;
mod other;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use tokio::process::Command;

use crate::cli::console::Failure;
use crate::host::{file, temporary_file};
use crate::proxy::Provider;

/// The most bytes of a configuration that are read.
const MAX_CONFIGURATION: u64 = 16 << 20;

/// A coding agent.
struct Client {
    /// The names of its command.
    programs: &'static [&'static str],
    /// The changes that send its requests through a proxy.
    configure: fn(&AgentEnvironment, proxy: &str) -> ProxySetup,
}

/// The agents, by their commands. Any other is `other`.
static CLIENTS: &[&Client] = &[&claude::CLIENT, &codex::CLIENT, &copilot::CLIENT, &opencode::CLIENT];

/// What an agent reads to find its provider: arguments, home directory, project and environment variables.
struct AgentEnvironment {
    /// The arguments of its command.
    arguments: Vec<String>,
    home: Option<PathBuf>,
    /// The folder in which it is started.
    project: Option<PathBuf>,
    /// The variables of the environment.
    variable: fn(&str) -> Option<String>,
}

/// The changes that send an agent's requests through a proxy.
#[derive(Debug, Default, PartialEq, Eq)]
struct ProxySetup {
    /// Variables of its environment.
    variables: Vec<(&'static str, String)>,
    /// Arguments in front of those of the user.
    arguments: Vec<String>,
    /// Files that replace the user's arguments at their indices. Other users can read the arguments of a process, and these
    /// texts may contain keys.
    files: Vec<FileArgument>,
    /// Providers with the addresses that it would have used.
    upstreams: Vec<(&'static str, String)>,
    /// Upstreams that files of the project name. Anyone may have written these files, so nothing is sent there unless the user
    /// says so.
    project_upstreams: Vec<(&'static str, String)>,
    /// Why the requests of the agent cannot go through a proxy, if they cannot.
    obstacle: Option<&'static str>,
}

/// An argument that names a file with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileArgument {
    /// The index of the argument that it replaces.
    at: usize,
    /// What comes before the name, such as `--settings=`.
    before: &'static str,
    text: String,
}

impl AgentEnvironment {
    fn of(arguments: &[OsString]) -> Self {
        let arguments = arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Self { arguments, home: std::env::home_dir(), project: std::env::current_dir().ok(), variable }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name)
    }
}

fn read(path: &Path) -> Option<String> {
    String::from_utf8(file::read_regular(path, MAX_CONFIGURATION).ok()?).ok()
}

impl ProxySetup {
    /// Sets an environment variable to the address of the proxy. Its previous value, if any, becomes the upstream.
    fn redirect_variable(
        &mut self,
        environment: &AgentEnvironment,
        name: &'static str,
        provider: &'static str,
        address: String,
    ) {
        self.upstreams.extend(environment.variable(name).map(|address| (provider, address)));
        self.variables.push((name, address));
    }
}

/// A command of an agent that is about to be run.
pub(super) struct Launch {
    client: &'static Client,
    program: OsString,
    arguments: Vec<OsString>,
    environment: AgentEnvironment,
}

impl Launch {
    /// The command of an agent.
    pub(super) fn of(command: &[OsString]) -> Result<Self, Failure> {
        let (program, arguments) = command.split_first().ok_or_else(|| "expected a command".to_owned())?;
        let name = Path::new(program).file_stem().unwrap_or_default();
        let client = CLIENTS.iter().find(|client| client.programs.iter().any(|known| name == *known));
        Ok(Self {
            client: client.copied().unwrap_or(&other::CLIENT),
            program: program.clone(),
            arguments: arguments.to_vec(),
            environment: AgentEnvironment::of(arguments),
        })
    }

    /// The addresses that the agent would have used, where they are not the usual ones.
    pub(super) fn upstreams(&self) -> Vec<(&'static Provider, String)> {
        let setup = (self.client.configure)(&self.environment, "");
        let known = |(name, address)| Some((Provider::named(name)?, address));
        setup.upstreams.into_iter().filter_map(known).collect()
    }

    /// The addresses that files of the project name, which are not used.
    pub(super) fn project_upstreams(&self) -> Vec<(&'static str, String)> {
        (self.client.configure)(&self.environment, "").project_upstreams
    }

    /// Why its requests cannot go through a proxy, if they cannot.
    pub(super) fn obstacle(&self) -> Option<&'static str> {
        (self.client.configure)(&self.environment, "").obstacle
    }

    /// The command with a proxy at this address, and files that must stay until it has ended.
    pub(super) fn command(&self, proxy: SocketAddr) -> Result<(Command, Vec<NamedTempFile>), Failure> {
        let setup = (self.client.configure)(&self.environment, &format!("http://{proxy}"));
        let mut arguments = self.arguments.clone();
        let mut files = Vec::new();
        for FileArgument { at, before, text } in setup.files {
            let file = temporary_file(&text).map_err(|error| format!("a settings file cannot be written: {error}"))?;
            if let Some(old) = arguments.get_mut(at) {
                *old = before.into();
                old.push(file.path());
            }
            files.push(file);
        }
        let mut command = Command::new(&self.program);
        command.envs(setup.variables).args(setup.arguments).args(arguments);
        Ok((command, files))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "http://127.0.0.1:7";

    fn setup(client: &Client, files: &[(&str, &str)], variable: fn(&str) -> Option<String>) -> ProxySetup {
        setup_with(client, &[], files, variable)
    }

    fn setup_with(
        client: &Client,
        arguments: &[&str],
        files: &[(&str, &str)],
        variable: fn(&str) -> Option<String>,
    ) -> ProxySetup {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let home = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = home.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        let project = Some(home.path().join("project"));
        (client.configure)(
            &AgentEnvironment { arguments, home: Some(home.path().to_path_buf()), project, variable },
            PROXY,
        )
    }

    #[test]
    fn claude_code_has_a_variable_or_an_option() {
        let set = |name: &str| (name == "ANTHROPIC_BASE_URL").then(|| "http://old".to_owned());
        let by_variable = setup(&claude::CLIENT, &[], set);
        assert_eq!(by_variable.variables, [("ANTHROPIC_BASE_URL", format!("{PROXY}/anthropic"))]);
        assert_eq!(by_variable.upstreams, [("anthropic", "http://old".to_owned())]);
        assert!(by_variable.arguments.is_empty());
        let settings = r#"{"env":{"ANTHROPIC_BASE_URL":"http://set"}}"#;
        let by_option = setup(&claude::CLIENT, &[(".claude/settings.json", settings)], |_| None);
        let option = r#"{"env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:7/anthropic"}}"#;
        assert_eq!(by_option.arguments, ["--settings", option]);
        assert_eq!(by_option.upstreams, [("anthropic", "http://set".to_owned())]);
        let of_project = r#"{"env":{"ANTHROPIC_BASE_URL":"http://project"}}"#;
        let files = [(".claude/settings.json", settings), ("project/.claude/settings.local.json", of_project)];
        let by_project = setup(&claude::CLIENT, &files, |_| None);
        assert_eq!(by_project.arguments, ["--settings", option]);
        assert_eq!(by_project.upstreams, [("anthropic", "http://set".to_owned())]);
        assert_eq!(by_project.project_upstreams, [("anthropic", "http://project".to_owned())]);
        let beside_variable = setup(&claude::CLIENT, &files[1..], set);
        assert_eq!(beside_variable.upstreams, [("anthropic", "http://old".to_owned())]);
        let own = r#"{"model":"m","env":{"ANTHROPIC_BASE_URL":"http://own"}}"#;
        for (arguments, at, before) in [
            (&["-p", "go", "--settings", own][..], 3, ""),
            (&["-p", "go", "--settings", "own.json"], 3, ""),
            (&["--settings=own.json", "-p", "go"], 0, "--settings="),
        ] {
            let files = [(".claude/settings.json", settings), ("project/own.json", own)];
            let by_own_option = setup_with(&claude::CLIENT, arguments, &files, |_| None);
            let merged = r#"{"model":"m","env":{"ANTHROPIC_BASE_URL":"http://127.0.0.1:7/anthropic"}}"#;
            assert_eq!(by_own_option.files, [FileArgument { at, before, text: merged.to_owned() }]);
            assert!(by_own_option.arguments.is_empty());
            assert_eq!(by_own_option.upstreams, [("anthropic", "http://own".to_owned())]);
        }
    }

    #[test]
    fn codex_has_an_option_for_its_provider() {
        let plain = setup(&codex::CLIENT, &[], |_| None);
        assert_eq!(plain.arguments, ["-c", "openai_base_url=\"http://127.0.0.1:7/v1\""]);
        assert!(plain.upstreams.is_empty());
        let config = "model_provider = \"mine\"\n[model_providers.mine]\nbase_url = \"http://own/v1\"\n";
        let own = setup(&codex::CLIENT, &[(".codex/config.toml", config)], |_| None);
        assert_eq!(own.arguments, ["-c", "model_providers.mine.base_url=\"http://127.0.0.1:7/v1\""]);
        assert_eq!(own.upstreams, [("openai", "http://own/v1".to_owned())]);
        let two = "model_provider = \"mine\"\n[model_providers.mine]\nbase_url = \"http://own/v1\"\n\
            [model_providers.other]\nbase_url = \"http://other/v1\"\n[profiles.p]\nmodel_provider = \"other\"\n";
        for arguments in [&["-c", "model_provider=\"other\""], &["--profile", "p"]] {
            let other = setup_with(&codex::CLIENT, arguments, &[(".codex/config.toml", two)], |_| None);
            assert_eq!(other.upstreams, [("openai", "http://other/v1".to_owned())], "{arguments:?}");
        }
        let layer = "model_provider = \"third\"\n[model_providers.third]\nbase_url = \"http://third/v1\"\n";
        let files = [(".codex/config.toml", two), (".codex/work.config.toml", layer)];
        let layered = setup_with(&codex::CLIENT, &["exec", "-p", "work"], &files, |_| None);
        assert_eq!(layered.upstreams, [("openai", "http://third/v1".to_owned())]);
        assert_eq!(layered.arguments, ["-c", "model_providers.third.base_url=\"http://127.0.0.1:7/v1\""]);
        let login = setup(&codex::CLIENT, &[(".codex/auth.json", r#"{"OPENAI_API_KEY":null,"tokens":{}}"#)], |_| None);
        assert_eq!(login.upstreams, [("openai", "https://chatgpt.com/backend-api/codex".to_owned())]);
    }

    #[test]
    fn opencode_has_its_configuration_in_a_variable() {
        let content = |setup: &ProxySetup| -> serde_json::Value {
            let (name, text) = setup.variables.first().expect("a variable");
            assert_eq!(*name, "OPENCODE_CONFIG_CONTENT");
            serde_json::from_str(text).expect("JSON")
        };
        let usual = setup(&opencode::CLIENT, &[], |_| None);
        let providers = &content(&usual)["provider"];
        assert_eq!(providers["anthropic"]["options"]["baseURL"], "http://127.0.0.1:7/anthropic/v1");
        assert_eq!(providers["openai"]["options"]["baseURL"], "http://127.0.0.1:7/openai/v1");
        let config = r#"{"model":"b/m","provider":{
            "a":{"npm":"@ai-sdk/anthropic","options":{"baseURL":"http://a/v1"}},
            "b":{"npm":"@ai-sdk/anthropic","options":{"baseURL":"http://b/v1"}}}}"#;
        let own = setup(&opencode::CLIENT, &[(".config/opencode/opencode.json", config)], |_| None);
        let providers = &content(&own)["provider"];
        assert_eq!(providers["b"]["options"]["baseURL"], "http://127.0.0.1:7/anthropic/v1");
        assert!(providers["a"].is_null(), "its requests would go to the address of the other one: {providers}");
        assert_eq!(own.upstreams, [("anthropic", "http://b/v1".to_owned())]);
        let commented = format!("// own\n{}", config.replace("}}}}", "},}}}"));
        for path in [".config/opencode/opencode.jsonc", ".config/opencode/config.json"] {
            let own = setup(&opencode::CLIENT, &[(path, &commented)], |_| None);
            assert_eq!(own.upstreams, [("anthropic", "http://b/v1".to_owned())], "{path}");
        }
        let inside = setup(&opencode::CLIENT, &[("project/.opencode/opencode.json", config)], |_| None);
        assert_eq!(inside.project_upstreams, [("anthropic", "http://b/v1".to_owned())]);
        let other = config.replace("http://b/v1", "http://project/v1");
        let files = [(".config/opencode/opencode.json", config), ("project/opencode.json", other.as_str())];
        let of_project = setup(&opencode::CLIENT, &files, |_| None);
        assert_eq!(content(&of_project)["provider"]["b"]["options"]["baseURL"], "http://127.0.0.1:7/anthropic/v1");
        assert!(of_project.upstreams.is_empty(), "{:?}", of_project.upstreams);
        assert_eq!(of_project.project_upstreams, [("anthropic", "http://project/v1".to_owned())]);
    }

    #[test]
    fn copilot_has_the_interface_of_its_provider() {
        let of = |variable: fn(&str) -> Option<String>| setup(&copilot::CLIENT, &[], variable);
        let none = of(|_| None);
        assert!(none.variables.is_empty() && none.obstacle.is_some(), "{none:?}");
        let openai = of(|name| (name == "COPILOT_PROVIDER_BASE_URL").then(|| "http://own/v1".to_owned()));
        assert_eq!(openai.variables, [("COPILOT_PROVIDER_BASE_URL", format!("{PROXY}/openai/v1"))]);
        assert_eq!(openai.upstreams, [("openai", "http://own/v1".to_owned())]);
        let anthropic = of(|name| (name == "COPILOT_PROVIDER_TYPE").then(|| "anthropic".to_owned()));
        assert_eq!(anthropic.variables, [("COPILOT_PROVIDER_BASE_URL", format!("{PROXY}/anthropic"))]);
        let azure = of(|name| match name {
            "COPILOT_PROVIDER_TYPE" => Some("azure".to_owned()),
            "COPILOT_PROVIDER_BASE_URL" => Some("http://own/".to_owned()),
            _ => None,
        });
        // Copilot adds `/openai/v1`, of which the proxy takes `/openai` for the provider.
        assert_eq!(azure.variables, [("COPILOT_PROVIDER_BASE_URL", PROXY.to_owned())]);
        assert_eq!(azure.upstreams, [("openai", "http://own/openai".to_owned())]);
    }

    #[test]
    fn any_other_agent_has_the_usual_variables() {
        let other = setup(&other::CLIENT, &[], |_| None);
        let names: Vec<&str> = other.variables.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "GOOGLE_GEMINI_BASE_URL"]);
    }
}
