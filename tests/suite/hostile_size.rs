//! Small files that would take a large memory: what reading allocates is bounded by the bytes of the text, for every shape
//! of nested and tiny input in every format.

use std::io::{Cursor, Write};

use allocation_counter::measure;
use trimtab::transcript::{self, FORMATS};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The most bytes that are allocated at a time for each byte of a text.
const MAX_RATIO: u64 = 400;

/// What does not depend on the size.
const CONSTANT: u64 = 64 << 10;

/// A text of about so many bytes: `before`, repetitions of `unit`, and `after`.
fn repeated(before: &str, unit: &str, after: &str, bytes: usize) -> String {
    let times = bytes / unit.len();
    let units = (0..times).map(|number| unit.replace('#', &number.to_string())).collect::<String>();
    format!("{before}{}{after}", units.trim_end_matches(','))
}

/// Texts of about so many bytes, with names.
fn shapes(bytes: usize) -> Vec<(String, String)> {
    let mut all = vec![
        ("open lists".to_owned(), "[".repeat(bytes)),
        ("open objects".to_owned(), "{\"a\":".repeat(bytes / 5)),
        ("nested lists".to_owned(), "[".repeat(bytes / 2) + &"]".repeat(bytes / 2)),
        ("numbers on lines".to_owned(), "1\n".repeat(bytes / 2)),
        ("kinds".to_owned(), repeated("", "{\"type\":\"k#\",\"event\":\"e#\"}\n", "", bytes)),
    ];
    let tiny = ["0,", "\"\",", "[],", "{},", "null,", "{\"role\":\"user\"},", "{\"\":0},", "[[[[]]]],", "1e5,"];
    for (name, before, after) in [
        ("list", "[", "]"),
        ("content", r#"[{"role":"user","content":"a"},{"role":"assistant","content":["#, "]}]"),
        ("parts", r#"[{"role":"user","parts":["#, "]}]"),
        ("messages", r#"{"messages":["#, "]}"),
        ("object with an agent", r#"{"agent":{"name":"a"},"steps":["#, "]}"),
        ("items", r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":["#, "]}}"),
        (
            "arguments",
            r#"[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"ls","input":{"a":["#,
            "]}}]}]",
        ),
        ("extra keys", "{\"trimtab\":1,\"x\":[", "]}\n{\"role\":\"user\",\"content\":\"a\"}"),
        ("samples", r#"{"version":2,"status":"success","eval":{"model":"m"},"samples":["#, "]}"),
        ("sample", r#"{"version":2,"status":"success","eval":{"model":"m"},"samples":[{"id":1,"messages":["#, "]}]}"),
        ("spans", r#"{"resourceSpans":[{"scopeSpans":[{"spans":["#, "]}]}]}"),
    ] {
        all.extend(tiny.iter().map(|unit| (format!("{name} of {unit}"), repeated(before, unit, after, bytes))));
    }
    all
}

/// The most bytes that reading allocates at a time. The counter begins anew, as the text itself is not counted.
fn peak(bytes: &[u8], format: Option<&str>) -> u64 {
    measure(|| drop(transcript::read(bytes, format))).bytes_max
}

#[test]
fn the_memory_of_a_text_is_bounded_by_its_bytes() {
    let mut ratios = Vec::new();
    for (name, text) in shapes(6_000) {
        for format in FORMATS.iter().map(|format| Some(format.name)).chain([None]) {
            let peak = peak(text.as_bytes(), format);
            let ratio = peak.saturating_sub(CONSTANT) / text.len() as u64;
            ratios.push((ratio, format!("{name} as {format:?}: {peak} bytes for {}", text.len())));
        }
    }
    ratios.sort();
    let worst = &ratios[ratios.len() - 12..];
    assert!(worst[0].0 > 0, "the counter counts");
    assert!(worst.iter().all(|(ratio, _)| *ratio <= MAX_RATIO), "{worst:#?}");
}

/// An archive with members of these contents.
fn archive(method: CompressionMethod, members: &[String]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, content) in members.iter().enumerate() {
        let name = format!("samples/{number}_epoch_1.json");
        writer.start_file(name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_small_archive_does_not_take_a_large_memory() {
    const LIMIT: u64 = 800 << 20;
    let text = |before: &str, unit: &str, after: &str| repeated(before, unit, after, 16 << 20);
    let shapes = [
        ("blanks", " ".repeat(16 << 20)),
        ("numbers", "{\"messages\":[".to_owned() + &"0,".repeat(8 << 20) + "0]}"),
        ("open lists", "[".repeat(16 << 20)),
        ("messages", text("{\"messages\":[", "{\"role\":\"user\"},", "]}")),
    ];
    for (name, content) in shapes {
        for method in [CompressionMethod::Deflated, CompressionMethod::Zstd] {
            let bytes = archive(method, std::slice::from_ref(&content));
            let peak = peak(&bytes, None);
            assert!(peak < LIMIT, "{name}, {method}: {peak} bytes for {}", bytes.len());
        }
    }
}

#[test]
fn references_of_a_log_are_not_replaced_beyond_a_limit() {
    let long = "x".repeat(1 << 20);
    let message = r#"{"role":"user","content":"attachment://a"},"#;
    let sample = format!(
        "{{\"eval\":{{}},\"status\":\"x\",\"samples\":[{{\"id\":1,\"attachments\":{{\"a\":\"{long}\"}},\"messages\":[{}]}}]}}",
        message.repeat(2_000).trim_end_matches(',')
    );
    let file = transcript::read(sample.as_bytes(), None).unwrap();
    let skipped = &file.transcripts[0].skipped;
    assert_eq!(file.transcripts[0].messages.len(), 2_000);
    assert!(skipped["reference to an attachment beyond the limit"] > 1_000, "{skipped:?}");
}

#[test]
fn a_text_with_too_many_values_is_an_error_with_its_line() {
    let error = |text: &str| transcript::read(text.as_bytes(), None).expect_err("too many");
    let lines = "\n".to_owned() + &"1\n".repeat((1 << 21) + 1);
    assert_eq!(error(&lines).line, Some((1 << 21) + 2));
    let list = "[".to_owned() + &"[],".repeat(1 << 21) + "[]]";
    assert!(error(&list).message.starts_with("the file holds more than 16777216 JSON values"), "{}", error(&list));
    let numbers = "[".to_owned() + &"0,".repeat(1 << 24) + "0]";
    assert!(error(&numbers).message.starts_with("the file holds more than"), "{}", error(&numbers));
}

#[test]
fn kinds_of_skipped_records_are_not_counted_one_by_one_without_end() {
    let message = r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"a"}}"#;
    let kinds: String =
        (0..5_000).map(|number| format!("{{\"type\":\"kind {number}\",\"uuid\":\"k{number}\"}}\n")).collect();
    let file = transcript::read(format!("{message}\n{kinds}").as_bytes(), Some("claude_code")).unwrap();
    let skipped = &file.transcripts[0].skipped;
    assert!(skipped.len() < 300, "{}", skipped.len());
    assert_eq!(skipped.values().sum::<u64>(), 5_000);
}
