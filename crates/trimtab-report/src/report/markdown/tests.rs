use std::sync::LazyLock;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};
use proptest::prelude::*;

use super::*;
use crate::report::Encoding;

#[test]
fn markup_is_escaped_outside_code() {
    assert_eq!(escape("a|b `c|d_e <x>` <y> _z_"), "a\\|b `c|d_e <x>` &lt;y> \\_z\\_");
    assert_eq!(escape("one ` alone"), "one \\` alone");
    assert_eq!(escape("two\nlines"), "two lines");
}

#[test]
fn a_code_span_has_longer_fences_than_its_content() {
    let codes = ["a", "a`b|c", "``", " a ", "", "` `"].map(code);
    assert_eq!(codes, ["`a`", "``a`b|c``", "``` `` ```", "`  a  `", "` `", "`` ` ` ``"]);
    assert_eq!(escape("a ``x`y`` b"), "a ``x`y`` b");
    assert_eq!(escape("`` ` ``"), "`` ` ``");
    assert_eq!(escape("```x` y"), "\\`\\`\\`x\\` y");
    assert_eq!(escape("@a`b`c"), "`@ab`c");
}

#[test]
fn words_that_viewers_search_for_are_code() {
    for word in
        ["@org/team", "#12", "o/r#1", "GH-7", "https://x.y", "WWW.x.y", "a@b.c", ":tada:", "f:100:2", "$x$", "!3"]
    {
        assert_eq!(escape(&format!("a {word} b")), format!("a `{word}` b"));
    }
    for text in ["at 12:30:45", "p.trim:3:14", "$0.12 of $3.40", "a @ b", "80%: x", "a: b: c"] {
        assert_eq!(escape(text), text);
    }
}

#[test]
fn text_at_the_start_of_a_line_begins_no_block() {
    let texts = ["- a", "+ a", "---", "===", "> a", "1. a", "2)", "/close", "-5%", "+3", "1.5", "1.x"].map(escape);
    let safe = ["\\- a", "\\+ a", "\\---", "\\===", "\\> a", "1\\. a", "2\\)", "\\/close", "-5%", "+3", "1.5", "1.x"];
    assert_eq!(texts, safe);
}

#[test]
fn a_pipe_ends_no_cell() {
    assert_eq!(["a|b", "a\\|b", "a\\\\|b"].map(cell_text), ["a\\|b", "a\\|b", "a\\\\\\|b"]);
}

#[test]
fn a_table_aligns_its_columns() {
    let mut table = Table::new([("rule", Align::Left), ("fired", Align::Right)]);
    table.row(["`a`", "2"]);
    assert_eq!(table.text(), "| rule | fired |\n| --- | ---: |\n| `a` | 2 |\n");
    assert_eq!(Table::new([("rule", Align::Left)]).unless_empty(), None);
}

#[test]
fn a_code_block_may_contain_fences() {
    assert_eq!(block("text", "a\n```\nb\n"), "````text\na\n```\nb\n````\n");
}

/// What GitHub and GitLab read, as far as it is in the tree.
fn options() -> Options<'static> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    (extension.table, extension.strikethrough, extension.autolink, extension.tasklist) = (true, true, true, true);
    (extension.footnotes, extension.alerts, extension.math_dollars, extension.math_code) = (true, true, true, true);
    options
}

/// The kinds of the nodes of a page, and the text in it without backticks and blanks.
fn read(markdown: &str) -> (Vec<&'static str>, String) {
    let arena = Arena::new();
    let page = Encoding::Text.finish(markdown);
    let (mut kinds, mut all) = (Vec::new(), String::new());
    for node in parse_document(&arena, &page, &options()).descendants() {
        match &node.data.borrow().value {
            NodeValue::Text(text) => {
                assert!(!SEARCHED.is_match(text), "{text:?} in {markdown:?}");
                all += text;
            }
            NodeValue::Code(code) => all += &code.literal,
            NodeValue::CodeBlock(block) => {
                kinds.push("block");
                all += &block.literal;
            }
            NodeValue::Document => {}
            NodeValue::Paragraph => kinds.push("paragraph"),
            NodeValue::Heading(_) => kinds.push("heading"),
            NodeValue::List(_) => kinds.push("list"),
            NodeValue::Item(_) => kinds.push("item"),
            NodeValue::Table(_) => kinds.push("table"),
            NodeValue::TableRow(_) => kinds.push("row"),
            NodeValue::TableCell => kinds.push("cell"),
            NodeValue::HtmlInline(html) if html == "<br>" => kinds.push("break"),
            _ => kinds.push("other"),
        }
    }
    (kinds, bare(&all))
}

/// What the filters of GitHub find in the rendered text.
static SEARCHED: LazyLock<regex::Regex> = LazyLock::new(|| {
    let patterns = [
        r"(^|[^\w@/])@[A-Za-z0-9]",
        r"(^|\W)#\d",
        r"\bGH-\d",
        r":([a-z][\w+-]*|[+-]1|100|1234):",
        r"https?://",
        r"www\.\w",
    ];
    regex::Regex::new(&patterns.join("|")).expect("a pattern")
});

fn bare(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace() && *char != '`').collect()
}

const PIECES: &[&str] = &[
    "`",
    "``",
    "```",
    "~~~",
    "\\",
    "|",
    " ",
    "  ",
    "    ",
    "\n",
    "\n\n",
    "\r",
    "\t",
    "a",
    "b c",
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "[",
    "]",
    "(",
    ")",
    "!",
    "![i](https://e.example/c)",
    "[l](x)",
    "[^1]",
    "[^1]: f",
    "[l]: x",
    "<",
    ">",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "<img src=x>",
    "<https://e.example>",
    "<script>",
    "&",
    "&amp;",
    "&#64;",
    "#",
    "# h",
    "#12",
    "o/r#7",
    "GH-7",
    "@org/team",
    "@",
    "a@b.example",
    "https://e.example/?a=`b`",
    "www.e.example",
    "ftp://e.example",
    "mailto:a@b",
    ":tada:",
    ":+1:",
    ":100:",
    ":",
    "$",
    "$x$",
    "$`x`$",
    "$5",
    "- ",
    "-",
    "---",
    "===",
    "+ ",
    "* ",
    "1. ",
    "1)",
    "> ",
    "- [ ] t",
    "| a | b |",
    "|---|---|",
    "/close",
    "{{x}}",
    "::error::x",
    "##[error]x",
    "[!NOTE]",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{200b}",
    "\u{feff}",
    "é",
    "日本",
    "👩\u{200d}💻",
    "\u{2028}",
    "\u{a0}",
];

proptest! {
    #[test]
    fn a_text_is_only_text_and_code_wherever_it_is(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..9)) {
        let text = pieces.concat();
        // The characters that the last step replaces are not the subject.
        let text = Encoding::Text.finish(text.replace(['\r', '\n', '\u{2028}'], " ")).into_string();
        let text = format!("{text}.");
        let expected = bare(&text);
        prop_assert_eq!(read(&escape(&text)), (vec!["paragraph"], expected.clone()));
        prop_assert_eq!(read(&code(&text)), (vec!["paragraph"], expected.clone()));
        prop_assert_eq!(read(&format!("### {}\n", escape(&text))), (vec!["heading"], expected.clone()));
        prop_assert_eq!(read(&format!("- {}\n", escape(&text))), (vec!["list", "item", "paragraph"], expected.clone()));
    }

    #[test]
    fn a_text_stays_in_its_cell(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..9)) {
        let text = pieces.concat();
        let mut table = Table::new([("a", Align::Left), ("b", Align::Left), ("c", Align::Left)]);
        table.row([escape(&text), code(&text), lines([&text, &text])]);
        let (kinds, _) = read(&table.text());
        prop_assert_eq!(kinds, ["table", "row", "cell", "cell", "cell", "row", "cell", "cell", "cell", "break"]);
    }

    #[test]
    fn a_block_ends_where_its_text_ends(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 1..9)) {
        let text = pieces.concat();
        let (kinds, _) = read(&format!("{}\nend\n", block("text", &text)));
        prop_assert_eq!(kinds, ["block", "paragraph"]);
    }
}
