//! White space: a line break can replace any space, and line endings of every kind are read or reported.

use std::fs;

use trimtab::host::Files;
use trimtab::pipeline::{self, Compiled};
use trimtab::syntax;

/// The policies of the project, and one with the constructs that they do not use.
fn policies() -> Vec<(String, String)> {
    let folder = |folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = folder("policies").chain(folder("examples"));
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "trim"));
    let read = |path: std::path::PathBuf| (path.display().to_string(), fs::read_to_string(&path).unwrap());
    let mut all: Vec<(String, String)> = files.map(read).collect();
    let more = "edition 2026\nlet busy = 60%\nlet few = 3 messages\npolicy base { sealed rule s { do notify \"s\" }\n  rule r { \
                when failures >= 3 results do notify \"x\" then notify \"y\" once cooldown 3 iterations limit 2 } }\npolicy p \
                \"p\" extends base { override rule r before s { no once no limit when known(reported.ratio) and not \
                repeats(within: 5 calls, in: run) >= 2 calls or (call.name ?? \"x\") in [bash, \"b c\"] until context.messages \
                < few every 2 iterations } disable rule r2 \"why\" }\n";
    all.push(("more.trim".to_owned(), more.replace(" disable rule r2 \"why\"", "").replace(" before s", "")));
    all
}

fn compiled(name: &str, text: &str) -> Compiled {
    pipeline::compile_with(name, text, &mut Files::around(name))
}

/// The meaning of a text, without spans.
fn meaning(name: &str, text: &str) -> Option<Vec<serde_json::Value>> {
    let checked = compiled(name, text).checked?;
    let rules = checked.policies.iter().flat_map(|policy| &policy.rules).map(trimtab::plan::meaning);
    let tests =
        checked.tests.iter().map(|case| serde_json::json!([case.name, case.expected.len(), case.given.calls()]));
    Some(rules.chain(tests).collect())
}

/// The offsets of single spaces between tokens, outside of texts and comments.
fn blanks(text: &str) -> Vec<usize> {
    let (mut places, mut rest) = (Vec::new(), 0);
    let bytes = text.as_bytes();
    while rest < bytes.len() {
        let after = &text[rest..];
        rest += match bytes[rest] {
            b'#' => after.find('\n').unwrap_or(after.len()),
            b'"' if after.starts_with("\"\"\"") => after[3..].find("\"\"\"").map_or(after.len(), |end| end + 6),
            b'"' => {
                let mut end = 1;
                while bytes[rest + end] != b'"' || bytes[rest + end - 1] == b'\\' {
                    // An interpolation may contain quotes.
                    if bytes[rest + end] == b'{' {
                        end += text[rest + end..].find('}').unwrap();
                    }
                    end += 1;
                }
                end + 1
            }
            b' ' => {
                places.push(rest);
                1
            }
            _ => 1,
        };
    }
    places
}

#[test]
fn a_line_break_or_a_comment_can_replace_any_space() {
    let mut tried = 0;
    for (name, text) in policies() {
        let wanted =
            meaning(&name, &text).unwrap_or_else(|| panic!("{name}: {:#?}", compiled(&name, &text).diagnostics));
        for at in blanks(&text) {
            // There is no token between the spaces of an indentation.
            if text[..at].ends_with([' ', '\n']) || text[at + 1..].starts_with([' ', '#']) {
                continue;
            }
            for between in ["\n", " # why\n", "\r\n\t"] {
                let broken = format!("{}{between}{}", &text[..at], &text[at + 1..]);
                let line = text[..at].lines().last().unwrap_or_default();
                assert_eq!(meaning(&name, &broken).as_ref(), Some(&wanted), "{name}: {between:?} after `{line}`");
            }
            tried += 1;
        }
    }
    assert!(tried > 500, "{tried} blanks");
}

#[test]
fn crlf_means_the_same_as_lf_and_lone_carriage_returns_are_one_error_with_a_fix() {
    for (name, text) in policies() {
        let wanted = meaning(&name, &text);
        assert_eq!(meaning(&name, &text.replace('\n', "\r\n")), wanted, "{name}");
        let old = compiled(&name, &text.replace('\n', "\r"));
        let codes: Vec<&str> = old.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect();
        assert_eq!((codes.as_slice(), old.checked.is_none()), (&["E113"][..], true), "{name}");
        let mut fixed = text.replace('\n', "\r");
        for edit in old.diagnostics[0].fixes[0].edits.iter().rev() {
            fixed.replace_range(edit.span.range(), &edit.text.repeat(edit.span.range().len()));
        }
        assert_eq!(fixed, text, "{name}");
    }
}

#[test]
fn text_after_a_lone_carriage_return_in_a_comment_is_parsed() {
    let text = "edition 2026 # the year\rpolcy p { # here\r  rule a { do notfy \"x\" }\n}\n";
    let source = trimtab::source::Source::new(trimtab::source::SourceId(0), "x.trim", text);
    let (file, found) = syntax::parse(&source);
    let codes: Vec<&str> = found.iter().map(|finding| finding.code.id).collect();
    assert_eq!(codes, ["E113", "E101"]);
    assert_eq!(file.items.len(), 2, "{file:#?}");
    assert!(found.iter().all(|finding| text.get(finding.primary.span.range()).is_some()));
}
