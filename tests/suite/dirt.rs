//! What goes wrong in recorded files, tried on the fixture of every format: reading never panics, what can be read is
//! read, what is skipped is counted, and only a file with nothing to read is an error.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value as Json, json};
use trimtab::transcript::{self, FORMATS, Format, ReadError, ReadFile};

use crate::transcripts::fixture;

/// The fixture of a format.
struct Fixture {
    format: &'static Format,
    path: PathBuf,
    text: String,
    /// The records on its lines, or its document; none if it is not JSON.
    records: Vec<Json>,
}

/// Records as JSON lines.
fn lines_of(records: &[Json]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

impl Fixture {
    fn of(format: &'static Format) -> Self {
        let path = fixture(format);
        let text = fs::read_to_string(&path).unwrap();
        let is_lines = path.extension().is_some_and(|end| end == "jsonl");
        let parts = if is_lines { text.lines().collect() } else { vec![text.as_str()] };
        let records = parts.iter().filter_map(|part| serde_json::from_str(&part.replace("NaN", "null")).ok()).collect();
        Self { format, path, text, records }
    }

    fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(|format| Self::of(format))
    }

    /// Those with a record on each of several lines.
    fn of_lines() -> impl Iterator<Item = Self> {
        Self::all().filter(Self::is_lines)
    }

    fn of_json() -> impl Iterator<Item = Self> {
        Self::all().filter(|fixture| !fixture.records.is_empty())
    }

    fn is_lines(&self) -> bool {
        self.path.extension().is_some_and(|end| end == "jsonl")
    }

    fn name(&self) -> &'static str {
        self.format.name
    }

    fn read(&self, bytes: impl AsRef<[u8]>) -> Result<ReadFile, ReadError> {
        let result = transcript::read(bytes.as_ref(), Some(self.name()));
        for read in result.iter().flat_map(|file| &file.transcripts) {
            let written = transcript::write(read);
            let again = transcript::read(written.as_bytes(), Some("trimtab")).expect("what was written can be read");
            let count: usize = again.transcripts.iter().map(|read| read.messages.len()).sum();
            assert_eq!(count, read.messages.len(), "{}: messages that were written and read back", self.name());
        }
        result
    }

    fn expect(&self, bytes: impl AsRef<[u8]>, what: &str) -> ReadFile {
        self.read(bytes).unwrap_or_else(|error| panic!("{} with {what}: {error}", self.name()))
    }

    fn expect_same(&self, bytes: impl AsRef<[u8]>, what: &str) {
        let (expected, read) = (self.expect(&self.text, "nothing changed"), self.expect(bytes, what));
        assert_eq!(read.transcripts, expected.transcripts, "{} with {what}", self.name());
    }

    /// Reads it without a check of what was read.
    fn try_read(&self, bytes: impl AsRef<[u8]>) -> Result<ReadFile, ReadError> {
        transcript::read(bytes.as_ref(), Some(self.name()))
    }

    /// The path of each value in the records: the index of the record, then a JSON pointer.
    fn value_paths(&self) -> Vec<(usize, String)> {
        let mut paths = Vec::new();
        for (index, record) in self.records.iter().enumerate() {
            collect_paths(record, "", &mut |path| paths.push((index, path.to_owned())));
        }
        paths
    }

    /// The paths of the texts that messages are read from.
    fn text_paths(&self) -> Vec<(usize, String)> {
        let is_text = |path: &(usize, String)| {
            let text = self.records[path.0].pointer(&path.1).and_then(Json::as_str);
            let is_read = |file: ReadFile| texts(&file).iter().any(|text| text == "another text");
            text.is_some() && self.try_read(self.replaced(path, "\"another text\"")).is_ok_and(is_read)
        };
        self.value_paths().into_iter().filter(is_text).collect()
    }

    /// The text with one value replaced. Placeholders allow values that are not JSON.
    fn replaced(&self, (index, path): &(usize, String), value: &str) -> String {
        let mut records = self.records.clone();
        *records[*index].pointer_mut(path).unwrap() = json!("@value@");
        lines_of(&records).replacen("\"@value@\"", value, 1)
    }
}

fn collect_paths(json: &Json, path: &str, add: &mut impl FnMut(&str)) {
    add(path);
    match json {
        Json::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| collect_paths(item, &format!("{path}/{index}"), add));
        }
        Json::Object(map) => map.iter().for_each(|(key, item)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            collect_paths(item, &format!("{path}/{key}"), add);
        }),
        _ => {}
    }
}

fn message_count(file: &ReadFile) -> usize {
    file.transcripts.iter().map(|read| read.messages.len()).sum()
}

/// The texts of all messages and results.
fn texts(file: &ReadFile) -> Vec<String> {
    let messages = file.transcripts.iter().flat_map(|read| &read.messages);
    let texts = messages.flat_map(|message| {
        let results = message.results().map(|result| result.text.to_string());
        results.chain([message.plain_text()]).collect::<Vec<_>>()
    });
    texts.collect()
}

fn skipped(file: &ReadFile) -> u64 {
    file.transcripts.iter().flat_map(|read| read.skipped.values()).sum()
}

#[test]
fn an_empty_file_is_an_error() {
    for fixture in Fixture::all() {
        for text in ["", "\n \r\n", "\u{feff}"] {
            let error = fixture.read(text).expect_err("an empty file");
            assert!(error.message.starts_with("the file is empty"), "{}: {error}", fixture.name());
        }
    }
}

#[test]
fn a_truncated_file_is_read_as_far_as_it_goes() {
    for fixture in Fixture::all() {
        let bytes = fixture.text.as_bytes();
        for cut in (0..bytes.len()).step_by(bytes.len().div_ceil(150)) {
            drop(fixture.read(&bytes[..cut]));
        }
    }
    for fixture in Fixture::of_lines() {
        let text = fixture.text.trim_end();
        let last = text.rfind('\n').unwrap() + 1;
        let mut cut = last + (text.len() - last) / 2;
        while !text.is_char_boundary(cut) {
            cut -= 1;
        }
        let (without, read) =
            (fixture.expect(&text[..last], "no last line"), fixture.expect(&text[..cut], "half a line"));
        assert_eq!(message_count(&read), message_count(&without), "{}", fixture.name());
        assert_eq!(skipped(&read), skipped(&without) + 1, "{} counts the broken line", fixture.name());
    }
}

#[test]
fn line_ends_and_byte_order_marks_do_not_matter() {
    for fixture in Fixture::all() {
        let unix = fixture.text.replace("\r\n", "\n");
        fixture.expect_same(unix.trim_end(), "no final line break");
        fixture.expect_same(format!("{unix}\n\n"), "blank lines at the end");
        fixture.expect_same(unix.replace('\n', "\r\n"), "CRLF");
        fixture.expect_same(format!("\u{feff}{unix}"), "a byte order mark");
        let utf16: Vec<u8> = format!("\u{feff}{unix}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        fixture.expect_same(utf16, "UTF-16");
    }
}

#[test]
fn the_layout_of_json_does_not_matter() {
    for fixture in Fixture::of_json() {
        if fixture.is_lines() {
            let lines: String = fixture.records.iter().map(|record| format!(" {record}\t\n\n")).collect();
            let (expected, read) = (fixture.expect(&fixture.text, "nothing changed"), fixture.expect(lines, "blanks"));
            assert_eq!(texts(&read), texts(&expected), "{}", fixture.name());
        } else {
            fixture.expect_same(fixture.records[0].to_string(), "one line");
            fixture.expect_same(format!("{:#}", fixture.records[0]), "many lines");
        }
    }
}

#[test]
fn unknown_records_are_counted() {
    let unknown = "{\"type\":\"novel_record\",\"novel\":{\"a\":[1,null]}}\n";
    for fixture in Fixture::all() {
        match fixture.read(unknown.repeat(3)) {
            Ok(file) => assert_eq!(message_count(&file), 0, "{}", fixture.name()),
            Err(error) => assert!(error.message.contains(fixture.name()), "{}: {error}", fixture.name()),
        }
    }
    for fixture in Fixture::of_lines() {
        let expected = fixture.expect(&fixture.text, "nothing changed");
        let text = format!("{}\n{unknown}not JSON\n[1]\n{unknown}", fixture.text.trim_end());
        let read = fixture.expect(text, "unknown records");
        assert!(skipped(&read) >= skipped(&expected) + 3, "{}: {:?}", fixture.name(), read.transcripts[0].skipped);
        assert!(message_count(&read) >= message_count(&expected), "{}", fixture.name());
    }
}

#[test]
fn ids_may_repeat() {
    for fixture in Fixture::of_json() {
        let mut records = fixture.records.clone();
        for (index, path) in fixture.value_paths() {
            let key = path.rsplit('/').next().unwrap_or_default().to_lowercase();
            let value = records[index].pointer_mut(&path).unwrap();
            if key.ends_with("id") && value.is_string() {
                *value = json!("REDACTED");
            }
        }
        assert!(message_count(&fixture.expect(lines_of(&records), "equal ids")) > 0, "{}", fixture.name());
    }
    for fixture in Fixture::of_lines() {
        let doubled: String = fixture.text.lines().map(|line| format!("{line}\n{line}\n")).collect();
        fixture.expect(doubled, "every line twice");
        fixture.expect(fixture.text.repeat(2), "all lines twice");
    }
}

/// Every element of every list, and every line, missing in turn: calls without results, results without calls, replies
/// without prompts.
#[test]
fn any_record_may_be_missing() {
    for fixture in Fixture::of_json() {
        for (index, path) in fixture.value_paths() {
            let Some((list, element)) = path.rsplit_once('/') else { continue };
            let mut records = fixture.records.clone();
            if let (Some(Json::Array(items)), Ok(element)) =
                (records[index].pointer_mut(list), element.parse::<usize>())
            {
                items.remove(element);
                drop(fixture.read(lines_of(&records)));
            }
        }
    }
    for fixture in Fixture::of_lines() {
        for index in 0..fixture.records.len() {
            let mut records = fixture.records.clone();
            records.remove(index);
            assert!(message_count(&fixture.expect(lines_of(&records), "a line missing")) > 0, "{}", fixture.name());
        }
    }
}

#[test]
fn invalid_characters_are_replaced_or_kept() {
    for fixture in Fixture::of_json() {
        for path in fixture.text_paths() {
            let text = fixture.replaced(&path, "\"a@b\"");
            let expected = message_count(&fixture.expect(&text, "another text"));
            let (before, after) = text.split_once("a@b").unwrap();
            let invalid = [before.as_bytes(), b"a\xFFb", after.as_bytes()].concat();
            let read = fixture.expect(invalid, "invalid UTF-8");
            assert_eq!((read.replaced, message_count(&read)), (1, expected), "{}", fixture.name());
            let read = fixture.expect(format!("{before}a\\ud83db{after}"), "a lone surrogate");
            assert_eq!((read.replaced, message_count(&read)), (1, expected), "{}", fixture.name());
            let read = fixture.expect(format!("{before}a\\u0000b\\u001b[0m{after}"), "control characters");
            assert_eq!((read.replaced, message_count(&read)), (0, expected), "{}", fixture.name());
            drop(fixture.read(format!("{before}a\0b{after}")));
        }
    }
}

#[test]
fn numbers_that_are_not_finite_are_null() {
    for fixture in Fixture::of_json() {
        for path in fixture.value_paths().into_iter().filter(|(_, path)| !path.is_empty()).step_by(3) {
            for number in ["NaN", "-Infinity"] {
                let [null, read] = ["null", number].map(|value| fixture.try_read(fixture.replaced(&path, value)));
                // A number of tokens is not taken for a missing one.
                let is_of_tokens = |file: &ReadFile| {
                    file.transcripts.iter().any(|one| one.skipped.contains_key("implausible number of tokens"))
                };
                if !read.as_ref().is_ok_and(is_of_tokens) {
                    assert_eq!(read.map_err(drop), null.map_err(drop), "{} with {number} at {path:?}", fixture.name());
                }
            }
        }
    }
}

#[test]
fn any_value_may_have_another_type() {
    let values = ["null", "true", "7", "\"text\"", "[{}]", "{\"type\":[]}"];
    for fixture in Fixture::of_json() {
        for path in fixture.value_paths() {
            for value in values {
                let result = fixture.try_read(fixture.replaced(&path, value));
                let is_record = path.1.is_empty();
                // Without its only record with calls, a file is not in the format.
                let is_loss = |error: &ReadError| error.message.contains("although the file has some");
                let is_error = result.as_ref().is_err_and(|error| !is_loss(error)) && fixture.is_lines() && !is_record;
                assert!(!is_error, "{} with {value} at {path:?}: {result:?}", fixture.name());
            }
        }
    }
}

/// The spellings of calls in the formats, and others that none of them has at that place.
const RESPELT: [(&str, &str); 6] = [
    ("tool_use", "tool_request"),
    ("toolUse", "toolRequest"),
    ("toolCall", "toolRequest"),
    ("function_call", "tool_request"),
    ("functionCall", "toolRequest"),
    ("tool_calls", "tool_requests"),
];

/// Formats whose reader may leave out all calls of a file: those of a simulated user, of a scorer, and unknown parts.
const MAY_LOSE_CALLS: [&str; 3] = ["trimtab", "tau2", "inspect"];

/// A client that spells its calls in another way than the format that resembles its own.
#[test]
fn a_file_is_not_read_without_its_calls() {
    let calls = |file: &ReadFile| {
        let messages = file.transcripts.iter().flat_map(|read| &read.messages);
        messages.map(|message| message.calls().count()).sum::<usize>()
    };
    let mut errors = 0;
    for fixture in Fixture::of_json().filter(|fixture| !MAY_LOSE_CALLS.contains(&fixture.name())) {
        let respelt = RESPELT.iter().fold(fixture.text.clone(), |text, (own, other)| {
            text.replace(&format!("\"{own}\""), &format!("\"{other}\""))
        });
        for format in [Some(fixture.name()), None] {
            match transcript::read(respelt.as_bytes(), format) {
                // Its calls may be on a branch that is left out.
                Ok(file) if file.transcripts.iter().any(|read| read.skipped.contains_key("other branch")) => {}
                Ok(file) => assert!(calls(&file) > 0, "{} as {format:?} is read as {}", fixture.name(), file.format),
                Err(_) => errors += 1,
            }
        }
    }
    assert!(errors > 20, "{errors}");
}

#[test]
fn any_value_may_be_nested_without_end() {
    let nested = [format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), "{\"a\":".repeat(100_000)];
    for fixture in Fixture::of_json() {
        let paths = fixture.value_paths();
        for path in paths.iter().step_by(paths.len().div_ceil(30)) {
            for value in &nested {
                drop(fixture.try_read(fixture.replaced(path, value)));
            }
        }
        for path in fixture.text_paths() {
            let result = fixture.try_read(fixture.replaced(&path, &nested[0]));
            let lost = result.iter().all(|file| skipped(file) == 0) && fixture.is_lines();
            assert!(!lost, "{} counts what is nested too deeply at {path:?}", fixture.name());
        }
    }
}

#[test]
fn a_line_of_50_megabytes_is_read() {
    let long = format!("\"{}\"", "word ".repeat(10_000_000));
    for fixture in Fixture::of_json() {
        let path = fixture.text_paths().into_iter().next().unwrap_or_else(|| panic!("{} has a text", fixture.name()));
        let read = fixture.try_read(fixture.replaced(&path, &long)).unwrap();
        assert!(texts(&read).iter().any(|text| text.len() == 50_000_000), "{}", fixture.name());
    }
}
