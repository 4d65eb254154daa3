//! `report`: the data of the page.

use std::fs;
use std::path::Path;

use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use super::{Run, folder};

/// The page of a run.
fn page(arguments: &str) -> String {
    Run::line(&format!("report {arguments}")).output().exits_with(0).out
}

/// The text between two others.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).unwrap_or_else(|| panic!("no {start}")).0
}

/// The data of a page.
pub(super) fn data(page: &str) -> Json {
    serde_json::from_str(between(page, "id=\"data\">", "</script>")).unwrap()
}

fn strings(value: &Json) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
}

/// The column with this name.
fn column(names: &Json, name: &str) -> usize {
    strings(names).iter().position(|one| *one == name).unwrap()
}

/// A recording of our own with this text everywhere: in prompts, reasoning, calls and results.
pub(super) fn recording(text: &str, calls: usize) -> String {
    let mut lines = vec![json!({ "trimtab": 1, "model": "claude-sonnet-4-5" })];
    lines.push(json!({ "role": "user", "content": text }));
    for call in 0..calls {
        let id = format!("c{call}");
        let arguments = json!({ "path": format!("{text} {call}") });
        let content = json!([
            { "type": "text", "text": text },
            { "type": "tool_call", "id": id, "name": "read_file", "arguments": arguments },
        ]);
        lines.push(json!({ "role": "assistant", "content": content }));
        let result = json!([{ "type": "tool_result", "id": id, "content": text.repeat(40) }]);
        lines.push(json!({ "role": "tool", "content": result }));
    }
    lines.push(json!({ "role": "assistant", "content": text }));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A policy that masks and removes.
pub(super) const POLICY: &str = "edition 2026\npolicy p {\n  rule mask_old { when context.messages >= 6 do mask results keep 1 results }\n  \
                                 rule forget { when context.messages >= 16 do summarise older keep 4 messages on_failure keep }\n}\n";

#[test]
fn the_totals_are_those_of_a_simulation() {
    let policies = "--policies policies/coding_agent.trim policies/running_summary.trim -- policies";
    let simulated = Run::line(&format!("simulate --format json {policies}")).output().exits_with(0).json();
    let data = data(&page(policies));
    for (at, simulation) in simulated["policies"].as_array().unwrap().iter().enumerate() {
        assert_eq!(data["policies"][at]["total"], simulation["total"]);
        let saved = column(&data["policy_columns"], "tokens_saved");
        let transcripts = simulation["transcripts"].as_array().unwrap();
        assert_eq!(data["sessions"].as_array().unwrap().len(), transcripts.len());
        for (row, transcript) in data["sessions"].as_array().unwrap().iter().zip(transcripts) {
            assert_eq!(row[0], transcript["id"]);
            let figures = &row[strings(&data["columns"]).len()][at];
            assert_eq!(figures[saved], transcript["tokens_saved"], "{}", row[0]);
        }
    }
}

/// The roles of the messages that each call sends, as the timeline of the page has them.
fn roles(detail: &Json, policy: usize) -> Vec<(u64, Vec<u64>)> {
    let recorded = detail["messages"].as_array().unwrap();
    let timeline = &detail["policies"][policy]["timeline"];
    let added = timeline["added"].as_array().unwrap();
    let numbers = |ranges: &Json| -> Vec<usize> {
        let bounds: Vec<usize> =
            ranges.as_array().unwrap().iter().map(|one| usize::try_from(one.as_u64().unwrap()).unwrap()).collect();
        bounds.chunks(2).flat_map(|pair| pair[0]..pair[1]).collect()
    };
    let mut order: Vec<usize> = Vec::new();
    let mut all = Vec::new();
    for request in timeline["requests"].as_array().unwrap() {
        order.truncate(usize::try_from(request[1].as_u64().unwrap()).unwrap());
        order.extend(numbers(&request[2]));
        let first = request[5][0].as_u64().unwrap_or(0);
        let mut sent = Vec::new();
        for (at, number) in order.iter().enumerate() {
            let own = number.checked_sub(recorded.len());
            let message = own.map_or_else(|| &recorded[*number], |own| &added[own][2]);
            let is_summary = own.is_some_and(|own| added[own][1] == 1);
            let role = message[0].as_u64().unwrap_or_else(|| panic!("message {number} is not in the page"));
            if u64::try_from(at).unwrap() >= first || role == 0 || is_summary {
                sent.push(role);
            }
        }
        sent.extend(request[6].as_array().into_iter().flatten().map(|once| once[1][0].as_u64().unwrap()));
        sent.sort_unstable();
        all.push((request[0].as_u64().unwrap(), sent));
    }
    all
}

#[test]
fn the_timeline_has_the_messages_that_are_sent() {
    let mut checked = 0;
    for policy in ["coding_agent", "running_summary", "reflection_window", "support_desk", "tool_scope", "stuck_agent"]
    {
        for recording in ["coding_agent", "running_summary", "reflection_window", "stuck_agent"] {
            let files = format!("policies/{policy}.trim policies/{recording}.jsonl");
            let detail = &data(&page(&files))["details"][0];
            let contexts = Run::line(&format!("simulate --contexts - {files}")).output().exits_with(0).lines();
            let words = ["system", "user", "assistant", "tool"];
            let expected: Vec<(u64, Vec<u64>)> = contexts
                .iter()
                .map(|context| {
                    let messages = context["messages"].as_array().unwrap().iter();
                    let role = |message: &Json| words.iter().position(|word| message["role"] == **word).unwrap() as u64;
                    let mut roles: Vec<u64> = messages.map(role).collect();
                    roles.sort_unstable();
                    (context["call"].as_u64().unwrap(), roles)
                })
                .collect();
            assert_eq!(roles(detail, 0), expected, "{files}");
            let sizes = &detail["policies"][0]["sizes"];
            for (context, parts) in contexts.iter().zip(detail["policies"][0]["composition"].as_array().unwrap()) {
                let sum: u64 = parts.as_array().unwrap().iter().map(|part| part.as_u64().unwrap()).sum();
                let call = usize::try_from(context["call"].as_u64().unwrap()).unwrap();
                assert_eq!((Some(sum), context["tokens"].as_u64()), (sizes[call].as_u64(), Some(sum)), "{files}");
            }
            checked += contexts.len();
        }
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn changes_name_the_rules_that_made_them() {
    let folder = folder(&[("p.trim", POLICY), ("a.jsonl", &recording("words and words ", 10))]);
    let output = Run::new(["report", "p.trim", "a.jsonl"]).current_dir(folder.path()).output().exits_with(0);
    let detail = &data(&output.out)["details"][0];
    let requests = detail["policies"][0]["timeline"]["requests"].as_array().unwrap();
    let changes: Vec<&Json> = requests.iter().filter_map(|request| request[4].as_array()).flatten().collect();
    assert!(!changes.is_empty() && changes.iter().all(|change| change[2] == 2 && change[4] == 0), "{changes:?}");
    let left: Vec<&Json> = requests.iter().filter_map(|request| request[3].as_array()).flatten().collect();
    assert!(!left.is_empty() && left.iter().all(|left| left[0] == 1), "{left:?}");
    assert_eq!(detail["policies"][0]["timeline"]["added"][0][0], 1);
    assert!(detail["recorded"]["timeline"]["requests"].as_array().unwrap().iter().all(|request| request[3].is_null()));
}

#[test]
fn texts_of_recordings_are_in_the_page_only_if_requested() {
    let folder = folder(&[("p.trim", POLICY), ("a.jsonl", &recording("Geheimnis <b>x</b> ", 10))]);
    let run = |more: &[&str]| {
        let run = Run::new(["report", "p.trim", "a.jsonl"].iter().chain(more)).current_dir(folder.path());
        run.output().exits_with(0).out
    };
    let page = run(&[]);
    assert!(!page.contains("Geheimnis") && page.contains("read_file"));
    let page = run(&["--with-texts"]);
    assert!(page.contains("Geheimnis \\u003cb\\u003ex") && !page.contains("Geheimnis <b>"));
}

/// The usage of this recording shows that more is sent than its system prompt, and it has no schemas of tools.
#[test]
fn what_the_recording_lacks_is_not_the_system_prompt() {
    let data = data(&page("policies/coding_agent.trim policies/coding_agent.jsonl"));
    let compositions = data["details"][0]["policies"][0]["composition"].as_array().unwrap();
    assert_eq!(compositions.len(), 46);
    for parts in compositions {
        assert_eq!(parts[0], compositions[0][0], "the system prompt is the same at each call");
        assert!(parts[0].as_u64() < Some(100) && parts[5].as_u64() > Some(5_000), "{parts}");
    }
}

#[test]
fn the_page_permits_its_own_script_only_and_loads_nothing() {
    permits_its_own_script_only(&page("policies/coding_agent.trim policies/coding_agent.jsonl"));
}

/// Checks that the content security policy of a page permits its script and nothing else.
pub(super) fn permits_its_own_script_only(page: &str) {
    let policy = between(page, "http-equiv=\"Content-Security-Policy\" content=\"", "\"");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    let texts: Vec<&str> = page.split("<script>").skip(1).map(|rest| rest.split("</script>").next().unwrap()).collect();
    assert_eq!(texts.len(), 1);
    for text in texts.into_iter().chain([between(page, "<style>", "</style>")]) {
        let hash = Sha256::digest(text);
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(hashes(policy).contains(&hex), "no hash of {}", text.chars().take(60).collect::<String>());
    }
    for loads in [" src=", "@import", "url(", "<link", "<img", "<iframe", " style=\"", " onclick="] {
        let markup = page.split("<script").next().unwrap();
        assert!(!markup.contains(loads), "{loads}");
    }
}

/// The hashes of a policy, in hexadecimal.
fn hashes(policy: &str) -> Vec<String> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let base64 = policy.split("'sha256-").skip(1).map(|rest| rest.split('\'').next().unwrap().trim_end_matches('='));
    let bytes = base64.map(|text| {
        let bits: Vec<u8> = text
            .chars()
            .flat_map(|digit| {
                let value = DIGITS.find(digit).unwrap();
                (0..6).rev().map(move |bit| u8::from(value >> bit & 1 == 1))
            })
            .collect();
        let byte = |bits: &[u8]| format!("{:02x}", bits.iter().fold(0u8, |byte, bit| byte << 1 | bit));
        bits.chunks_exact(8).map(byte).collect()
    });
    bytes.collect()
}

#[test]
fn the_page_is_the_same_for_any_number_of_jobs() {
    let arguments = "policies/coding_agent.trim policies docs --details 3";
    assert!(page(&format!("{arguments} --jobs 1")) == page(&format!("{arguments} --jobs 3")));
}

#[test]
fn details_are_of_the_sessions_that_gain_and_lose_most() {
    let data = data(&page("policies/coding_agent.trim policies --details 2"));
    let details = data["details"].as_array().unwrap();
    assert_eq!(details.len(), 2);
    let cost = column(&data["policy_columns"], "cost_saved");
    let figures = strings(&data["columns"]).len();
    let saved = |at: usize| data["sessions"][at][figures][0][cost].as_f64().unwrap_or(0.0);
    let all: Vec<f64> = (0..data["sessions"].as_array().unwrap().len()).map(saved).collect();
    let chosen: Vec<f64> =
        details.iter().map(|detail| all[usize::try_from(detail["session"].as_u64().unwrap()).unwrap()]).collect();
    let (most, least) = all.iter().fold((0f64, 0f64), |(most, least), one| (most.max(*one), least.min(*one)));
    assert!(chosen.iter().any(|one| (one - most).abs() < 1e-9), "{chosen:?} of {all:?}");
    assert!(least >= 0.0 || chosen.iter().any(|one| (one - least).abs() < 1e-9), "{chosen:?} of {all:?}");
    let none = super::report::data(&page("policies/coding_agent.trim policies --details 0"));
    assert_eq!(none["details"], json!([]));
}

#[test]
fn unreadable_recordings_are_listed_and_a_failed_run_leaves_the_old_page() {
    let files =
        [("p.trim", POLICY), ("a.jsonl", &recording("words ", 3)), ("b.jsonl", "{\"some\": 1}\n"), ("old.html", "old")];
    let folder = folder(&files);
    let run = |line: &str| Run::line(&format!("report {line}")).current_dir(folder.path()).output();
    let page = run("p.trim a.jsonl b.jsonl").exits_with(0);
    assert!(page.err.contains("b.jsonl"), "{}", page.err);
    assert_eq!(data(&page.out)["errors"][0]["file"], "b.jsonl");
    let failed = run("p.trim b.jsonl -o old.html").exits_with(2);
    assert!(failed.err.contains("1 of 1 recordings could not be replayed"), "{}", failed.err);
    run("p.trim a.jsonl b.jsonl --strict -o old.html").exits_with(2);
    assert_eq!(fs::read_to_string(folder.path().join("old.html")).unwrap(), "old");
    let empty = run("p.trim nothing*.jsonl --allow-empty").exits_with(0);
    assert_eq!(data(&empty.out)["sessions"], json!([]));
}

#[test]
fn what_cannot_be_repeated_is_refused() {
    let twice = Run::line("report policies/coding_agent.trim -").output().exits_with(2);
    assert!(twice.err.contains("name a file"), "{}", twice.err);
    for summariser in ["command:cat", "openai:some-model", "nothing"] {
        let line = format!("report policies/coding_agent.trim policies --summariser {summariser}");
        let refused = Run::line(&line).output().exits_with(2);
        assert!(refused.err.contains("fixed:TEXT"), "{}", refused.err);
    }
    assert!(Path::new("policies/coding_agent.trim").exists());
}
