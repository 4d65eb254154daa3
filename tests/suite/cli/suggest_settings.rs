//! `trimtab suggest --for NAME`: settings of other systems.

use std::fs;

use serde_json::{Value as Json, json};
use trimtab::system::{self, SYSTEMS};

use super::suggest_rules::Session;
use super::{Run, folder};

/// A session with large output of commands, as a recording.
fn session() -> tempfile::TempDir {
    session_with("Bash")
}

/// A session with long output of a tool.
fn session_with(tool: &str) -> tempfile::TempDir {
    let mut session = Session::new("claude-sonnet-4-5", 200_000);
    session.user("Run the tests.");
    for at in 0..12 {
        let output: String = (0..400).map(|line| format!("test case{line} of run{at} passed\n")).collect();
        session.call(tool, &json!({ "command": format!("make test{at}") }), &output);
    }
    session.reply("All pass.");
    folder(&[("session.jsonl", session.text())])
}

fn suggest(recordings: &tempfile::TempDir, more: &str) -> Json {
    let words = format!("suggest session.jsonl --format json {more}");
    Run::line(&words).current_dir(recordings.path()).output().exits_with(0).json()
}

#[test]
fn settings_have_only_options_of_the_system_and_save_what_is_promised() {
    let recordings = session();
    for system in SYSTEMS {
        let report = suggest(&recordings, &format!("--for {}", system.name));
        let settings = &report["settings"];
        assert_eq!(settings["system"], system.name);
        let Some(text) = settings["text"].as_str() else {
            assert_eq!((&settings["options"], &settings["after"]), (&json!({}), &Json::Null), "{}", system.name);
            continue;
        };
        for key in settings["options"].as_object().unwrap().keys() {
            assert!(system.settings.iter().any(|setting| setting.key == key), "{}: {key}", system.name);
        }
        let file = recordings.path().join(format!("settings.{}", end(text)));
        fs::write(&file, text).unwrap();
        let import = Run::line("import --format json --from").arg(system.name).arg(&file).output().exits_with(0).json();
        let written = import["options"].as_array().unwrap().iter().filter(|option| option["origin"] == "written");
        assert_eq!(written.count(), settings["options"].as_object().unwrap().len(), "{text}");
        let policy = recordings.path().join("settings.trim");
        fs::write(&policy, import["policy"].as_str().unwrap()).unwrap();
        let saved = |policy: &std::ffi::OsStr| {
            let run = Run::line("simulate --format json").arg(policy).arg(recordings.path().join("session.jsonl"));
            run.output().exits_with(0).json()["total"]["tokens_saved"].clone()
        };
        assert_eq!(saved(policy.as_os_str()), settings["after"]["tokens_saved"], "{}", system.name);
        let before = saved(format!("{}{}", system::HARNESS, system.name).as_ref());
        assert_eq!(before, settings["before"]["tokens_saved"], "{}", system.name);
        let gain = settings["after"]["tokens_saved"].as_i64().unwrap() - before.as_i64().unwrap();
        assert_eq!(settings["gain"]["tokens_saved"], gain);
        fs::remove_file(&file).unwrap();
        fs::remove_file(&policy).unwrap();
    }
}

/// A text in one line.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The ending of a settings file.
fn end(text: &str) -> &'static str {
    match text {
        _ if text.starts_with('{') => "json",
        _ if text.contains(" = ") => "toml",
        _ => "yaml",
    }
}

#[test]
fn every_system_can_do_something_and_names_formats_that_exist() {
    for system in SYSTEMS {
        assert!(!system.adjustments.is_empty(), "{}", system.name);
        let formats = trimtab::transcript::FORMATS;
        for format in system.recordings {
            assert!(formats.iter().any(|known| known.name == *format), "{}: {format}", system.name);
        }
        let base = system::adjusted(system, None, &system::OptionValues::default()).unwrap();
        for adjustment in system.adjustments {
            assert!(adjustment.summary.ends_with('.'), "{}", adjustment.name);
            let trials = adjustment.trials(None);
            assert_eq!(trials.len(), adjustment.alternatives.len(), "{}: a value out of range", adjustment.name);
            for options in trials {
                let settings = system::adjusted(system, None, &options).unwrap();
                assert_ne!(settings.policy, base.policy, "{}: {options:?} changes nothing", system.name);
            }
        }
    }
}

#[test]
fn the_settings_are_those_that_compile_writes() {
    let tools =
        [("claude-code", "Bash"), ("codex", "Bash"), ("gemini-cli", "run_shell_command"), ("openhands", "Bash")];
    for (system, tool) in tools {
        let recordings = session_with(tool);
        let report = suggest(&recordings, &format!("--for {system}"));
        let text = report["settings"]["text"].as_str().unwrap_or_else(|| panic!("{system}: {report:#}"));
        let file = recordings.path().join(format!("settings.{}", end(text)));
        fs::write(&file, text).unwrap();
        let policy = Run::line("import --from").arg(system).arg(&file).output().exits_with(0).out;
        let policy = folder(&[("settings.trim", &policy)]);
        let compiled = Run::line("compile --target").arg(system).arg(policy.path().join("settings.trim")).output();
        assert_eq!(compiled.exits_with(0).out, text);
    }
}

#[test]
fn the_saving_is_compared_with_the_defaults_and_with_a_policy() {
    let recordings = session();
    let output =
        Run::line("suggest session.jsonl --for claude-code").current_dir(recordings.path()).output().exits_with(0);
    assert!(output.out.starts_with("With these settings, Claude Code saves "), "{}", output.out);
    for part in [
        "beyond its defaults (harness:claude-code).",
        "env.BASH_MAX_OUTPUT_LENGTH",
        "which Claude Code did not write, it saves ",
        "No policy that `trimtab suggest` finds would save more in the proxy or in hooks.",
    ] {
        assert!(flat(&output.out).contains(part), "{part}\n{}", output.out);
    }
    assert!(output.out.trim_end().ends_with('}') && !output.out.contains("edition 2026"), "{}", output.out);
}

#[test]
fn a_system_without_an_option_that_helps_is_said_to_have_none() {
    let recordings = session();
    let run = |more: &str| {
        Run::line(&format!("suggest session.jsonl --for opencode {more}"))
            .current_dir(recordings.path())
            .output()
            .exits_with(0)
    };
    let output = run("--write opencode.json");
    let title =
        "No option of OpenCode would save anything beyond its defaults (harness:opencode), so there are no settings.";
    assert!(flat(&output.out).starts_with(title), "{}", output.out);
    assert!(
        output.out.contains("opencode.json was not written.")
            && flat(&output.out).contains("Beyond that, a policy in the proxy or in hooks saves ")
    );
    assert!(!recordings.path().join("opencode.json").exists());
}

#[test]
fn settings_are_written_to_a_file_or_into_one() {
    let recordings = session();
    let run = |more: &str| {
        let words = format!("suggest session.jsonl --for claude-code {more}");
        Run::line(&words).current_dir(recordings.path()).output()
    };
    let written = run("--write settings.json").exits_with(0);
    assert!(written.out.contains("The settings are in settings.json."), "{}", written.out);
    let text = fs::read_to_string(recordings.path().join("settings.json")).unwrap();
    let limit = |text: &str| {
        text.split("\"BASH_MAX_OUTPUT_LENGTH\": \"").nth(1).map(|rest| rest.split('"').next().unwrap().to_owned())
    };
    let best = limit(&text).unwrap();
    run("--write settings.json").exits_with(2);

    let own = "{\n  // mine\n  \"env\": { \"BASH_MAX_OUTPUT_LENGTH\": \"25000\", \"OTHER\": \"x\" }\n}\n";
    let file = recordings.path().join("own.json");
    fs::write(&file, own).unwrap();
    let patched = run("--patch own.json").exits_with(0);
    assert!(flat(&patched.out).contains("beyond the settings in own.json."), "{}", patched.out);
    assert_eq!(fs::read_to_string(&file).unwrap(), own.replace("25000", &best));
    let again = run("--patch own.json").exits_with(0);
    assert!(
        flat(&again.out).starts_with("No option of Claude Code would save anything beyond the settings in own.json"),
        "{}",
        flat(&again.out)
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), own.replace("25000", &best));
}

#[test]
fn wrong_arguments_are_reported() {
    let recordings = session();
    let run = |line: &str| Run::line(line).current_dir(recordings.path()).output();
    let unknown = run("suggest session.jsonl --for claude-cod").exits_with(2);
    assert!(unknown.err.contains("claude-code"), "{}", unknown.err);
    run("suggest session.jsonl --patch settings.json").exits_with(2);
    run("suggest session.jsonl --for codex --patch a.toml --write b.toml").exits_with(2);
    let stdin = run("suggest session.jsonl --for codex --patch -").exits_with(2);
    assert!(stdin.err.contains("changes a file in place"), "{}", stdin.err);
    fs::write(recordings.path().join("broken.json"), "{ \"autoCompactEnabled\": 5 }\n").unwrap();
    let broken = run("suggest session.jsonl --for claude-code --patch broken.json").exits_with(2);
    assert!(broken.err.contains("autoCompactEnabled"), "{}", broken.err);
}
