//! A recorded number of tokens that cannot be one is counted as skipped, in every format: it never becomes 0 or another
//! number.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;

use trimtab::conversation::Usage;
use trimtab::transcript::{self, FORMATS, ReadFile};

use crate::transcripts::fixture;

/// What takes the place of a number of tokens.
const INVALID: [&str; 10] = [
    "-1",
    "0.5",
    "1e30",
    "-1e400",
    "18446744073709551616",
    "1152921504606846976",
    "NaN",
    "true",
    "\"lots\"",
    "[{\"a\":1}]",
];

const KIND: &str = "implausible number of tokens";

/// The usages of a file as a set, to which a changed number adds one.
fn usages(file: &ReadFile) -> BTreeSet<[u64; 5]> {
    let of_messages = file.transcripts.iter().flat_map(|one| &one.messages).filter_map(|message| message.usage);
    let of_harness = file.transcripts.iter().flat_map(|one| &one.harness_calls).map(|call| call.usage);
    let numbers = |usage: Usage| [usage.input, usage.cache_read, usage.cache_write, usage.hour_write, usage.output];
    of_messages.chain(of_harness).map(numbers).collect()
}

/// The numbers of a JSON text that are values of fields.
fn numbers(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(':') {
        let start = at + 1 + text[at + 1..].bytes().take_while(|byte| *byte == b' ').count();
        let length = text[start..].bytes().take_while(u8::is_ascii_digit).count();
        let is_number = length > 0 && text[start + length..].starts_with([',', '}', '\n', ' ']);
        if is_number && text[..at].ends_with('"') {
            found.push(start..start + length);
        }
    }
    found
}

/// The numbers that decide on usage, with the format and the text of its fixture.
fn numbers_of_tokens() -> Vec<(&'static str, String, Range<usize>)> {
    let mut all = Vec::new();
    for format in FORMATS {
        let text = fs::read_to_string(fixture(format)).unwrap();
        let Ok(file) = transcript::read(text.as_bytes(), Some(format.name)) else { continue };
        let known = usages(&file);
        for range in numbers(&text) {
            let Some(more) = text[range.clone()].parse::<u64>().ok().and_then(|number| number.checked_add(1)) else {
                continue;
            };
            let changed = format!("{}{more}{}", &text[..range.start], &text[range.end..]);
            let changed = transcript::read(changed.as_bytes(), Some(format.name));
            if changed.is_ok_and(|changed| usages(&changed) != known) {
                all.push((format.name, text.clone(), range));
            }
        }
    }
    all
}

#[test]
fn a_number_of_tokens_that_is_none_is_counted_and_never_taken_for_another() {
    let all = numbers_of_tokens();
    let formats: BTreeSet<_> = all.iter().map(|(format, ..)| format).collect();
    assert!(formats.len() >= 18, "formats whose fixtures have usage: {formats:?}");
    for (format, text, range) in &all {
        let known = usages(&transcript::read(text.as_bytes(), Some(format)).unwrap());
        for invalid in INVALID {
            // Attributes are JSON values, in which numbers that are not finite are null.
            if *format == "otel" && ["NaN", "-1e400"].contains(&invalid) {
                continue;
            }
            let changed = format!("{}{invalid}{}", &text[..range.start], &text[range.end..]);
            let place = &text[range.start.saturating_sub(40)..range.start];
            let file = transcript::read(changed.as_bytes(), Some(format))
                .unwrap_or_else(|error| panic!("{format} {place}{invalid}: {error}"));
            let found = usages(&file);
            let counted: u64 = file.transcripts.iter().filter_map(|one| one.skipped.get(KIND)).sum();
            assert!(found.is_subset(&known), "{format} {place}{invalid}: {found:?} instead of {known:?}");
            assert!(counted > 0 || found == known, "{format} {place}{invalid}: not counted");
        }
    }
}

#[test]
fn numbers_of_tokens_in_lines_of_aider_are_counted_too() {
    let line = "# aider chat started at 2026-01-02 03:04:05\n\n#### Go\n\nDone.\n\n> Tokens: 26k sent, 680 received.\n";
    for (valid, invalid) in [("26k", "-26k"), ("26k", "lots"), ("680", "NaN"), ("680", "-1"), ("26k", "1e30")] {
        let file = transcript::read(line.replace(valid, invalid).as_bytes(), Some("aider")).unwrap();
        assert_eq!(usages(&file), BTreeSet::new(), "{invalid}");
        assert_eq!(file.transcripts[0].skipped.get(KIND), Some(&1), "{invalid}");
    }
}
