//! The verdict in a terminal and in Markdown.

use super::block::{Tone, VerdictBlock, VerdictLine};
use crate::report::markdown::escape;
use crate::report::number::capitalised;
use crate::report::style::TerminalStyle;
use crate::report::table::{cut_in_the_middle, display_width};
use crate::report::wrap::fold;

/// The spaces between the label of a line and its text.
const GAP: usize = 2;

impl VerdictBlock {
    /// The verdict in a terminal.
    pub(in super::super) fn text(&self, style: TerminalStyle) -> String {
        let title = style.dim(style.wrap(&self.title, 0).trim_end());
        let heading = style.emphasis(style.wrap(&capitalised(&self.heading), 0).trim_end());
        let labels = self.lines.iter().map(|line| display_width(line.label)).max().unwrap_or_default();
        let lines: String = self.lines.iter().map(|line| line.text(labels, style)).collect();
        let text = format!("{heading}\n{title}\n\n{lines}\n");
        if style.unicode { text } else { text.replace('→', "->").replace('±', "+/-") }
    }

    /// The outcome in a sentence, with the calls over the window and those that stops prevent, if there are any, and the figures of
    /// cost and tokens.
    pub(in super::super) fn sentence(&self) -> String {
        let before = self.lines.iter().filter(|line| line.comes_first);
        self.sentence_with(before.chain(self.lines.iter().filter(|line| line.is_compared)))
    }

    /// The outcome in a sentence, with the first compared figures only: those of the cost, or of the tokens if the cost is unknown.
    pub(in super::super) fn short_sentence(&self) -> String {
        let before = self.lines.iter().filter(|line| line.comes_first);
        self.sentence_with(before.chain(self.lines.iter().filter(|line| line.is_compared).take(1)))
    }

    /// The outcome, with the calls over the window and those that stops prevent, if there are any.
    pub(in super::super) fn outcome(&self) -> String {
        let before = self.lines.iter().filter(|line| line.comes_first);
        let before = before.map(|line| format!("; {} {}", line.label, line.plain()));
        format!("{}{}", self.heading, before.collect::<String>())
    }

    /// The outcome with the figures of these lines.
    fn sentence_with<'a>(&self, lines: impl Iterator<Item = &'a VerdictLine>) -> String {
        let figures: Vec<String> = lines.map(|line| format!("{} {}", line.label, line.plain())).collect();
        let heading = capitalised(&self.heading);
        if figures.is_empty() { format!("{heading}.") } else { format!("{heading}: {}.", figures.join("; ")) }
    }

    /// A line as cells of a table: its figures with their note, and the change; empty if there is no such line.
    pub(in super::super) fn cells(&self, label: &str) -> [String; 2] {
        let Some(line) = self.lines.iter().find(|line| line.label == label) else { return Default::default() };
        let figures = [line.figures.as_str(), &line.note];
        let figures: Vec<&str> = figures.into_iter().filter(|part| !part.is_empty()).collect();
        [escape(&figures.join(", ")), escape(&line.change)]
    }

    /// The verdict in Markdown.
    pub(in super::super) fn markdown(&self) -> String {
        let line = |line: &VerdictLine| format!("- **{}**: {}\n", line.label, escape(&line.plain()));
        let lines: String = self.lines.iter().map(line).collect();
        format!("**{}** ({})\n\n{lines}", escape(&capitalised(&self.heading)), escape(&self.title))
    }
}

impl VerdictLine {
    /// The figures, the change and the note, separated by commas.
    fn plain(&self) -> String {
        let parts = [self.figures.as_str(), &self.change, &self.note];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }

    /// The line for a terminal: the label, then the text with the change in colour.
    fn text(&self, labels: usize, style: TerminalStyle) -> String {
        let indent = 2 + labels + GAP;
        let room = style.width.saturating_sub(indent).max(20);
        let blanks = " ".repeat(labels - display_width(self.label) + GAP);
        let change = match self.tone {
            Tone::Good => style.success(&self.change),
            Tone::Bad => style.failure(&self.change),
            Tone::Neutral => self.change.clone(),
        };
        let parts = [self.figures.as_str(), &change, &self.note];
        let whole = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        let words: Vec<String> = whole.split(' ').map(|word| cut_in_the_middle(word, room)).collect();
        let folded = fold(&words.join(" "), room).join(&format!("\n{}", " ".repeat(indent)));
        format!("  {}{blanks}{folded}\n", style.dim(self.label))
    }
}
