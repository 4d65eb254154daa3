//! The notes below a report: those that change how its figures are read, and those that `--verbose` adds.

use crate::report::number::plural;
use crate::report::style::TerminalStyle;

/// The notes below a report, in their order.
#[derive(Debug, Default)]
pub(super) struct NoteList {
    shown: Vec<String>,
    details: Vec<String>,
}

impl NoteList {
    /// Adds notes that change how the figures are read, or say what to do. Each fits in one line unless it contains names.
    pub(super) fn show(&mut self, notes: impl IntoIterator<Item = String>) {
        self.shown.extend(notes);
    }

    /// Adds notes on how the figures were obtained, and on what they show anyway.
    pub(super) fn detail(&mut self, notes: impl IntoIterator<Item = String>) {
        self.details.extend(notes);
    }

    /// The notes, and how many are left out.
    pub(super) fn text(&self, is_verbose: bool, style: TerminalStyle) -> String {
        let details: &[String] = if is_verbose { &self.details } else { &[] };
        let mut out: String = self.shown.iter().chain(details).map(|note| style.wrap(note, 2)).collect();
        if !is_verbose && !self.details.is_empty() {
            let more = format!("{} with --verbose", plural(self.details.len(), "more note"));
            out += &format!("{}\n", style.dim(style.wrap(&more, 2).trim_end()));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_counted_unless_they_are_shown() {
        let style = TerminalStyle { width: 80, color: false, unicode: true };
        let mut notes = NoteList::default();
        notes.show(["Shown.".to_owned()]);
        assert_eq!(notes.text(false, style), "  Shown.\n");
        notes.detail(["Detail.".to_owned()]);
        assert_eq!(notes.text(false, style), "  Shown.\n  1 more note with --verbose\n");
        assert_eq!(notes.text(true, style), "  Shown.\n  Detail.\n");
    }
}
