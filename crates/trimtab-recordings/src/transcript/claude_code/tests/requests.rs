//! Sessions that record their exact requests, or snapshots of the system prompt.

use trimtab_base::conversation::Compaction;

use super::super::request::hash;
use super::*;

/// The record of a message as it was sent.
fn blob(message: &Json) -> String {
    json!({ "type": "api-request-blob", "sessionId": "s1", "hash": hash(message), "message": message }).to_string()
}

fn shape() -> String {
    let system = json!([{ "type": "text", "text": "You are a test." }, { "type": "text", "text": "Be brief." }]);
    let tools = json!([
        { "name": "Bash", "description": "Runs a command", "input_schema": { "type": "object" } },
        { "name": "Later", "description": "Found by a search", "input_schema": {}, "defer_loading": true },
    ]);
    let shape = json!({ "system": system, "tools": tools });
    json!({ "type": "api-request-shape", "sessionId": "s1", "shapeHash": "h", "shape": shape }).to_string()
}

fn request(id: &str, base: Option<&str>, keep: usize, tail: &[&Json]) -> String {
    let tail: Vec<String> = tail.iter().map(|message| hash(message)).collect();
    json!({ "type": "api-request", "sessionId": "s1", "id": id, "base": base, "keep": keep, "tail": tail, "shapeHash": "h" })
        .to_string()
}

fn sent(role: &str, content: Json) -> Json {
    let mut sent = json!({ "role": role });
    sent["content"] = content;
    sent
}

fn answer(id: &str) -> Json {
    json!({ "type": "tool_result", "tool_use_id": id, "content": format!("out {id}") })
}

/// The first message of the session as it was sent.
fn opening() -> Json {
    sent("user", json!([text("<system-reminder>\nThe branch is main.\n</system-reminder>"), text("go")]))
}

fn environment() -> Json {
    sent("system", json!("The folder is /w."))
}

/// The records up to the second request. The marks of the cache are not part of a hash.
fn session() -> Vec<String> {
    let reply_sent = sent("assistant", json!([text("I look."), call("c1"), call("c2")]));
    let mut results = sent("user", json!([answer("c1"), answer("c2")]));
    results["content"][1]["cache_control"] = json!({ "type": "ephemeral" });
    vec![
        user("u1", None, "go"),
        shape(),
        blob(&opening()),
        blob(&environment()),
        request("q1", None, 0, &[&opening(), &environment()]),
        reply("a1", "u1", "m1", text("I look."), (10, 1)),
        reply("a2", "a1", "m1", call("c1"), (10, 9)),
        reply("a3", "a2", "m1", call("c2"), (10, 9)),
        result("r1", "a2", "c1"),
        result("r2", "a3", "c2"),
        request("q2", Some("q1"), 2, &[&reply_sent, &results]),
        reply("a4", "r2", "m2", text("done"), (50, 3)),
    ]
}

#[test]
fn messages_are_those_of_the_exact_requests_with_system_prompt_and_tools() {
    let read = read_one(&session());
    let texts: Vec<_> = read.messages.iter().map(|message| message.plain_text()).collect();
    assert_eq!(roles(&read), "sUuSatta");
    assert_eq!(texts[0], "You are a test.Be brief.");
    assert_eq!(
        (texts[1].as_str(), texts[2].as_str()),
        ("<system-reminder>\nThe branch is main.\n</system-reminder>", "go")
    );
    assert_eq!((texts[3].as_str(), texts[4].as_str()), ("The folder is /w.", "I look."));
    assert_eq!(read.messages[4].usage.map(Usage::context), Some(12));
    assert_eq!(read.messages[6].parts, [Part::result("c2", "out c2", false)]);
    let tools: Vec<_> = read.tools.iter().map(|tool| (tool.name.as_str(), tool.schema.is_some())).collect();
    assert_eq!(tools, [("Bash", true)]);
    assert!(read.skipped.is_empty() && !read.missing_history, "{:?}", read.skipped);
}

#[test]
fn a_reply_is_marked_if_its_request_has_another_shape() {
    let change = |shape: Json| {
        let other = json!({ "type": "api-request-shape", "sessionId": "s1", "shapeHash": "other", "shape": shape });
        let mut lines = session();
        lines.insert(2, other.to_string());
        let at = lines.iter().position(|line| line.contains("\"q2\"")).expect("the second request");
        lines[at] = lines[at].replace("\"shapeHash\":\"h\"", "\"shapeHash\":\"other\"");
        let read = read_one(&lines);
        let replies = read.messages.iter().filter(|message| message.is_reply());
        replies.map(|reply| reply.head_change().words().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    let shape: Json = serde_json::from_str(&shape()).expect("JSON");
    let with = |key: &str, value: Json| {
        let mut shape = shape["shape"].clone();
        shape[key] = value;
        change(shape)
    };
    assert_eq!(with("tools", json!([{ "name": "Read", "input_schema": {} }])), ["", "tools"]);
    assert_eq!(with("system", json!([text("You are another test.")])), ["", "system_prompt"]);
    // The marks of the cache and tools whose definitions are sent later are no part of it.
    let mut system = shape["shape"]["system"].clone();
    system[1]["cache_control"] = json!({ "type": "ephemeral" });
    assert_eq!(with("system", system), ["", ""]);
}

#[test]
fn requests_for_other_purposes_are_not_those_of_replies() {
    let mut lines = session();
    let title = sent("user", json!([text("Find a title.")]));
    let mut other: Json = serde_json::from_str(&request("t1", None, 0, &[&title])).expect("JSON");
    other["querySource"] = "generate_session_title".into();
    lines.insert(11, other.to_string());
    lines.insert(11, blob(&title));
    assert_eq!(read_one(&lines), read_one(&session()));
}

#[test]
fn a_request_that_begins_anew_resets_the_context() {
    let summary =
        sent("user", json!([text("This session is being continued from a previous conversation. They looked.")]));
    let kept = sent("assistant", json!([text("done")]));
    let next = sent("user", json!([text("more")]));
    let meta = json!({ "subtype": "compact_boundary", "logicalParentUuid": "a4", "compactMetadata": { "trigger": "auto", "preTokens": 90 } });
    let marks = json!({ "isCompactSummary": true, "isVisibleInTranscriptOnly": true });
    let mut lines = session();
    lines.extend([
        line("system", "b1", None, Json::Null, meta),
        line("user", "s1", Some("b1"), json!({ "role": "user", "content": summary["content"][0]["text"] }), marks),
        user("u2", Some("s1"), "more"),
        blob(&summary),
        blob(&kept),
        blob(&next),
        request("q3", None, 0, &[&summary, &environment(), &kept, &next]),
        reply("a5", "u2", "m3", text("well"), (20, 3)),
    ]);
    let read = read_one(&lines);
    assert_eq!(roles(&read), "sUuSattaUSAua");
    let resets: Vec<_> = read.messages.iter().map(|message| message.resets).collect();
    assert_eq!(resets.iter().position(|resets| *resets), Some(8));
    let compaction = Compaction { automatic: true, tokens: Some(90), ..Compaction::default() };
    assert_eq!(read.messages[8].compaction(), Some(compaction));
    let kept: Vec<_> = read.messages.iter().map(|message| message.kept).collect();
    assert_eq!(kept[8..], [false, true, true, false, false]);
    assert_eq!(read.messages.iter().filter(|message| message.is_reply()).count(), 3);
}

#[test]
fn results_that_are_sent_shorter_are_cleared_and_added_texts_are_messages() {
    let mut lines = session();
    let reply_sent = sent("assistant", json!([text("I look."), call("c1"), call("c2")]));
    let mut shorter = answer("c1");
    shorter["content"] = "-".into();
    let note = text("<system-reminder>\nThe reply was cut.\n</system-reminder>");
    let results = sent("user", json!([shorter, answer("c2"), note]));
    let (second, next) = (sent("assistant", json!([text("done")])), sent("user", json!([text("more")])));
    lines.extend([
        user("u2", Some("a4"), "more"),
        blob(&results),
        request("q3", Some("q2"), 3, &[&results, &second, &next]),
        reply("a5", "u2", "m3", text("well"), (20, 3)),
    ]);
    assert_eq!(
        lines[10],
        request("q2", Some("q1"), 2, &[&reply_sent, &sent("user", json!([answer("c1"), answer("c2")]))])
    );
    let read = read_one(&lines);
    assert_eq!(roles(&read), "sUuSattaUua");
    assert_eq!(read.messages[8].cleared().map(|cleared| cleared.results.clone()), Some(vec!["c1".into()]));
    assert_eq!((read.messages[5].results().count(), read.messages[9].plain_text().as_str()), (1, "more"));
}

#[test]
fn without_a_complete_request_for_each_reply_the_records_are_read() {
    let whole = session();
    for lost in [3, 4, 10] {
        let mut lines = whole.clone();
        lines.remove(lost);
        let read = read_one(&lines);
        assert_eq!(roles(&read), "suatta", "without line {lost}");
        assert_eq!(read.tools.len(), 1);
        assert_eq!(json!(read.skipped), json!({ "exact request": if lost == 3 { 2 } else { 1 } }));
    }
}

#[test]
fn requests_cannot_stand_for_many_more_messages_than_the_file_has() {
    // Each request begins with the messages of the first one, in turns with those of another one.
    let long: Vec<Json> = (0..200).map(|at| sent("user", json!([text(&format!("note {at}"))]))).collect();
    let mut lines: Vec<String> = long.iter().map(blob).collect();
    lines.insert(0, user("u0", None, "go"));
    lines.push(request("q0", None, 0, &long.iter().collect::<Vec<_>>()));
    lines.push(reply("a0", "u0", "m0", text("x"), (1, 1)));
    for at in 1..200 {
        let own = sent("user", json!([text(&format!("own {at}"))]));
        lines.push(user(&format!("u{at}"), Some(&format!("a{}", at - 1)), &format!("own {at}")));
        lines.push(request(&format!("q{at}"), Some("q0"), 100, &[&own]));
        lines.push(reply(&format!("a{at}"), &format!("u{at}"), &format!("m{at}"), text("x"), (1, 1)));
    }
    let read = read_one(&lines);
    assert!(read.messages.len() <= 16 * (400 + 200 + 1000), "{}", read.messages.len());
}

#[test]
fn a_snapshot_has_the_system_prompt_and_the_tools() {
    let tool = json!({ "name": "Bash", "description": "Runs", "input_schema": { "type": "object" } });
    let snapshot = |tools: Json| {
        let prompt = json!({ "type": "prompt_snapshot", "cliPrefix": "You are a test.", "systemPrompt": ["Be brief."], "tools": tools });
        json!({ "attachment": prompt })
    };
    let declared = json!([{ "name": "Bash", "description": "Runs", "schema": tool }]);
    let read = read_one(&[
        user("u1", None, "go"),
        line("attachment", "t1", Some("u1"), Json::Null, snapshot(Json::Null)),
        reply("a1", "t1", "m1", text("one"), (10, 1)),
        line("attachment", "t2", Some("a1"), Json::Null, snapshot(declared)),
        user("u2", Some("t2"), "on"),
    ]);
    assert_eq!(roles(&read), "suau");
    assert_eq!(read.messages[0].parts, [Part::text("You are a test."), Part::text("Be brief.")]);
    assert_eq!(read.tools[0].schema.as_deref(), Some(r#"{"type":"object"}"#));
    assert!(read.skipped.is_empty());
}

#[test]
fn rendered_attachments_are_read_as_they_were_sent() {
    let rendered = |rendered: Json, role: &str| json!({ "attachment": { "type": "novel" }, "rendered": rendered, "renderedRole": role });
    let texts = json!([{ "content": "one" }, { "content": [text("two")] }]);
    let read = read_one(&[
        user("u1", None, "go"),
        line("attachment", "t1", Some("u1"), Json::Null, rendered(texts, "user")),
        line("attachment", "t2", Some("t1"), Json::Null, rendered(json!([{ "content": "three" }]), "system")),
        line("attachment", "t3", Some("t2"), Json::Null, rendered(json!([]), "user")),
        reply("a1", "t3", "m1", text("one"), (10, 1)),
    ]);
    assert_eq!(roles(&read), "uUSa");
    assert_eq!(read.messages[1].parts, [Part::text("one"), Part::text("two")]);
    assert_eq!(read.skipped.get("attachment:novel"), Some(&1));
}
