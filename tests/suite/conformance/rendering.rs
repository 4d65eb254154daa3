//! The conversation as a summariser reads it.

use trimtab::conversation::{Body, Conversation, Message, Part, Role, render, shorten};
use trimtab::model::TokenCounter;

use super::{assistant, call, err, long, ok, system, user};

fn rendered(messages: impl IntoIterator<Item = Message>) -> String {
    let mut conversation = Conversation::with_invariant_checks();
    for message in messages {
        conversation.push(message, &TokenCounter::default());
    }
    render(conversation.entries())
}

/// `Basic`
#[test]
fn a_rendering_has_a_line_a_message_and_no_system_message() {
    let text = rendered([system("You are a coder."), user("Hello"), assistant("Hi there!")]);
    assert_eq!(text, "[user] Hello\n[assistant] Hi there!\n");
}

/// `ToolCalls`
#[test]
fn a_rendering_shows_calls_and_results() {
    let text = rendered([call("a", "read_file", r#"{"path":"/foo/bar.go"}"#), ok("a", "file contents here")]);
    let lines = ["[assistant] Called tool read_file({\"path\":\"/foo/bar.go\"})", "[tool result] file contents here"];
    assert_eq!(text.lines().collect::<Vec<_>>(), lines);
}

/// `ToolError`
#[test]
fn a_rendering_shows_errors_as_such() {
    assert_eq!(rendered([call("a", "ls", "{}"), err("a", "not found")]).lines().last(), Some("[tool error] not found"));
}

#[test]
fn a_rendering_cuts_long_arguments_and_results() {
    let text = rendered([call("a", "ls", &long("a", 300)), ok("a", &long("r", 600)), user(&long("u", 900))]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], format!("[assistant] Called tool ls({}…)", long("a", 200)));
    assert_eq!(lines[1], format!("[tool result] {}…", long("r", 500)));
    assert_eq!(lines[2], format!("[user] {}", long("u", 900)));
}

#[test]
fn a_rendering_leaves_out_images() {
    let picture = Part::new(Body::Image { media_type: "image/png".into(), bytes: 9, size: None });
    assert_eq!(rendered([Message::new(Role::User, vec![picture, Part::text("See?")])]), "[user] See?\n");
}

#[test]
fn a_text_is_shortened_only_beyond_the_limit() {
    let kana = "あいうえお";
    for (text, chars, short) in [
        ("abc", 10, "abc"),
        ("abc", 3, "abc"),
        ("abcdef", 2, "ab…"),
        (kana, 3, "あいう…"),
        (kana, 5, kana),
        (kana, 10, kana),
    ] {
        assert_eq!(shorten(text, chars), short);
    }
}

#[test]
fn a_rendering_cuts_long_errors() {
    let text = rendered([call("a", "ls", "{}"), err("a", &long("no", 600))]);
    assert_eq!(text.lines().last(), Some(format!("[tool error] {}…", long("no", 500)).as_str()));
    let text = rendered([call("a", "ls", "{}"), err("a", &long("no", 500))]);
    assert_eq!(text.lines().last(), Some(format!("[tool error] {}", long("no", 500)).as_str()));
}

#[test]
fn a_rendering_leaves_out_documents() {
    let document =
        Part::new(Body::Other(Box::new(serde_json::json!({ "type": "document", "title": "of many pages" }))));
    assert_eq!(rendered([Message::new(Role::User, vec![document, Part::text("See?")])]), "[user] See?\n");
}
