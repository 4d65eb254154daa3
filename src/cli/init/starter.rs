//! The texts of the starter policy and of the settings.

use crate::host::FoundRecordings;

/// The starter policy, with [`KEPT_TOOLS`], [`READ_TOOL`] and [`SHELL_TOOL`] instead of the names of tools.
const POLICY: &str = include_str!("agent.trim");
const KEPT_TOOLS: &str = "KEPT_TOOLS";
const READ_TOOL: &str = "READ_TOOL";
const SHELL_TOOL: &str = "SHELL_TOOL";

/// What the policy has only if there are tools whose results it keeps.
const KEPT_PARTS: &[&str] =
    &["  #: Reports of sub-agents stay, because a new report costs a whole run.\n", " except [KEPT_TOOLS]"];

/// The settings for policies in `policies`.
const SETTINGS: &str = include_str!("settings.toml");
/// The lines of the settings that depend on the project.
const PATHS: &str = "paths    = [\"policies\"] ";
const COVERAGE: &str = "coverage = ";
const SIMULATED_POLICY: &str = "\"policies/agent.trim\"";

/// The tools of a coding agent that the starter policy names.
#[derive(Debug)]
struct Tools {
    /// The name of its store of recordings.
    agent: &'static str,
    /// Tools that start sub-agents.
    kept: &'static [&'static str],
    /// A tool that reads files.
    read: &'static str,
    /// A tool that runs commands.
    shell: &'static str,
}

static TOOLS: &[Tools] = &[
    // `Task` is the name in versions before 2.1.63.
    Tools { agent: "Claude Code", kept: &["Agent", "Task"], read: "Read", shell: "Bash" },
    Tools { agent: "Codex CLI", kept: &[], read: "exec_command", shell: "exec_command" },
    Tools { agent: "OpenCode", kept: &["task"], read: "read", shell: "bash" },
    Tools { agent: "Gemini CLI", kept: &[], read: "read_file", shell: "run_shell_command" },
    Tools { agent: "Qwen Code", kept: &["task"], read: "read_file", shell: "run_shell_command" },
    Tools { agent: "Copilot CLI", kept: &["task"], read: "view", shell: "bash" },
    Tools { agent: "pi", kept: &[], read: "read", shell: "bash" },
];

/// The tools of an agent that is not listed.
static ANY_TOOLS: Tools = Tools { agent: "", kept: &[], read: "read_file", shell: "bash" };

/// The agent whose tools the starter policy names: the one with most recordings.
pub(super) fn main_agent(found: &[FoundRecordings]) -> Option<&'static str> {
    // Of equal ones, the first counts.
    found.iter().rev().max_by_key(|one| one.count).map(|one| one.store.agent)
}

/// The text of the starter policy for the agent with this name.
pub(super) fn policy(agent: Option<&str>) -> String {
    let tools = TOOLS.iter().find(|tools| Some(tools.agent) == agent).unwrap_or(&ANY_TOOLS);
    let mut text = POLICY.to_owned();
    if tools.kept.is_empty() {
        for part in KEPT_PARTS {
            text = text.replace(part, "");
        }
    }
    text.replace(KEPT_TOOLS, &tools.kept.join(", ")).replace(READ_TOOL, tools.read).replace(SHELL_TOOL, tools.shell)
}

/// The text of the settings. `paths` are what `trimtab ci` checks, `starter` is the path of the starter policy if it is written:
/// the tests of other policies may cover less.
pub(super) fn settings(paths: &[String], starter: Option<&str>) -> String {
    let quoted = |path: &str| serde_json::Value::from(path).to_string();
    let list = paths.iter().map(|path| quoted(path)).collect::<Vec<_>>().join(", ");
    let text = SETTINGS.replace(PATHS, &format!("paths    = [{list}] "));
    match starter {
        Some(path) => text.replace(SIMULATED_POLICY, &quoted(path)),
        None => text.replace(COVERAGE, &format!("# {COVERAGE}")),
    }
}

#[cfg(test)]
mod tests {
    use trimtab_analysis::config;
    use trimtab_base::source::{Source, SourceId};
    use trimtab_syntax::format;

    use super::*;
    use crate::host::RECORDING_STORES;
    use crate::pipeline;

    /// The names of all agents, and none.
    fn agents() -> impl Iterator<Item = Option<&'static str>> {
        RECORDING_STORES.iter().map(|store| Some(store.agent)).chain([None])
    }

    #[test]
    fn tools_belong_to_agents_whose_recordings_are_found() {
        for tools in TOOLS {
            assert!(RECORDING_STORES.iter().any(|store| store.agent == tools.agent), "{}", tools.agent);
        }
        assert!(policy(Some("Claude Code")).contains("except [Agent, Task] "));
        assert!(!policy(None).contains("except") && !policy(None).contains("sub-agent"));
    }

    #[test]
    fn each_starter_policy_is_valid_and_formatted() {
        for agent in agents() {
            let text = policy(agent);
            let leftover = [KEPT_TOOLS, READ_TOOL, SHELL_TOOL].into_iter().find(|marker| text.contains(marker));
            assert_eq!(leftover, None, "{agent:?}");
            assert!(pipeline::compile("agent.trim", &text).diagnostics.is_empty(), "{text}");
            let formatted = format::format_source(&Source::new(SourceId::default(), "agent.trim", text.clone()));
            assert_eq!(formatted.expect("no syntax error"), text);
        }
    }

    #[test]
    fn the_settings_are_valid_also_without_comment_signs() {
        let paths = ["rules".to_owned(), "a \"b\"".to_owned()];
        for text in [SETTINGS.to_owned(), settings(&paths, Some("rules/x.trim")), settings(&paths, None)] {
            let all = text.lines().map(|line| match line.strip_prefix("# ") {
                Some(code) if code.contains(" = ") || code.starts_with('[') => code,
                _ => line,
            });
            for text in [text.clone(), all.collect::<Vec<_>>().join("\n")] {
                let (_, found) = config::read(&Source::new(SourceId::default(), config::NAME, text.clone()));
                assert!(found.is_empty(), "{text}\n{found:?}");
            }
        }
        let text = settings(&paths, Some("rules/x.trim"));
        assert!(text.contains("paths    = [\"rules\", \"a \\\"b\\\"\"] "), "{text}");
        assert!(text.contains("# policy      = \"rules/x.trim\"\n"), "{text}");
        assert!(settings(&paths, None).contains("\n# coverage = \"90%\""));
    }
}
