//! Laws of replies that are read as their bytes come.

mod written;

use proptest::prelude::*;
use trimtab::conversation::{Body, Message, Usage};
use trimtab::request::{Dialect, ReadReply, ReplyEnd, ReplyReader, read_reply};

use crate::generated;
use written::{Entry, WrittenReply, written};

fn read(dialect: Dialect, parts: &[&[u8]]) -> ReadReply {
    let mut reader = ReplyReader::new(dialect);
    for part in parts {
        reader.push(part);
    }
    reader.finish()
}

/// The bytes in parts that end at these places.
fn divided<'b>(bytes: &'b [u8], cuts: &[prop::sample::Index]) -> Vec<&'b [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut start = 0;
    let mut parts: Vec<&[u8]> = Vec::new();
    for place in places {
        parts.push(&bytes[start..place]);
        start = place;
    }
    parts.push(&bytes[start..]);
    parts
}

fn cuts() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..12)
}

fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(Dialect::ALL.to_vec())
}

proptest! {
    #![proptest_config(generated::cases(300))]

    #[test]
    fn a_stream_is_the_reply_of_the_whole_body(reply in written(), dialect in dialect(), cuts in cuts()) {
        let body = reply.body(dialect);
        let whole = read_reply(dialect, &body).ok();
        prop_assert!(whole.is_some(), "{body}");
        let stream = reply.stream(dialect);
        let streamed = read(dialect, &divided(stream.as_bytes(), &cuts));
        prop_assert_eq!(&streamed.end, &ReplyEnd::Complete);
        prop_assert_eq!(streamed.message.clone().zip(Some(streamed.usage)), whole, "{}\n{}", body, stream);
        prop_assert_eq!(read(dialect, &divided(body.as_bytes(), &cuts)), streamed);
    }

    #[test]
    fn a_list_of_events_is_the_reply_of_the_whole_body(reply in written(), cuts in cuts()) {
        let (body, list) = (reply.body(Dialect::Gemini), reply.gemini_list());
        let streamed = read(Dialect::Gemini, &divided(list.as_bytes(), &cuts));
        prop_assert_eq!(streamed, read(Dialect::Gemini, &[body.as_bytes()]), "{}\n{}", body, list);
    }

    #[test]
    fn a_cut_stream_has_the_whole_parts_that_came(
        reply in written(), dialect in dialect(), cut in any::<prop::sample::Index>(), cuts in cuts(),
    ) {
        let stream = reply.stream(dialect);
        let whole = read(dialect, &[stream.as_bytes()]).message.expect("a reply");
        let bytes = &stream.as_bytes()[..cut.index(stream.len())];
        let cut = read(dialect, &[bytes]);
        prop_assert_eq!(&read(dialect, &divided(bytes, &cuts)), &cut);
        if let Some(message) = &cut.message {
            prop_assert!(is_beginning(message, &whole), "{:#?}\n{:#?}", message, whole);
        }
    }

    #[test]
    fn any_bytes_are_read_the_same_wherever_they_are_divided(
        bytes in prop::collection::vec(any::<u8>(), 0..200), dialect in dialect(), cuts in cuts(),
    ) {
        prop_assert_eq!(read(dialect, &[&bytes]), read(dialect, &divided(&bytes, &cuts)));
    }

    #[test]
    fn changed_streams_are_read_the_same_wherever_they_are_divided(
        reply in written(), dialect in dialect(), cuts in cuts(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = reply.stream(dialect).into_bytes();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        prop_assert_eq!(read(dialect, &[&bytes]), read(dialect, &divided(&bytes, &cuts)));
    }

    #[test]
    fn events_of_any_shape_are_read_the_same_wherever_they_are_divided(
        events in prop::collection::vec(written::odd_event(), 0..12), dialect in dialect(), cuts in cuts(),
    ) {
        let stream: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        prop_assert_eq!(read(dialect, &[stream.as_bytes()]), read(dialect, &divided(stream.as_bytes(), &cuts)));
    }

    #[test]
    fn an_error_in_a_stream_is_told(reply in written(), dialect in dialect(), at in any::<prop::sample::Index>()) {
        let events = reply.events(dialect);
        let before = &events[..at.index(events.len())];
        let text = WrittenReply::text_of(before.iter().chain([&Entry::error(dialect, "Overloaded")]));
        prop_assert_eq!(read(dialect, &[text.as_bytes()]).end, ReplyEnd::Error("Overloaded".to_owned()));
    }
}

/// Whether a message has the first parts of each kind that another one has, of which a text may have been cut. Chat
/// Completions write the kinds in an order of their own.
fn is_beginning(cut: &Message, whole: &Message) -> bool {
    let kinds: [fn(&Body) -> bool; 3] = [
        |body| matches!(body, Body::Text(_)),
        |body| matches!(body, Body::Thinking { .. }),
        |body| matches!(body, Body::ToolCall { .. }),
    ];
    let of = |message: &Message, is_kind: fn(&Body) -> bool| -> Vec<Body> {
        message.parts.iter().map(|part| part.body.clone()).filter(&is_kind).collect()
    };
    kinds.into_iter().all(|kind| {
        let (cut, whole) = (of(cut, kind), of(whole, kind));
        cut.len() <= whole.len() && cut.iter().zip(&whole).all(|(cut, whole)| begins(cut, whole))
    })
}

fn begins(cut: &Body, whole: &Body) -> bool {
    match (cut, whole) {
        (Body::Text(cut), Body::Text(whole))
        | (Body::Thinking { text: cut, .. }, Body::Thinking { text: whole, .. }) => whole.starts_with(cut.as_ref()),
        (cut, whole) => cut == whole,
    }
}

#[test]
fn an_error_in_place_of_a_reply_is_told() {
    let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for dialect in Dialect::ALL {
        assert_eq!(read(dialect, &[body.as_bytes()]).end, ReplyEnd::Error("Overloaded".to_owned()));
        assert_eq!(read(dialect, &[b"<html>"]).end, ReplyEnd::Cut);
        assert_eq!(read(dialect, &[b"{"]).end, ReplyEnd::Cut);
        assert_eq!(read(dialect, &[b"{} x"]).end, ReplyEnd::Unreadable);
        assert_eq!(read(dialect, &[]).end, ReplyEnd::Cut);
    }
}

#[test]
fn calls_without_an_index_and_with_the_same_index_are_told_apart() {
    let call = |index: &str, id: &str, name: &str| {
        format!(
            "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{{index}\"id\":\"{id}\",\"function\":{{\"name\":\"{name}\",\"arguments\":\"{{}}\"}}}}]}}}}]}}\n\n"
        )
    };
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    for index in ["", "\"index\":0,"] {
        let stream = [call(index, "a", "one").as_str(), &call(index, "b", "two"), end].concat();
        let message = read(Dialect::OpenAiChat, &[stream.as_bytes()]).message.expect("a reply");
        let names = message.parts.iter().map(|part| match &part.body {
            Body::ToolCall { name, .. } => name.to_string(),
            other => format!("{other:?}"),
        });
        assert_eq!(names.collect::<Vec<_>>(), ["one", "two"]);
    }
}

#[test]
fn more_than_a_provider_sends_is_not_kept() {
    for first in ["{", "data: "] {
        let mut reader = ReplyReader::new(Dialect::Anthropic);
        reader.push(first.as_bytes());
        for _ in 0..65 {
            reader.push(&vec![b'x'; 1 << 20]);
        }
        assert_eq!(reader.finish().end, ReplyEnd::Unreadable);
    }
}

#[test]
fn items_that_the_last_event_leaves_out_are_not_lost() {
    let stream = "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\
        \"item\":{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hi\"}]}}\n\n\
        data: {\"type\":\"response.completed\",\"response\":{\"output\":[],\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}}\n\n";
    let read = read(Dialect::OpenAiResponses, &[stream.as_bytes()]);
    assert_eq!(read.end, ReplyEnd::Complete);
    assert_eq!(read.message.expect("a reply").plain_text(), "hi");
    assert_eq!(read.usage.map(Usage::context), Some(7));
}
