//! The structure of a page of Markdown as GitHub renders it.

use std::sync::LazyLock;

use comrak::nodes::NodeValue;
use comrak::{Arena, Options, parse_document};

/// What GitHub finds in the text of a page after rendering it: mentions, issues, addresses, emoji.
static SEARCHED: LazyLock<regex::Regex> = LazyLock::new(|| {
    regex::Regex::new(r"(^|[^\w@/])@[A-Za-z0-9]|(^|\W)#\d|\bGH-\d|:([a-z][\w+-]*|[+-]1|100):|https?://|www\.\w")
        .unwrap()
});

/// The nodes of a page other than text and code, in order.
#[track_caller]
pub(super) fn structure(markdown: &str) -> Vec<String> {
    let mut options = Options::default();
    let extension = &mut options.extension;
    (extension.table, extension.strikethrough, extension.autolink, extension.tasklist) = (true, true, true, true);
    (extension.footnotes, extension.alerts, extension.math_dollars, extension.math_code) = (true, true, true, true);
    let arena = Arena::new();
    let mut all = Vec::new();
    for node in parse_document(&arena, markdown, &options).descendants() {
        match &node.data.borrow().value {
            NodeValue::Text(text) => assert!(!SEARCHED.is_match(text), "{text:?} in {markdown}"),
            NodeValue::Code(_) | NodeValue::SoftBreak => {}
            // A list in a cell is as long as the results are, which depend on the size of the text.
            NodeValue::HtmlInline(html) if html == "<br>" => {}
            NodeValue::CodeBlock(block) => all.push(format!("code {}", block.info)),
            NodeValue::HtmlInline(html) => all.push(html.clone()),
            NodeValue::HtmlBlock(block) => all.push(block.literal.clone()),
            NodeValue::Link(link) | NodeValue::Image(link) => all.push(format!("link {}", link.url)),
            other => all.push(format!("{other:?}").split(['(', ' ']).next().unwrap_or_default().to_owned()),
        }
    }
    all
}
