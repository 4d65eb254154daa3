//! Findings in texts that are hard to draw, at several terminal widths.

use trimtab::diagnostic::{Code, Diagnostic, Severity};
use trimtab::report::{self, TerminalStyle};
use trimtab::source::{SourceId, SourceMap, Span};
use unicode_width::UnicodeWidthStr;

use crate::golden::snapshot;

static CODE: Code = Code { id: "U001", severity: Severity::Error, title: "unit", why: "", wrong: "", right: "" };

const WIDE: TerminalStyle = TerminalStyle { width: 100, color: false, unicode: true };

/// The span of the first occurrence of these words.
fn at(sources: &SourceMap, id: SourceId, words: &str) -> Span {
    let start = sources.get(id).unwrap().text().find(words).unwrap();
    Span::new(id, start, start + words.len())
}

fn one(text: &str, words: &str, here: &str) -> (SourceMap, Diagnostic) {
    let mut sources = SourceMap::default();
    let id = sources.add("a.trim", text);
    let span = at(&sources, id, words);
    (sources, Diagnostic::new(&CODE, span, "something is wrong", here))
}

fn target() -> (SourceMap, Diagnostic) {
    let (sources, id) = (SourceMap::default(), SourceId(0));
    let mut sources = sources;
    sources.add("policies/coder.trim", "\n\n\n\n\n\n  when ratio > 80\n");
    let span = at(&sources, id, "80");
    let message = "`ratio` is a share of the window; `80` means 8000 %";
    let one = Diagnostic::new(&CODE, span, message, "no unit")
        .label(at(&sources, id, "ratio"), "`ratio` has type share, domain 0%..150%")
        .note("as written the rule can never fire (ratio cannot exceed 150%)")
        .help("write a percentage")
        .fix("write `80%`", true, span, "80%");
    (sources, one)
}

#[test]
fn a_finding_is_drawn_with_all_its_parts() {
    let (sources, one) = target();
    let planned = "\
error[U001]: `ratio` is a share of the window; `80` means 8000 %
  --> policies/coder.trim:7:16
   |
 7 |   when ratio > 80
   |        -----   ^^ no unit
   |        `ratio` has type share, domain 0%..150%
   = note: as written the rule can never fire (ratio cannot exceed 150%)
   = help: write a percentage
   |
 7 |   when ratio > 80%
   |                  +
   = more: trimtab explain U001            [fix: safe]
";
    assert_eq!(report::draw(&sources, &one, WIDE).into_string(), planned);
}

/// Texts that are hard to draw, each with a finding.
fn hard() -> Vec<(&'static str, SourceMap, Diagnostic)> {
    let mut all = Vec::new();
    let mut add = |name, (sources, one)| all.push((name, sources, one));
    add("target", target());
    add("tabs", one("\trule\ta { do maks }\n", "maks", "no effect"));
    add("wide characters", one("rule 日本語 { do maks }\n", "maks", "no effect"));
    add("emoji", one("notify \"👩\u{200d}👩\u{200d}👧 ☺\u{fe0f} é e\u{301}\" maks\n", "maks", "no effect"));
    add("escape sequences", one("notify \"\u{1b}[31m\u{202e}\" maks\n", "maks", "no effect"));
    add("empty file", one("", "", "nothing is here"));
    add("end of the file", one("policy p {\n", "", "start"));
    add("carriage returns", one("policy p {\r\n  maks\r\n}\r\n", "maks", "no effect"));
    let (sources, mut end) = one("policy p {\n", "", "");
    end.primary =
        trimtab::diagnostic::Label { span: Span::new(SourceId(0), 11, 11), message: "a `}` is missing".into() };
    add("after the last line break", (sources, end));
    add("several lines", one("rule a {\n  when x\n  do y\n}\n", "rule a {\n  when x\n  do y\n}", "all of this"));
    let long = "rule a {\n  1\n  2\n  3\n  4\n  5\n  6\n}";
    add("many lines", one(long, long, "all of this"));
    let (sources, several) = one("rule a { when alpha and beta or gamma do delta }\n", "gamma", "the third");
    let id = SourceId(0);
    let several = several
        .label(at(&sources, id, "alpha"), "the first, of which there is rather more to be said than of the others")
        .label(at(&sources, id, "beta"), "the second")
        .label(at(&sources, id, "alpha and beta"), "both");
    add("labels that overlap", (sources.clone(), several.clone()));
    let three = Diagnostic { labels: several.labels[..2].to_vec(), ..several };
    add("three labels", (sources, three));
    let (mut sources, other) = one("use \"base.trim\"\nrule a { do x }\n", "rule a", "defined again");
    let base = sources.add("lib/base.trim", "\n\nrule a { do y }\n");
    let other = other.label(at(&sources, base, "rule a"), "first defined here");
    add("two files", (sources, other));
    let (sources, alternatives) = one("do maks\n", "maks", "no effect");
    let span = alternatives.primary.span;
    let words = ["mask", "masks", "make", "max", "trim", "slide", "stop"];
    let alternatives =
        words.iter().fold(alternatives, |one, word| one.fix(format!("write `{word}`"), false, span, *word));
    add("seven alternatives", (sources, alternatives));
    all
}

#[test]
fn texts_with_wide_and_combining_characters_are_drawn() {
    let drawn = |width| {
        let style = TerminalStyle { width, ..WIDE };
        let one = |(name, sources, one): &(&str, SourceMap, Diagnostic)| {
            format!("=== {name}\n{}", report::draw(sources, one, style))
        };
        hard().iter().map(one).collect::<Vec<_>>().join("\n")
    };
    for width in [100, 60, 20] {
        snapshot("report", &format!("drawn_{width}"), &drawn(width));
    }
}

/// The letters of a text without line drawing and line breaks.
fn letters(text: &str) -> String {
    let inside = |line: &str| {
        let line = line.split_once('|').or_else(|| line.split_once(" : ")).map_or(line, |(_, rest)| rest).to_owned();
        line.replace(" = ", " ")
    };
    text.lines().map(inside).collect::<String>().chars().filter(|char| char.is_alphanumeric()).collect()
}

#[test]
fn nothing_is_cut_at_any_width() {
    for (name, sources, one) in hard() {
        for width in [20, 33, 47, 60, 80] {
            let drawn = letters(&report::draw(&sources, &one, TerminalStyle { width, ..WIDE }).into_string());
            let labels = std::iter::once(&one.primary).chain(&one.labels).map(|label| &label.message);
            for text in labels.chain([&one.message]).chain(&one.notes).chain(&one.help) {
                assert!(drawn.contains(&letters(text)), "{name} at {width}: `{text}` in {drawn}");
            }
        }
    }
}

#[test]
fn no_line_is_wider_than_the_terminal_unless_a_word_is() {
    for (name, sources, one) in hard() {
        for width in [40, 60, 80] {
            let drawn = report::draw(&sources, &one, TerminalStyle { width, ..WIDE }).into_string();
            let long: Vec<&str> = drawn.lines().filter(|line| line.width() > width).collect();
            assert!(long.is_empty(), "{name} at {width}: {long:?}");
        }
    }
}

#[test]
fn underlines_are_below_the_marked_text() {
    for name in ["tabs", "wide characters", "emoji", "escape sequences", "carriage returns"] {
        let (_, sources, one) = hard().into_iter().find(|(known, ..)| *known == name).unwrap();
        let drawn = report::draw(&sources, &one, WIDE).into_string();
        let lines: Vec<&str> = drawn.lines().collect();
        let marks = lines.iter().position(|line| line.contains("^^^^")).unwrap();
        let before = lines[marks].split('^').next().unwrap().width();
        let text = lines[marks - 1];
        assert_eq!(text[..text.find("maks").unwrap()].width(), before, "{name}:\n{drawn}");
    }
}

#[test]
fn colour_is_optional_and_changes_no_text() {
    for (name, sources, one) in hard() {
        let plain = report::draw(&sources, &one, WIDE).into_string();
        let painted = report::draw(&sources, &one, TerminalStyle { color: true, ..WIDE }).into_string();
        assert!(!plain.contains('\u{1b}') && painted.contains('\u{1b}'), "{name}");
        let mut text = String::new();
        let mut rest = painted.as_str();
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            text += before;
            rest = after.split_once('m').unwrap().1;
        }
        assert_eq!(text + rest, plain, "{name}");
    }
}

#[test]
fn a_frame_is_drawn_in_ascii() {
    let (sources, one) = target();
    assert!(report::draw(&sources, &one, TerminalStyle { unicode: false, ..WIDE }).into_string().is_ascii());
}

#[test]
fn a_span_outside_its_text_is_still_drawn() {
    for (start, end) in [(0, 99), (99, 120), (1, 2), (3, 1)] {
        let mut sources = SourceMap::default();
        let id = sources.add("a.trim", "ä\nb");
        let span = Span { source: id, start, end };
        let one = Diagnostic::new(&CODE, span, "wrong", "here").fix("so", true, span, "x\ny");
        for form in report::FINDING_FORMATS {
            let findings = [one.clone().into()];
            let none = std::collections::BTreeMap::new();
            let all = report::Findings {
                sources: &sources,
                findings: &findings,
                failing: &[],
                files: 1,
                unread: &[],
                codes: &[],
                version: "0.0.0",
                root: "",
                bytes: &none,
                style: WIDE,
                quiet: false,
            };
            assert!(!form.render(&all).is_empty(), "{}", form.name);
        }
    }
}
