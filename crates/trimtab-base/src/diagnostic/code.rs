//! Codes, the kinds of findings, and the pages that describe them.

use super::Severity;

/// A kind of finding, with its entry in the reference. An id is never reused.
#[derive(Debug)]
pub struct Code {
    /// The stable id, such as `E301`; the hundreds are the stage.
    pub id: &'static str,
    /// The default severity.
    pub severity: Severity,
    /// A few words, such as `number without a unit`.
    pub title: &'static str,
    /// Why this is a finding, in a few sentences.
    pub why: &'static str,
    /// A policy with this finding; tests check it.
    pub wrong: &'static str,
    /// The corrected policy; tests check it.
    pub right: &'static str,
}

impl Code {
    /// A code with the title, the reason and the examples of its page.
    ///
    /// The page is a Markdown file:
    ///
    /// ````markdown
    /// # E301: number without a unit
    ///
    /// The reason, on one line.
    ///
    /// ## Wrong
    ///
    /// ```trim
    /// a policy with this finding
    /// ```
    ///
    /// ## Right
    ///
    /// ```trim
    /// the corrected policy
    /// ```
    /// ````
    ///
    /// # Panics
    /// The page has another form or is about another code; a `static` with such a page does not compile.
    pub const fn new(id: &'static str, severity: Severity, page: &'static str) -> Self {
        let (title, rest) = line(after(after(after(page, "# "), id), ": "));
        let (why, rest) = line(after(rest, "\n"));
        let (wrong, rest) = example(after(rest, "\n## Wrong\n\n```"));
        let (right, rest) = example(after(rest, "\n## Right\n\n```"));
        assert!(rest.is_empty(), "the page continues after its right example");
        Self { id, severity, title, why, wrong, right }
    }
}

/// The example in a fenced block, whose opening line starts with its language, and the text after the block.
const fn example(text: &str) -> (&str, &str) {
    let (_language, text) = line(text);
    let (example, rest) = text.split_at(find(text, "\n```\n") + 1);
    (example, after(rest, "```\n"))
}

/// The first line, which is not empty, and the text after it.
const fn line(text: &str) -> (&str, &str) {
    let (line, rest) = text.split_at(find(text, "\n"));
    assert!(!line.is_empty(), "a line of the page is empty: its title, its reason, or the language of an example");
    (line, after(rest, "\n"))
}

/// The text after a prefix that it must have.
const fn after<'t>(text: &'t str, prefix: &str) -> &'t str {
    assert!(has_at(text, 0, prefix), "the page is not of the form that `Code::new` describes");
    text.split_at(prefix.len()).1
}

/// Where a part of a text starts.
const fn find(text: &str, part: &str) -> usize {
    let mut at = 0;
    while !has_at(text, at, part) {
        assert!(at < text.len(), "a line or an example of the page does not end");
        at += 1;
    }
    at
}

const fn has_at(text: &str, at: usize, part: &str) -> bool {
    let (text, part) = (text.as_bytes(), part.as_bytes());
    let mut matching = 0;
    while matching < part.len() && at + matching < text.len() && text[at + matching] == part[matching] {
        matching += 1;
    }
    matching == part.len()
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    const PAGE: &str = "# E1: a title\n\nA `reason`.\n\n## Wrong\n\n```trim\nédition 1\n\nx\n```\n\n\
                        ## Right\n\n```trim\ny\n```\n";

    #[test]
    fn a_page_has_the_title_the_reason_and_the_examples_of_its_code() {
        let code = Code::new("E1", Severity::Error, PAGE);
        assert_eq!((code.title, code.why), ("a title", "A `reason`."));
        assert_eq!((code.wrong, code.right), ("édition 1\n\nx\n", "y\n"));
    }

    #[test]
    fn a_page_of_another_form_or_of_another_code_is_rejected() {
        let changes = [
            ("# E1", "# E2"),
            ("# E1", "E1"),
            ("a title", ""),
            ("A `reason`.", ""),
            ("`reason`.", "`reason`,\non two lines."),
            ("Wrong", "wrong"),
            ("\n## Right", "More.\n\n## Right"),
            ("y\n```\n", "y\n"),
            ("y\n```\n", "y\n```\n\nMore.\n"),
            ("```trim\ny", "```\ny"),
            ("\n", "\r\n"),
        ];
        for (part, other) in changes {
            let page: &'static str = PAGE.replace(part, other).leak();
            assert_ne!(page, PAGE);
            let made = catch_unwind(|| Code::new("E1", Severity::Error, page));
            assert!(made.is_err(), "{page}\n{made:?}");
        }
    }
}
