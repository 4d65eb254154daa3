//! What a live session makes of hosts that use it in the wrong order or hand over something unexpected.

use serde_json::{Value, json};
use trimtab::{Dialect, Host, Next, Plan, SavedSession, Session};

fn plan(rules: &str) -> Plan {
    let policy = trimtab::compile("p.trim", &format!("edition 2026\npolicy p {{ {rules} }}\n"));
    policy.plan(None).expect("a plan")
}

fn summarising() -> Session {
    let rule =
        "rule s { when context.messages > 4 do summarise older keep 2 messages at_most 100 tokens on_failure keep }";
    Session::new(&plan(rule), Host::new())
}

/// The body of a request with a number of messages, the last one from the user.
fn body(messages: usize) -> String {
    let message = |at: usize| {
        let role = if (messages - at) % 2 == 1 { "user" } else { "assistant" };
        json!({"role": role, "content": format!("message {at} {}", "with words ".repeat(20))})
    };
    json!({"messages": (0..messages).map(message).collect::<Vec<Value>>()}).to_string()
}

fn request(session: &mut Session, body: &str) -> Next {
    session.before_request(Dialect::OpenAiChat, body, None).expect("a request")
}

fn error(dialect: Dialect, body: &str) -> String {
    summarising().before_request(dialect, body, None).unwrap_err().to_string()
}

#[test]
fn a_body_of_another_dialect_is_an_error_that_says_what_is_missing() {
    let (chat, responses) = (r#"{"messages": []}"#, r#"{"input": "Go."}"#);
    assert_eq!(error(Dialect::OpenAiChat, responses), "expected a list, or an object with a list `messages`");
    assert_eq!(error(Dialect::OpenAiResponses, chat), "expected a list, or an object with a list `input`");
    let tool = r#"{"messages": [{"role": "tool", "tool_call_id": "1", "content": "x"}]}"#;
    let expected = "element 0: expected a message with the role `user` or `assistant`";
    assert_eq!(error(Dialect::Anthropic, tool), expected);
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let deep =
        format!(r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"1","name":"f","input":{deep}}}]}}]"#);
    assert_eq!(error(Dialect::Anthropic, &deep), "element 0: expected at most 128 levels of nesting");
}

#[test]
fn an_empty_list_is_sent_as_it_is() {
    for body in ["[]", r#"{"messages":[]}"#] {
        assert!(matches!(request(&mut summarising(), body), Next::Send(sent) if sent.json == body));
    }
}

#[test]
fn nothing_can_be_added_before_a_request() {
    let mut session = summarising();
    assert_eq!(session.after_reply("{}", None).unwrap_err().to_string(), "expected a request before its reply");
    assert_eq!(session.add("[]", None).unwrap_err().to_string(), "expected a request before other messages");
    assert!(matches!(session.end_iteration(), Next::Ready));
    assert!(session.save().is_none() && session.take_recording().is_none());
}

#[test]
fn an_empty_summary_has_failed_and_a_second_answer_changes_nothing() {
    let mut session = summarising();
    let text = body(5);
    let Next::Summarise(question, _) = request(&mut session, &text) else { panic!("a question") };
    // The request before it gets an answer, or a reply that should not be there yet, asks the same question.
    let Next::Summarise(again, _) = request(&mut session, &text) else { panic!("a question") };
    assert_eq!(question, again);
    let Next::Send(sent) = session.answer(question, Ok(" ".to_owned())) else { panic!("a request") };
    assert_eq!(sent.json, text);
    let [failed] = sent.failed_summaries.as_slice() else { panic!("{sent:?}") };
    assert_eq!((failed.rule.as_str(), failed.reason.as_str()), ("s", "the summary is empty"));
    for next in [session.answer(question, Ok("late".to_owned())), session.decide(question, true)] {
        assert!(matches!(next, Next::Send(sent) if sent.json == text && sent.failed_summaries.is_empty()));
    }
}

#[test]
fn the_same_reply_twice_is_one_reply() {
    let mut session = summarising();
    let mut messages: Value = serde_json::from_str(&body(1)).unwrap();
    request(&mut session, &messages.to_string());
    let reply = json!({"role": "assistant", "content": "Done."});
    for _ in 0..2 {
        assert!(matches!(session.after_reply(&reply.to_string(), None), Ok(Next::Ready)));
    }
    let list = messages["messages"].as_array_mut().unwrap();
    list.extend([reply, json!({"role": "user", "content": "Go on."})]);
    assert!(matches!(request(&mut session, &messages.to_string()), Next::Send(_)));
    let (branch, recording) = session.take_recording().unwrap();
    assert_eq!((branch, recording.matches("Done.").count()), (0, 1), "{recording}");
}

#[test]
fn a_stopped_run_stays_stopped_until_its_history_departs() {
    let mut session = Session::new(&plan("rule halt { when context.messages > 2 do stop \"enough\" }"), Host::new());
    for messages in [3, 3, 3] {
        assert!(matches!(request(&mut session, &body(messages)), Next::Stop { rule, .. } if rule == "halt"));
    }
    assert!(matches!(session.after_reply(r#"{"role":"assistant","content":"x"}"#, None), Ok(Next::Stop { .. })));
    assert!(matches!(request(&mut session, &body(1)), Next::Send(_)));
}

/// A body with a tool call, its result, and a message of the person.
fn interrupted(text: Option<&str>) -> String {
    let call = json!({"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let mut messages = vec![
        json!({"role": "user", "content": "Go."}),
        json!({"role": "assistant", "content": null, "tool_calls": [call]}),
        json!({"role": "tool", "tool_call_id": "1", "content": "x"}),
    ];
    messages.extend(text.map(|text| json!({"role": "user", "content": text})));
    json!({ "messages": messages }).to_string()
}

#[test]
fn a_host_may_declare_that_the_next_message_of_a_person_resumes_a_stopped_session() {
    let plan = plan("rule halt { when iteration == 1 do stop \"enough\" }");
    for resumes in [false, true] {
        let host = || if resumes { Host::new().resume_after_stop() } else { Host::new() };
        let mut stopped = Session::new(&plan, host());
        assert!(matches!(request(&mut stopped, &interrupted(None)), Next::Stop { .. }));
        let saved = stopped.save().unwrap();
        for mut session in [stopped, Session::restore(&plan, host(), &saved).unwrap()] {
            // The person may write another message in place of the first one.
            for text in ["Go on.", "Please go on."] {
                let is_sent = matches!(request(&mut session, &interrupted(Some(text))), Next::Send(_));
                assert_eq!(is_sent, resumes, "{text}");
                let (_, recording) = session.take_recording().unwrap();
                assert_eq!(recording.contains("\"run\":true"), resumes, "{recording}");
            }
            assert!(matches!(request(&mut session, &interrupted(None)), Next::Stop { .. }));
        }
    }
}

#[test]
fn a_session_is_not_restored_under_another_plan_or_from_damaged_data() {
    let mut session = summarising();
    request(&mut session, &body(3));
    let saved = serde_json::to_string(&session.save().unwrap()).unwrap();
    let other = plan("rule r { do mask results }");
    let restored = |plan: &Plan, text: &str| {
        let saved: SavedSession = serde_json::from_str(text).unwrap();
        Session::restore(plan, Host::new(), &saved).map(|_| ()).map_err(|error| error.to_string())
    };
    assert!(
        restored(&other, &saved).unwrap_err().starts_with("the session was saved under another plan, with the hash ")
    );
    let own = plan(
        "rule s { when context.messages > 4 do summarise older keep 2 messages at_most 100 tokens on_failure keep }",
    );
    assert_eq!(restored(&own, &saved), Ok(()));
    for (from, to, expected) in [
        ("{\"schema_version\":3", "{\"schema_version\":9", "the session was saved in version 9, not in version 3"),
        ("\"message\":0", "\"message\":99", "message 99 of the saved session is missing or cannot be read"),
        ("\"role\":\"user\"", "\"role\":\"alien\"", "message 0 of the saved session is missing or cannot be read"),
    ] {
        let damaged = saved.replacen(from, to, 1);
        assert_ne!(damaged, saved, "{from}");
        assert_eq!(restored(&own, &damaged), Err(expected.to_owned()));
    }
}

#[test]
fn an_invalid_time_is_an_error_and_a_time_out_of_order_is_not() {
    let (mut session, text) = (summarising(), body(1));
    for now in ["", "yesterday", "2026-01-31T09:30:00", "2026-01-31"] {
        let error = session.before_request(Dialect::OpenAiChat, &text, Some(now)).unwrap_err();
        let expected = format!("expected a time in RFC 3339, such as `2026-01-31T09:30:00Z`, found `{now}`");
        assert_eq!(error.to_string(), expected);
    }
    for now in ["2026-01-31T09:30:00Z", "2020-01-31T09:30:00+02:00", "9999-12-30T21:00:00Z"] {
        let next = session.before_request(Dialect::OpenAiChat, &text, Some(now));
        assert!(matches!(next, Ok(Next::Send(_))), "{now}");
    }
}
