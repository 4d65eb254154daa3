//! Markdown: the one place that escapes text and writes tables.

use crate::source::sanitize;

/// How a column is aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

/// A table whose cells are Markdown already: see [`escape`] and [`code`].
pub(super) struct Table {
    text: String,
    rows: usize,
}

impl Table {
    pub(super) fn new<'h>(head: impl IntoIterator<Item = (&'h str, Align)>) -> Self {
        let (names, rules): (Vec<String>, Vec<String>) = head
            .into_iter()
            .map(|(name, align)| (name.to_owned(), if align == Align::Left { "---" } else { "---:" }.to_owned()))
            .unzip();
        Self { text: line(&names) + &line(&rules), rows: 0 }
    }

    pub(super) fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.text += &line(&cells.into_iter().collect::<Vec<_>>());
        self.rows += 1;
    }

    /// The table; nothing when it has no rows.
    pub(super) fn unless_empty(self) -> Option<String> {
        (self.rows > 0).then_some(self.text)
    }

    /// The table with or without rows.
    pub(super) fn text(self) -> String {
        self.text
    }
}

fn line<T: AsRef<str>>(cells: &[T]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Several lines in one cell.
pub(super) fn lines<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> String {
    lines.into_iter().map(|line| escape(line.as_ref())).collect::<Vec<_>>().join("<br>")
}

/// Text as code, for a cell or a sentence. Backticks in it become apostrophes.
pub(super) fn code(text: &str) -> String {
    format!("`{}`", sanitize::line(text).replace('`', "'").replace('|', "\\|"))
}

/// A block of preformatted text, fenced so that no line of it can end the block.
pub(super) fn block(language: &str, text: &str) -> String {
    let longest = text.lines().map(|line| line.chars().take_while(|&char| char == '`').count()).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

/// Text for a cell or a sentence. Between backticks only the pipe is special; elsewhere all of Markdown's markup is.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_code = false;
    let pairs = text.matches('`').count() / 2 * 2;
    let mut ticks = 0;
    for char in text.chars() {
        match char {
            '`' if ticks < pairs => {
                ticks += 1;
                is_code = !is_code;
                out.push('`');
            }
            '|' => out += "\\|",
            '\n' | '\r' | '\t' => out.push(' '),
            char if sanitize::is_unsafe(char) => out.push('\u{fffd}'),
            '<' if !is_code => out += "&lt;",
            '&' if !is_code => out += "&amp;",
            '`' | '*' | '_' | '[' | ']' | '\\' | '#' | '~' if !is_code => {
                out.push('\\');
                out.push(char);
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped_outside_code_and_pipes_everywhere() {
        assert_eq!(escape("a|b `c|d_e <x>` <y> _z_"), "a\\|b `c\\|d_e <x>` &lt;y> \\_z\\_");
        assert_eq!(escape("one ` alone"), "one \\` alone");
        assert_eq!(escape("two\nlines"), "two lines");
        assert_eq!(code("a`b|c"), "`a'b\\|c`");
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
}
