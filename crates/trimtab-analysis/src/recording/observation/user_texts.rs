//! Long texts that persons wrote, and that the calls of later requests sent again.

use std::ops::AddAssign;

use trimtab_base::conversation::{Counter, Message};
use trimtab_recordings::transcript::Transcript;

/// The characters from which on a text counts as long, in a window of the usual size.
pub(super) const LONG_TEXT: usize = 4_000;

/// Long texts of persons before their newest message: rules can shorten them from the next request on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UserTexts {
    /// Their number.
    pub count: usize,
    /// Their counted tokens.
    pub tokens: u64,
    /// The characters of the longest one.
    pub longest_chars: usize,
}

impl UserTexts {
    /// The texts of a transcript with at least `long` characters.
    pub(super) fn of(transcript: &Transcript, counter: &dyn Counter, long: usize) -> Self {
        let is_own = |message: &&Message| message.is_person() && !message.kept;
        let messages = transcript.messages.iter().map(AsRef::as_ref).filter(is_own);
        let mut texts = Self::default();
        // The last message stays as it is to the end.
        for message in messages.rev().skip(1) {
            let chars = message.plain_text().chars().count();
            if chars >= long {
                texts += Self { count: 1, tokens: counter.message(message), longest_chars: chars };
            }
        }
        texts
    }
}

impl AddAssign for UserTexts {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.longest_chars = self.longest_chars.max(other.longest_chars);
    }
}
