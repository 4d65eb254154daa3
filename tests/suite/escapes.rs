//! Hostile text in every field of every input, and every output form of every verb.
//!
//! Each text is compared with a harmless one of the same shape: letters, digits and blanks stay, and everything else is `x`.

mod commands;
mod markdown;
mod project;

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::cli::{Output, Run};
use commands::Form;
use project::Project;

/// What acts on a terminal, reverses text, is not seen, or is a command in a log.
const TERMINAL: &str = "T\u{1b}[31mred\u{1b}[0m\u{1b}]0;title\u{7}\u{1b}]8;;https://e.example\u{1b}\\l\u{7f}\u{9b}1m\u{85}\u{8}\u{202e}r\u{2066}\
                        i\u{200b}\u{200e}\u{61c}\u{feff}\u{2060}\u{e0041}\u{ad}\u{fe0f}\u{200d}\u{fff9}\u{2028}\u{2029} ##[error]e ::warning::w";
/// Lines that would be taken for lines of the program or for commands.
const LINES: &str = "n\n::error::x\nFORGED line\n  ##vso[task.complete]\n\tFORGED too\r\nend";
/// What would end an element, a comment or a string.
const MARKUP: &str = "]]></script><!-- <script>alert(1)</script> <b a='x' \"> <img src=x onerror=y> &amp; \\\" \\n";
/// What would be markup, a link, a picture, a mention or a reference.
const MARKDOWN: &[&str] = &[
    "``` ` ![i](https://e.example/c) <b>x</b> @org/team",
    "` <img src=https://e.example/x> ``",
    "[l](https://e.example) https://e.example/?q www.e.example a@e.example #12 o/r#3 GH-4 :tada: $x$",
    "\n\n# heading\n\n- item\n\n```\nfence\n```\n\n| a | b |\n|---|---|\n| c | d |\n\n[^1]: note [^1]",
    "| a \\| b ` | c ` || > q ~~s~~ **b** _e_ \\",
    "\r\n> [!NOTE]\r\n> quote\r\n***\r\n<details open>",
];
/// What a spreadsheet computes.
const FORMULAS: &[&str] = &["=HYPERLINK(\"https://e.example\")", "+1+cmd|' /C calc'!A0", "@SUM(1)", "-2+3", "\t=1"];

/// A harmless text of the same shape.
fn harmless(text: &str) -> String {
    text.chars().map(|char| if char.is_ascii_alphanumeric() || char == ' ' { char } else { 'x' }).collect()
}

/// The outputs of all commands whose form is wanted, on a project with a text.
fn outputs(text: &str, options: &[&str], wanted: impl Fn(Form) -> bool) -> BTreeMap<String, (Form, Output)> {
    let project = Project::new(text);
    let commands: Vec<(String, Form)> = commands::all().filter(|(_, form)| wanted(*form)).collect();
    let (left, done) = (Mutex::new(commands), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let Some((line, form)) = left.lock().unwrap().pop() else { break };
                    let words = line.split(' ').map(|word| project.argument(word));
                    let home = project.folder.path();
                    let run = Run::new(words).current_dir(home).home(home);
                    let output = options.iter().fold(run, |run, option| run.arg(*option)).output();
                    assert!((0..=2).contains(&output.code), "{line}: {}", output.err);
                    let is_needed = matches!(form, Form::Markdown | Form::Xml | Form::Csv | Form::Page);
                    assert!(!is_needed || !output.out.is_empty(), "{line}: {}", output.err);
                    done.lock().unwrap().insert(line, (form, output));
                }
            });
        }
    });
    done.into_inner().unwrap()
}

/// Whether a character may be in text for people.
fn is_printable(char: char) -> bool {
    let is_hidden = matches!(
        char,
        '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    );
    !is_hidden && (!char.is_control() || matches!(char, '\n' | '\t'))
}

#[track_caller]
fn assert_printable(line: &str, text: &str) {
    let wrong = text.lines().find(|line| !line.chars().all(is_printable));
    assert_eq!(wrong.map(|wrong| wrong.escape_debug().to_string()), None, "{line}");
    assert!(!text.contains("##[") && !text.contains("##vso["), "{line}: {text}");
}

/// A text without the colours of the program.
fn without_colour(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // The last ones are those of usage errors.
        let codes = [
            "[33m",
            "[4m",
            "[1m\u{1b}[4m",
            "[0m",
            "[1m",
            "[2m",
            "[31m",
            "[32m",
            "[1;31m",
            "[1;33m",
            "[1;34m",
            "[1;36m",
        ];
        out += codes.iter().find_map(|code| piece.strip_prefix(code)).unwrap_or_else(|| panic!("{piece:?} after ESC"));
    }
    out
}

const IS_TEXT: fn(Form) -> bool = |form| matches!(form, Form::Text | Form::Commands | Form::Markdown);

#[test]
fn text_for_people_has_only_printable_characters_and_the_colours_of_the_program() {
    let plain = outputs(TERMINAL, &["--width", "500"], IS_TEXT);
    let coloured = outputs(TERMINAL, &["--width", "500", "--color", "always"], IS_TEXT);
    for (line, (_, output)) in &plain {
        assert_printable(line, &output.out);
        assert_printable(line, &output.err);
        let (_, other) = &coloured[line];
        assert_eq!(without_colour(&other.out), output.out, "{line}");
        assert_eq!(without_colour(&other.err), output.err, "{line}");
    }
    assert!(plain.values().filter(|(_, output)| output.out.contains('\u{fffd}')).count() > 40, "the text is printed");
}

#[test]
fn a_usage_error_has_no_escape_sequence_of_an_argument() {
    let lines =
        ["validate --format", "validate --nonsense", "simulate --window", "rules --category", "explain --color"];
    // One at a time: what is unsafe in any other way must not hide a complete sequence.
    for text in ["\u{1b}[31mred\u{1b}[0m", "\u{1b}]0;title\u{7}", "\u{1b}[2Jx", "\u{9b}31mred", "a\u{7}", "a\u{202e}b"]
    {
        for line in lines {
            for argument in [format!("{line}={text}"), format!("{line} {text}"), format!("{line}{text}")] {
                for color in ["always", "never"] {
                    let words = argument.split(' ').chain(["--color", color]);
                    let output = Run::new(words).output().exits_with(2);
                    assert_printable(&argument, &without_colour(&output.err));
                }
            }
        }
    }
}

#[test]
fn a_line_break_in_a_text_begins_no_line_and_no_command() {
    let all = outputs(LINES, &["--width", "2000"], IS_TEXT);
    let mut wrong = Vec::new();
    for (line, (form, output)) in &all {
        for text in [&output.out, &output.err] {
            assert_printable(line, text);
            for shown in text.lines() {
                // What has several lines is indented or has a gutter.
                let is_line = shown.starts_with("FORGED");
                let is_command =
                    shown.trim_start().strip_prefix("::").is_some_and(|name| name.starts_with(char::is_alphabetic));
                let is_own =
                    ["error", "warning", "notice"].iter().any(|kind| shown.starts_with(&format!("::{kind} title=")));
                if is_line || is_command && !(*form == Form::Commands && is_own) {
                    wrong.push(format!("{line}: {shown}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn formats_for_programs_are_valid_and_keep_their_data() {
    for text in [TERMINAL, LINES, MARKUP] {
        for (line, (form, output)) in outputs(text, &[], |form| matches!(form, Form::Json | Form::Lines | Form::Xml)) {
            assert!(
                output.out.lines().all(|line| line.chars().all(is_printable)),
                "{line}: {}",
                output.out.escape_debug()
            );
            assert!(output.out.lines().all(|line| !line.trim_start().starts_with("::")), "{line}: {}", output.out);
            match form {
                Form::Lines => output.out.lines().for_each(|line| drop(json(line))),
                Form::Json if !output.out.is_empty() => drop(json(&output.out)),
                Form::Xml => drop(elements(&output.out)),
                _ => {}
            }
        }
    }
    let all = outputs(TERMINAL, &[], |form| form == Form::Json);
    let keeps = |output: &Output| !output.out.is_empty() && has_text(&json(&output.out), TERMINAL);
    assert!(all.values().filter(|(_, output)| keeps(output)).count() > 5);
}

/// Whether a text is in a JSON value as it was in the input.
fn has_text(json: &serde_json::Value, text: &str) -> bool {
    match json {
        serde_json::Value::String(string) => string.contains(text),
        serde_json::Value::Array(all) => all.iter().any(|one| has_text(one, text)),
        serde_json::Value::Object(all) => all.iter().any(|(key, one)| key.contains(text) || has_text(one, text)),
        _ => false,
    }
}

#[track_caller]
fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The names of the elements of an XML document, in order.
#[track_caller]
fn elements(text: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let elements = document.descendants().filter(roxmltree::Node::is_element);
    elements.map(|element| element.tag_name().name().to_owned()).collect()
}

#[test]
fn pictures_and_pages_have_no_element_of_a_text() {
    let is_markup = |form| matches!(form, Form::Xml | Form::Page);
    for text in [MARKUP, TERMINAL, LINES] {
        let (hostile, tame) = (outputs(text, &[], is_markup), outputs(&harmless(text), &[], is_markup));
        for (line, (form, output)) in &hostile {
            let other = &tame[line].1.out;
            if *form == Form::Xml {
                assert_eq!(elements(&output.out), elements(other), "{line}");
                continue;
            }
            let (page, data) = parts(&output.out);
            assert_eq!(page, parts(other).0, "{line}");
            assert!(!data.contains(['<', '>', '&']) && data.chars().all(is_printable), "{line}: {data}");
            json(&data);
        }
    }
}

/// A page without its data, and the data.
fn parts(page: &str) -> (String, String) {
    let (before, rest) = page.split_once(" id=\"data\">").unwrap();
    let (data, after) = rest.split_once("</script>").unwrap();
    (format!("{before}{after}"), data.to_owned())
}

#[test]
fn markdown_has_no_markup_of_a_text() {
    for text in MARKDOWN.iter().chain([&MARKUP, &LINES]) {
        let (hostile, tame) = (
            outputs(text, &[], |form| form == Form::Markdown),
            outputs(&harmless(text), &[], |form| form == Form::Markdown),
        );
        for (line, (_, output)) in &hostile {
            let (own, other) = (markdown::structure(&output.out), markdown::structure(&tame[line].1.out));
            let same = own.iter().zip(&other).take_while(|(a, b)| a == b).count();
            assert!(own == other, "{line}: {:?} for {:?} in:\n{}", own.get(same), other.get(same), output.out);
        }
    }
}

#[test]
fn a_table_for_spreadsheets_has_no_formula() {
    for text in FORMULAS {
        for (line, (_, output)) in outputs(text, &[], |form| form == Form::Csv) {
            for cell in output.out.split([',', '\n', '"']) {
                let starts = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
                assert!(!starts || cell.parse::<f64>().is_ok() || cell == "\r", "{line}: {cell:?} in {}", output.out);
            }
        }
    }
}
