use proptest::prelude::*;
use smol_str::SmolStr;
use trimtab_base::conversation::{Part, Role, ToolResult};
use trimtab_recordings::transcript;

use super::*;

/// What is compared of a message: its role, texts, calls, and results.
type Content = (Role, Vec<String>, Vec<(SmolStr, SmolStr, Json)>, Vec<(SmolStr, String)>);

fn content(message: &Message) -> Content {
    let texts = message.parts.iter().filter_map(|part| match &part.body {
        Body::Text(text) if !text.is_empty() => Some(text.to_string()),
        _ => None,
    });
    let value = |arguments: &Arguments| match arguments.parsed() {
        Some(json) => json.clone(),
        None => arguments.text().into_owned().into(),
    };
    let calls = message.calls().map(|(id, name, arguments)| (id.clone(), name.clone(), value(arguments)));
    let results = message.results().map(|result| (result.id.clone(), result.text.to_string()));
    (message.role, texts.collect(), calls.collect(), results.collect())
}

fn contents(transcript: &Transcript) -> Vec<Content> {
    transcript.messages.iter().map(|message| content(message)).collect()
}

fn errors(transcript: &Transcript) -> Vec<bool> {
    transcript.messages.iter().flat_map(|message| message.results()).map(|result| result.is_error).collect()
}

fn thinking(transcript: &Transcript) -> Vec<Body> {
    let parts = transcript.messages.iter().flat_map(|message| &message.parts);
    parts.filter(|part| matches!(part.body, Body::Thinking { .. })).map(|part| part.body.clone()).collect()
}

/// The transcript as it is read from its converted form.
fn read_again(text: &str, format: &str) -> Transcript {
    transcript::read(text.as_bytes(), Some(format)).expect("a recording").transcripts.remove(0)
}

fn part() -> impl Strategy<Value = Body> {
    prop_oneof![
        4 => "[a-z \n\"é]{0,12}".prop_map(|text| Body::Text(text.into())),
        1 => ("[a-z]{0,6}", proptest::option::of("[a-z]{1,6}")).prop_map(|(text, signature)| Body::Thinking {
            text: text.into(),
            signature: signature.map(Into::into),
        }),
        1 => Just(Body::Image { media_type: "image/png".into(), bytes: 3, size: None }),
    ]
}

fn arguments() -> impl Strategy<Value = Arguments> {
    prop_oneof![
        "[a-z]{0,5}".prop_map(|path| Arguments::from(json!({ "path": path }))),
        "[a-z]{0,5}".prop_map(|path| Arguments::Text(format!("{{\"path\": \"{path}\"}}").into())),
        "[a-z]{1,5}".prop_map(|text| Arguments::Text(text.into())),
    ]
}

fn message() -> impl Strategy<Value = Vec<Message>> {
    let texts = || proptest::collection::vec(part(), 0..3);
    let parts = |bodies: Vec<Body>| bodies.into_iter().map(Part::new).collect::<Vec<_>>();
    let reply = (texts(), proptest::collection::vec(arguments(), 0..3), any::<bool>());
    prop_oneof![
        1 => "[a-z]{1,9}".prop_map(|text| vec![Message::text(Role::System, text)]),
        2 => "[a-z]{1,9}".prop_map(|text| vec![Message::text(Role::User, text)]),
        3 => (reply, any::<bool>()).prop_map(move |((bodies, calls, is_error), is_answered)| {
            let mut reply = Message::new(Role::Assistant, parts(bodies));
            let mut results = Vec::new();
            for (at, arguments) in calls.into_iter().enumerate() {
                reply.parts.push(Part::call(format!("c{at}"), "read", arguments));
                let result = Part::result(format!("c{at}"), format!("result {at}"), is_error);
                results.extend(is_answered.then(|| Message::new(Role::Tool, vec![result])));
            }
            std::iter::once(reply).chain(results).collect()
        }),
    ]
}

fn transcripts() -> impl Strategy<Value = Transcript> {
    proptest::collection::vec(message(), 1..8).prop_map(|messages| Transcript {
        model: Some("m".into()),
        messages: messages.into_iter().flatten().map(Into::into).collect(),
        ..Transcript::default()
    })
}

/// Formats whose output can be read.
fn readable() -> impl Iterator<Item = &'static ConversionFormat> {
    CONVERSIONS.iter().copied().filter(|format| transcript::find(format.name).is_some())
}

proptest! {
    #[test]
    fn the_output_reads_as_the_same_conversation_up_to_the_listed_losses(transcript in transcripts()) {
        for format in readable() {
            let (text, losses) = convert(&transcript, format);
            let read = read_again(&text, format.name);
            let changes = [Loss::System, Loss::Arguments, Loss::Boundary, Loss::PartOrder, Loss::EmptyText, Loss::Image];
            if !changes.into_iter().any(|loss| losses.has(loss)) && !losses.has(Loss::Thinking) {
                prop_assert_eq!(contents(&read), contents(&transcript), "{}: {}", format.name, text);
            }
            if !losses.has(Loss::Error) {
                prop_assert_eq!(errors(&read), errors(&transcript), "{}: {}", format.name, text);
            }
            if !losses.has(Loss::Thinking) && !losses.has(Loss::Boundary) && !losses.has(Loss::PartOrder) {
                prop_assert_eq!(thinking(&read), thinking(&transcript), "{}: {}", format.name, text);
            }
            prop_assert_eq!(&read.model, &transcript.model);
        }
    }

    #[test]
    fn converting_the_output_again_changes_nothing(transcript in transcripts()) {
        for format in readable() {
            let (text, losses) = convert(&transcript, format);
            let read = read_again(&text, format.name);
            // Joined replies have their parts in another order.
            if !losses.has(Loss::Boundary) {
                prop_assert_eq!(convert(&read, format).0, text, "{}", format.name);
            }
        }
    }
}

#[test]
fn results_of_one_reply_are_one_message_of_anthropic() {
    let call = |id: &str| Part::call(id, "read", Arguments::from(json!({})));
    let result = |id: &str| Message::new(Role::Tool, vec![Part::result(id, "x", false)]);
    let messages = vec![Message::new(Role::Assistant, vec![call("1"), call("2")]), result("1"), result("2")];
    let transcript = Transcript { messages: messages.into_iter().map(Into::into).collect(), ..Transcript::default() };
    let (text, losses) = convert(&transcript, &anthropic_messages::FORMAT);
    let json: Json = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["messages"][1]["content"].as_array().map(Vec::len), Some(2));
    assert_eq!(losses, Losses::default());
}

#[test]
fn what_a_format_has_no_place_for_is_counted() {
    let mut reply = Message::text(Role::Assistant, "x");
    (reply.at, reply.usage, reply.harness) =
        (Some("2026-01-01T00:00:00Z".into()), Some(trimtab_base::conversation::Usage::default()), true);
    let named = ToolResult {
        id: "1".into(),
        name: Some("read".into()),
        text: "y".into(),
        attachments: Vec::new(),
        is_error: true,
    };
    let result = Message::new(Role::Tool, vec![Part::new(Body::ToolResult(Box::new(named)))]);
    let messages = [reply, result].map(Into::into).into();
    let transcript = Transcript { id: "s".into(), messages, ..Transcript::default() };
    let lost = |format: &ConversionFormat| convert(&transcript, format).1.0.into_keys().collect::<Vec<_>>();
    assert_eq!(lost(&trimtab::FORMAT), []);
    let expected = [Loss::Session, Loss::Time, Loss::Usage, Loss::Mark, Loss::Error, Loss::ToolName];
    assert_eq!(lost(&openai_chat::FORMAT), expected);
    assert_eq!(
        lost(&anthropic_messages::FORMAT),
        expected.iter().copied().filter(|loss| *loss != Loss::Error).collect::<Vec<_>>()
    );
}
