//! A file that is read piece by piece has the same transcripts as one that is read as a whole.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use trimtab::transcript::{self, FORMATS, Pieces, Transcript, UniqueIds};

use crate::transcripts::fixture;

/// The formats of which a file of lines may hold many conversations.
const CUT: &[&str] = &[
    "trimtab",
    "openhands",
    "tau2",
    "atif",
    "mini_swe_agent",
    "swe_agent",
    "langchain",
    "bedrock",
    "anthropic_messages",
    "gemini_contents",
    "openai_chat",
];

/// The fixture of a format as lines of JSON: a document becomes one line.
fn lines(name: &str) -> String {
    let text = fs::read_to_string(fixture(transcript::find(name).unwrap())).unwrap();
    match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(serde_json::Value::Array(list)) if name != "openhands" => {
            let messages: Vec<_> = list.into_iter().collect();
            format!("{}\n", serde_json::json!({ "messages": messages }))
        }
        Ok(json) => format!("{json}\n"),
        Err(_) => text,
    }
}

/// The transcripts of a file, and the skipped records of all of them.
fn whole(text: &str, format: &str) -> (Vec<Transcript>, BTreeMap<String, u64>) {
    separate(transcript::read(text.as_bytes(), Some(format)).unwrap().transcripts, BTreeMap::new())
}

fn separate(
    mut transcripts: Vec<Transcript>,
    mut skipped: BTreeMap<String, u64>,
) -> (Vec<Transcript>, BTreeMap<String, u64>) {
    for (kind, count) in transcripts.iter_mut().flat_map(|transcript| std::mem::take(&mut transcript.skipped)) {
        *skipped.entry(kind).or_default() += count;
    }
    (transcripts, skipped)
}

/// The same, read in pieces of a size; none if the file is not cut.
fn in_pieces(text: &str, format: &str, size: usize) -> Option<(Vec<Transcript>, BTreeMap<String, u64>, usize)> {
    let mut pieces = Pieces::open(text.as_bytes(), Some(format)).unwrap()?;
    let (mut transcripts, mut skipped, mut count) = (Vec::new(), BTreeMap::new(), 0);
    let mut ids = UniqueIds::default();
    while let Some(piece) = pieces.next_piece(size).unwrap() {
        let read = piece.read().expect("within the limits");
        transcripts.extend(read.transcripts.into_iter().map(|one| Transcript { id: ids.next(one.id.clone()), ..one }));
        for (kind, number) in read.skipped {
            *skipped.entry(kind).or_default() += number;
        }
        count += usize::from(piece.size() > 0);
    }
    let (transcripts, skipped) = separate(transcripts, skipped);
    Some((transcripts, skipped, count))
}

#[test]
fn formats_are_cut_if_their_lines_are_conversations() {
    for format in FORMATS {
        let text = lines(format.name).repeat(300);
        let sniffed = transcript::read(text.as_bytes(), None).map(|read| read.format);
        if sniffed != Ok(format.name) {
            continue;
        }
        let pieces = in_pieces(&text, format.name, 1);
        let expected = CUT.contains(&format.name) && format.name != "openhands";
        assert_eq!(pieces.is_some(), expected, "{}", format.name);
        if let Some((transcripts, _, count)) = pieces {
            assert!(count > 200 || transcripts.len() < 3, "{}: {count} pieces", format.name);
        }
    }
}

proptest! {
    #![proptest_config(crate::generated::cases(12))]

    #[test]
    fn pieces_have_the_transcripts_of_the_file(
        format in prop::sample::select(CUT),
        noise in prop::collection::vec((0..260usize, 0..5usize), 0..12),
        size in prop::sample::select(vec![1usize, 3_000, 60_000]),
    ) {
        let one = lines(format);
        let mut all = vec![one; 260];
        for (at, kind) in noise {
            let line = ["\n", "{\"metadata\":{}}\n", "{\"messages\":[\n", "7\n", "{\"role\":\"user\",\"content\":\"hi\"}\n"][kind];
            all[at + usize::from(at == 0)].push_str(line);
        }
        let text = all.concat();
        let Some((transcripts, skipped, _)) = in_pieces(&text, format, size) else { return Ok(()) };
        let (expected, expected_skipped) = whole(&text, format);
        prop_assert_eq!(transcripts.len(), expected.len(), "{}", format);
        for (transcript, expected) in transcripts.iter().zip(&expected) {
            prop_assert_eq!(transcript, expected, "{}", format);
        }
        prop_assert_eq!(skipped, expected_skipped, "{}", format);
    }
}

#[test]
fn what_a_piece_without_a_conversation_skips_is_counted_as_in_the_whole_file() {
    let conversation = "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}\n";
    let text = [conversation.repeat(300).as_str(), "{\"messages\":[\n7\n{\"metadata\":{}}\n", conversation].concat();
    let (transcripts, skipped, _) = in_pieces(&text, "openai_chat", 1).expect("pieces");
    let (expected, expected_skipped) = whole(&text, "openai_chat");
    assert_eq!(transcripts.len(), expected.len());
    assert_eq!(skipped, expected_skipped);
    assert_eq!(skipped.keys().collect::<Vec<_>>(), ["broken line", "non-object record", "record without messages"]);
}
