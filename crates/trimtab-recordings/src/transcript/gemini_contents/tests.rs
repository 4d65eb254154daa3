use trimtab_base::conversation::{Body, ImageSize};

use super::*;
use crate::transcript::{self, Input};

fn read_one(text: &str) -> Transcript {
    let mut file = transcript::read(text.as_bytes(), None).expect("reads");
    assert_eq!((file.format, file.transcripts.len()), ("gemini_contents", 1));
    file.transcripts.remove(0)
}

fn roles(read: &Transcript) -> Vec<Role> {
    read.messages.iter().map(|message| message.role).collect()
}

fn ids(read: &Transcript) -> Vec<String> {
    let calls = read.messages.iter().flat_map(|message| message.calls()).map(|(id, ..)| id.to_string());
    calls
        .chain(read.messages.iter().flat_map(|message| message.results()).map(|result| result.id.to_string()))
        .collect()
}

#[test]
fn results_without_ids_answer_the_first_open_call_of_the_tool() {
    let read = read_one(
        r#"[{"role":"user","parts":[{"text":"go"}]},
        {"role":"model","parts":[{"functionCall":{"name":"a","args":{"x":1}}},{"functionCall":{"name":"b","args":{}}},{"functionCall":{"name":"a","args":{}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"b","response":{"output":"1"}}},{"functionResponse":{"name":"a","response":{"output":"2"}}},{"functionResponse":{"name":"a","response":{}}}]}]"#,
    );
    assert_eq!(roles(&read), [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Tool]);
    assert_eq!(ids(&read), ["call-1", "call-2", "call-3", "call-2", "call-1", "call-3"]);
}

#[test]
fn a_response_with_an_error_failed_and_its_only_text_is_the_result() {
    let read = read_one(
        r#"[{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{"error":"no"}}},
        {"functionResponse":{"id":"b","name":"f","response":{"content":"the error is here"}}},
        {"functionResponse":{"id":"c","name":"f","response":{"output":"x","exitCode":1}}},
        {"functionResponse":{"id":"d","name":"f","response":{"error":""}}},
        {"functionResponse":{"id":"e","name":"f","response":{"error":"","output":"x"}}}]}]"#,
    );
    let results: Vec<_> = read.messages.iter().flat_map(|message| message.results()).collect();
    assert_eq!(results.iter().map(|result| result.is_error).collect::<Vec<_>>(), [true, false, false, true, false]);
    let texts: Vec<&str> = results.iter().map(|result| result.text.as_ref()).collect();
    let jsons = [r#"{"output":"x","exitCode":1}"#, r#"{"error":"","output":"x"}"#];
    assert_eq!(texts, ["no", "the error is here", jsons[0], "", jsons[1]]);
}

#[test]
fn thoughts_and_their_signatures_are_thinking() {
    let read = read_one(
        r#"[{"role":"model","parts":[{"text":"think","thought":true},{"functionCall":{"name":"f"},"thoughtSignature":"abc"},{"text":"said"}]}]"#,
    );
    let thinking = |text: &str, signature: Option<&str>| Body::Thinking {
        text: text.into(),
        signature: signature.map(Into::into),
    };
    let parts = &read.messages[0].parts;
    assert_eq!(parts[0].body, thinking("think", None));
    assert_eq!(parts[1].body, thinking("", Some("abc")));
    assert!(matches!(&parts[2].body, Body::ToolCall { .. }));
    assert_eq!(parts[3], Part::text("said"));
}

#[test]
fn a_request_with_its_response_is_one_conversation() {
    let read = read_one(
        r#"{"request":{"model":"gemini-3","systemInstruction":{"parts":[{"text":"Be brief."}]},"contents":[{"parts":[{"text":"hi"}]}],
        "tools":[{"functionDeclarations":[{"name":"f"}]}]},
        "response":{"candidates":[{"content":{"role":"model","parts":[{"text":"yes"}]}}],"modelVersion":"gemini-3-flash",
        "usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":2,"thoughtsTokenCount":3}}}"#,
    );
    assert_eq!(roles(&read), [Role::System, Role::User, Role::Assistant]);
    assert_eq!(read.messages[2].usage, Some(Usage { input: 6, cache_read: 4, output: 5, ..Usage::default() }));
    assert_eq!(read.messages[2].model.as_deref(), Some("gemini-3-flash"));
    assert_eq!((read.model.as_deref(), read.tools.len()), (Some("gemini-3"), 1));
}

#[test]
fn a_checkpoint_is_read_from_what_the_model_saw() {
    let read = read_one(
        r#"{"history":[{"type":"user","text":"hi"}],"clientHistory":[{"role":"user","parts":[{"text":"<session_context>x"}]},{"role":"user","parts":[{"text":"hi"}]}],"toolCall":{}}"#,
    );
    assert_eq!(read.messages.iter().map(|message| message.harness).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn inline_images_are_images_with_their_size() {
    let read = read_one(
        r#"[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAASwAAADICAYAAABS39xV"}}]}]"#,
    );
    let size = Some(ImageSize { width: 300, height: 200 });
    assert!(matches!(&read.messages[0].parts[0].body, Body::Image { size: read, .. } if *read == size));
}

#[test]
fn messages_of_other_systems_with_parts_are_not_contents() {
    for text in [
        r#"[{"id":"m","role":"user","parts":[{"type":"text","text":"x"}]}]"#,
        r#"[{"role":"user","parts":[{"type":"text","text":"x"}]}]"#,
        r#"[{"kind":"message","role":"user","parts":[{"text":"x"}]}]"#,
    ] {
        assert!(!sniff(&Sample::of(&Input::of(text))), "{text}");
    }
}
