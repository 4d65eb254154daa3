//! The search for texts in contexts, each of which begins like the one before it.
//!
//! The texts are searched in order in the messages joined by line breaks. The state of the search after each message of the
//! conversation is kept, so that only messages that are new or have changed are searched again.

use trimtab_base::conversation::{Body, Mark, Message, Part};
use trimtab_simulate::simulate::Sent;

/// A search for texts, each after the one before it.
#[derive(Clone, Debug)]
pub(super) struct Scan<'a> {
    texts: Vec<Text<'a>>,
    /// The state after each message of the conversation.
    states: Vec<State>,
    mark: Option<Mark>,
}

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    /// The number of texts that have been found.
    found: usize,
    /// How many bytes of the next one the end of what was searched is equal to.
    matched: usize,
}

/// A text with what is needed to continue a search after a mismatch.
#[derive(Clone, Debug)]
struct Text<'a> {
    bytes: &'a [u8],
    /// For each beginning, the length of the longest shorter one that is its end (Knuth, Morris and Pratt, 1977).
    borders: Vec<usize>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(texts: &'a [String]) -> Self {
        Self { texts: texts.iter().map(|text| Text::new(text.as_bytes())).collect(), states: Vec::new(), mark: None }
    }

    /// Whether a context contains the texts.
    pub(super) fn finds_in(&mut self, sent: &Sent<'_>) -> bool {
        let mut state = State::default();
        let Some((entries, end)) = sent.whole_conversation() else {
            for (at, message) in sent.messages().iter().enumerate() {
                state = self.after(state, at, &text(message));
            }
            return self.is_done(state);
        };
        let unchanged = self.mark.as_ref().map_or(0, |mark| sent.conversation.unchanged_since(mark));
        self.states.truncate(unchanged);
        for (at, entry) in entries.iter().enumerate().skip(self.states.len()) {
            let before = self.states.last().copied().unwrap_or_default();
            let after = if self.is_done(before) { before } else { self.after(before, at, &text(entry.message())) };
            self.states.push(after);
        }
        self.mark = Some(sent.conversation.mark());
        state = self.states.last().copied().unwrap_or_default();
        for (at, message) in end.iter().enumerate() {
            state = self.after(state, entries.len() + at, &text(message));
        }
        self.is_done(state)
    }

    /// The state after the message at an index.
    fn after(&self, mut state: State, at: usize, message: &str) -> State {
        if at > 0 {
            state = self.read(state, "\n");
        }
        self.read(state, message)
    }

    fn read(&self, mut state: State, text: &str) -> State {
        for byte in text.bytes() {
            state = self.pass_empty(state);
            let Some(wanted) = self.texts.get(state.found) else { return state };
            state.matched = wanted.next(state.matched, byte);
            if state.matched == wanted.bytes.len() {
                state = State { found: state.found + 1, matched: 0 };
            }
        }
        state
    }

    /// The state after the empty texts that are next: they are everywhere.
    fn pass_empty(&self, mut state: State) -> State {
        while self.texts.get(state.found).is_some_and(|text| text.bytes.is_empty()) {
            state.found += 1;
        }
        state
    }

    fn is_done(&self, state: State) -> bool {
        self.pass_empty(state).found == self.texts.len()
    }
}

impl<'a> Text<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut text = Self { bytes, borders: vec![0; bytes.len() + 1] };
        for (end, byte) in bytes.iter().enumerate().skip(1) {
            text.borders[end + 1] = text.next(text.borders[end], *byte);
        }
        text
    }

    /// How many bytes match after another one, when this many have matched.
    fn next(&self, mut matched: usize, byte: u8) -> usize {
        while matched > 0 && self.bytes[matched] != byte {
            matched = self.borders[matched];
        }
        matched + usize::from(self.bytes[matched] == byte)
    }
}

/// A message as text: its role and its parts.
pub(in super::super) fn text(message: &Message) -> String {
    let parts: Vec<String> = message.parts.iter().map(part).collect();
    format!("{}: {}", message.role.word(), parts.join("\n"))
}

fn part(part: &Part) -> String {
    match &part.body {
        Body::Text(text) | Body::Thinking { text, .. } => text.to_string(),
        Body::ToolCall { name, arguments, .. } => format!("{name}({})", arguments.text()),
        Body::ToolResult(result) => result.text.to_string(),
        Body::Image { media_type, .. } => media_type.to_string(),
        Body::Other(json) => json.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Whether a text contains texts, each after the one before it.
    fn contains(mut rest: &str, texts: &[String]) -> bool {
        texts.iter().all(|text| match rest.split_once(text.as_str()) {
            Some((_, after)) => {
                rest = after;
                true
            }
            None => false,
        })
    }

    proptest! {
        #[test]
        fn texts_are_found_across_messages(
            messages in prop::collection::vec("[ab\n]{0,6}", 1..5),
            texts in prop::collection::vec("[ab\n]{0,4}", 1..4),
        ) {
            let scan = Scan::new(&texts);
            let state = (0..).zip(&messages).fold(State::default(), |state, (at, text)| scan.after(state, at, text));
            prop_assert_eq!(scan.is_done(state), contains(&messages.join("\n"), &texts));
        }
    }
}
