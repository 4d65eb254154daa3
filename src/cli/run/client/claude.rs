//! Claude Code.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use super::{AgentEnvironment, Client, FileArgument, ProxySetup, read};

const VARIABLE: &str = "ANTHROPIC_BASE_URL";

const OPTION: &str = "--settings";
/// The option with its value in one argument.
const ASSIGNED: &str = "--settings=";

pub(super) static CLIENT: Client = Client {
    programs: &["claude"],
    configure: |environment, proxy| {
        // Some of its requests, such as the one that warms up the connection, say nothing of their provider.
        let proxy = format!("{proxy}/anthropic");
        let mut setup = ProxySetup::default();
        let given = given(environment);
        let of_option = given.as_ref().and_then(|given| address(&given.settings));
        let of_user = user_folder(environment).and_then(|folder| address(&settings(&folder.join("settings.json"))?));
        let of_project = project_files(environment).iter().find_map(|path| address(&settings(path)?));
        // Settings win over variables, and the option wins over settings. The last option is the one that counts.
        if of_option.is_some() || of_user.is_some() || of_project.is_some() {
            if let Some(Given { at, before, mut settings }) = given {
                settings["env"][VARIABLE] = proxy.into();
                setup.files.push(FileArgument { at, before, text: settings.to_string() });
            } else {
                let settings = json!({ "env": { VARIABLE: proxy } });
                setup.arguments = vec![OPTION.to_owned(), settings.to_string()];
            }
            let own = of_option.or(of_user).or_else(|| environment.variable(VARIABLE));
            setup.upstreams.extend(own.map(|address| ("anthropic", address)));
            setup.project_upstreams.extend(of_project.map(|address| ("anthropic", address)));
        } else {
            setup.redirect_variable(environment, VARIABLE, "anthropic", proxy);
        }
        setup
    },
};

/// Settings that the user gives with an option.
struct Given {
    /// The index of the argument, and what comes before its value there.
    at: usize,
    before: &'static str,
    settings: Json,
}

/// The settings in the option of the user: JSON, or a file.
fn given(environment: &AgentEnvironment) -> Option<Given> {
    let arguments = &environment.arguments;
    let option = arguments.iter().rposition(|argument| argument == OPTION || argument.starts_with(ASSIGNED))?;
    let (at, before) = if arguments[option] == OPTION { (option + 1, "") } else { (option, ASSIGNED) };
    let value = arguments.get(at)?.strip_prefix(before)?;
    let text = if value.trim_start().starts_with('{') {
        value.to_owned()
    } else {
        read(&environment.project.as_ref()?.join(value))?
    };
    let settings: Json = serde_json::from_str(&text).ok()?;
    let is_valid = settings.is_object() && settings.get("env").is_none_or(Json::is_object);
    is_valid.then_some(Given { at, before, settings })
}

/// The folder with the settings of the user.
fn user_folder(environment: &AgentEnvironment) -> Option<PathBuf> {
    let own = environment.variable("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    own.or_else(|| Some(environment.home.as_ref()?.join(".claude")))
}

/// The files with settings of the project, those that win first.
fn project_files(environment: &AgentEnvironment) -> Vec<PathBuf> {
    let folder = environment.project.as_ref().map(|folder| folder.join(".claude"));
    folder
        .into_iter()
        .flat_map(|folder| ["settings.local.json", "settings.json"].map(|name| folder.join(name)))
        .collect()
}

fn settings(path: &Path) -> Option<Json> {
    serde_json::from_str(&read(path)?).ok()
}

/// The address that settings name.
fn address(settings: &Json) -> Option<String> {
    settings.get("env")?.get(VARIABLE)?.as_str().map(str::to_owned)
}
