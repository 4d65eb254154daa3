//! Splits texts into the pieces that a published tokenizer encodes by themselves.
//!
//! The pieces are those of the regular expressions that OpenAI published with its tokenizers (`o200k` and `cl100k` in
//! `tiktoken`). Where only ASCII characters decide, which is nearly everywhere in a recording, they are found here, at a
//! tenth of the time of the expressions. Everywhere else there is no answer, and the expressions decide.

use memchr::memchr_iter;

/// The differences between the tokenizers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rules {
    /// A word ends where an uppercase letter follows a lowercase one, and includes a contraction; signs include slashes
    /// after line breaks.
    O200k,
    /// A contraction is a piece of its own.
    Cl100k,
}

/// What a byte is to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Uppercase,
    Lowercase,
    Digit,
    LineBreak,
    /// Any other white space.
    Blank,
    /// Punctuation, symbols and control characters.
    Sign,
    BeyondAscii,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::BeyondAscii; 256];
    let mut byte: u8 = 0;
    while byte.is_ascii() {
        classes[byte as usize] = match byte {
            b'A'..=b'Z' => Class::Uppercase,
            b'a'..=b'z' => Class::Lowercase,
            b'0'..=b'9' => Class::Digit,
            b'\n' | b'\r' => Class::LineBreak,
            b' ' | b'\t' | 0x0b | 0x0c => Class::Blank,
            _ => Class::Sign,
        };
        byte += 1;
    }
    classes
};

/// Splits a text after the first line break, from a number of bytes on, that ends a piece whatever is around it, or
/// returns `None` if there is none.
///
/// A line break ends a piece before any character that is neither white space nor a slash. No expression looks back, and
/// only white space depends on what follows it, so both parts have the pieces that the text has.
pub(super) fn split_lines(text: &str, from: usize) -> Option<(&str, &str)> {
    let lines = text.as_bytes().get(from.saturating_sub(1)..)?;
    let follows = |at: usize| lines.get(at + 1).is_some_and(|next| next.is_ascii_graphic() && *next != b'/');
    let line_break = memchr_iter(b'\n', lines).find(|at| follows(*at))?;
    text.split_at_checked(from.saturating_sub(1) + line_break + 1)
}

/// Returns where the piece that begins at `start` ends, or `None` if a character beyond ASCII decides.
pub(super) fn piece_end(rules: Rules, text: &[u8], start: usize) -> Option<usize> {
    let splitter = Splitter { rules, text };
    let class = splitter.class(start)?;
    if matches!(class, Class::Uppercase | Class::Lowercase) {
        return splitter.word(start);
    }
    if class == Class::Digit {
        return splitter.number(start);
    }
    if matches!(rules, Rules::Cl100k) {
        let end = splitter.contraction(start)?;
        if end > start {
            return Some(end);
        }
    }
    if class == Class::LineBreak {
        return splitter.space(start);
    }
    // One character other than a line break may precede a word, and a blank may precede signs.
    match splitter.class(start + 1) {
        Some(Class::Uppercase | Class::Lowercase) => splitter.word(start + 1),
        Some(Class::BeyondAscii) => None,
        Some(Class::Sign) if text[start] == b' ' => splitter.signs(start + 1),
        _ if class == Class::Sign => splitter.signs(start),
        _ => splitter.space(start),
    }
}

#[derive(Clone, Copy)]
struct Splitter<'a> {
    rules: Rules,
    text: &'a [u8],
}

impl Splitter<'_> {
    /// Returns the class of a byte, or `None` at the end of the text.
    fn class(&self, at: usize) -> Option<Class> {
        self.text.get(at).map(|byte| CLASSES[usize::from(*byte)])
    }

    /// Returns the end of a run of bytes of some classes, or `None` if a character beyond ASCII ends it.
    fn run(&self, start: usize, is_in: impl Fn(Class) -> bool) -> Option<usize> {
        let mut at = start;
        while let Some(class) = self.class(at) {
            if !is_in(class) {
                return (class != Class::BeyondAscii).then_some(at);
            }
            at += 1;
        }
        Some(at)
    }

    fn word(&self, start: usize) -> Option<usize> {
        match self.rules {
            Rules::O200k => {
                let lowercase = self.run(start, |class| class == Class::Uppercase)?;
                let end = self.run(lowercase, |class| class == Class::Lowercase)?;
                self.contraction(end)
            }
            Rules::Cl100k => self.run(start, |class| matches!(class, Class::Uppercase | Class::Lowercase)),
        }
    }

    /// The end of the contraction that begins at `start`, or `start` if there is none.
    fn contraction(&self, start: usize) -> Option<usize> {
        if self.text.get(start) != Some(&b'\'') {
            return Some(start);
        }
        let lowercase = |at: usize| self.text.get(at).map(u8::to_ascii_lowercase);
        // The long s, which is beyond ASCII, is a lowercase `s`, too.
        let length = match (lowercase(start + 1), lowercase(start + 2)) {
            (Some(b's' | b't' | b'm' | b'd'), _) => 2,
            (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
            (Some(first), _) if !first.is_ascii() => return None,
            _ => 0,
        };
        Some(start + length)
    }

    /// Numbers are split after every third digit.
    fn number(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while at < start + 3 {
            match self.class(at) {
                Some(Class::Digit) => at += 1,
                Some(Class::BeyondAscii) => return None,
                _ => break,
            }
        }
        Some(at)
    }

    /// Signs and the line breaks after them.
    fn signs(&self, start: usize) -> Option<usize> {
        let end = self.run(start, |class| class == Class::Sign)?;
        let follows = |byte: &&u8| match self.rules {
            Rules::O200k => matches!(byte, b'\n' | b'\r' | b'/'),
            Rules::Cl100k => matches!(byte, b'\n' | b'\r'),
        };
        Some(end + self.text[end..].iter().take_while(follows).count())
    }

    /// White space up to its last line break. Without one, the last character is left to what follows.
    fn space(&self, start: usize) -> Option<usize> {
        let end = self.run(start, |class| matches!(class, Class::LineBreak | Class::Blank))?;
        let line_break = self.text[start..end].iter().rposition(|byte| matches!(byte, b'\n' | b'\r'));
        Some(match line_break {
            Some(at) => start + at + 1,
            None if end == self.text.len() || end == start + 1 => end,
            None => end - 1,
        })
    }
}

#[cfg(test)]
mod tests {
    use bpe_openai::Tokenizer as Table;
    use proptest::prelude::*;

    use super::*;

    /// Texts in which every rule meets every other, most of them ASCII.
    const TEXT: &str = concat!(
        r"([a-z]{1,4}|[A-Z]{1,3}|[0-9]{1,5}|[ \t]{1,3}|[\r\n]{1,2}|[\x0b\x0c\x00\x1b\x7f]|[!-/:-@\[-`{-~]{1,3}|",
        r"'(s|S|t|m|d|ll|lL|re|RE|ve|x|r|l)|[/\n ]{1,4}|[ſéßЯя目か한ǅʰ½٣²́\u{a0}\u{2003}\u{85}→’😀]){0,24}",
    );

    /// The pieces as counting finds them: here where that is possible, and by the expressions elsewhere.
    fn pieces<'a>(rules: Rules, table: &'a Table, text: &'a str) -> (Vec<&'a str>, usize) {
        let (mut pieces, mut at, mut found) = (Vec::new(), 0, 0);
        while at < text.len() {
            let end = piece_end(rules, text.as_bytes(), at);
            found += usize::from(end.is_some());
            let rest = text.get(at..).expect("a piece ends at a character");
            let end = end.unwrap_or_else(|| at + table.split(rest).next().expect("a piece").len());
            pieces.push(text.get(at..end).expect("a piece ends at a character"));
            at = end;
        }
        (pieces, found)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn pieces_are_those_of_the_published_expressions(text in TEXT) {
            for (rules, table) in
                [(Rules::O200k, bpe_openai::o200k_base()), (Rules::Cl100k, bpe_openai::cl100k_base())]
            {
                let expected: Vec<&str> = table.split(&text).collect();
                let (pieces, found) = pieces(rules, table, &text);
                prop_assert_eq!(&pieces, &expected, "{:?}", rules);
                prop_assert!(!text.is_ascii() || found == pieces.len(), "ASCII texts need no expression");
            }
        }

        #[test]
        fn stretches_of_lines_have_the_pieces_of_the_text(text in TEXT, from in 0_usize..12) {
            for table in [bpe_openai::o200k_base(), bpe_openai::cl100k_base()] {
                let (mut stretches, mut rest) = (Vec::new(), text.as_str());
                while let Some((stretch, following)) = split_lines(rest, from) {
                    prop_assert!(stretch.len() >= from.max(1), "{:?}", stretch);
                    stretches.push(stretch);
                    rest = following;
                }
                stretches.push(rest);
                let pieces: Vec<&str> = stretches.iter().flat_map(|stretch| table.split(stretch)).collect();
                let expected: Vec<&str> = table.split(&text).collect();
                prop_assert_eq!(pieces, expected, "{:?}", stretches);
            }
        }
    }
}
