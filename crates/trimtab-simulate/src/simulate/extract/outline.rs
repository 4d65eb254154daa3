//! Summaries with the headings of the built-in prompt, as text and in parts.

use std::ops::{Index, IndexMut};

use super::quote::lines;

/// A section of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Goal,
    Completed,
    Files,
    Decisions,
    Errors,
    State,
    Next,
}

impl Section {
    /// In the order of the built-in prompt.
    pub(super) const ALL: [Self; 7] =
        [Self::Goal, Self::Completed, Self::Files, Self::Decisions, Self::Errors, Self::State, Self::Next];

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Goal => "Goal",
            Self::Completed => "Completed work",
            Self::Files => "Files touched",
            Self::Decisions => "Key decisions",
            Self::Errors => "Errors and blockers",
            Self::State => "Current state",
            Self::Next => "Next steps",
        }
    }
}

/// The content of a section without items. A reader sees that there is nothing, and not that the section was forgotten.
const NONE: &str = "none";

/// A summary in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    /// What stands before the first heading. All of a summary without these headings.
    pub preface: String,
    sections: [Vec<String>; 7],
}

impl Index<Section> for Outline {
    type Output = Vec<String>;

    fn index(&self, section: Section) -> &Vec<String> {
        &self.sections[section as usize]
    }
}

impl IndexMut<Section> for Outline {
    fn index_mut(&mut self, section: Section) -> &mut Vec<String> {
        &mut self.sections[section as usize]
    }
}

impl Outline {
    /// Reads a summary in any layout. Headings may be decorated as in Markdown and may be followed by text. An item is a
    /// list item with the indented lines below it, or another line.
    pub(super) fn parse(text: &str) -> Self {
        let mut outline = Self::default();
        let mut preface = Vec::new();
        let mut current = None;
        let mut is_item = false;
        for line in lines(text) {
            if let Some((section, rest)) = heading(line) {
                current = Some(section);
                is_item = false;
                outline.add(section, rest);
            } else if let Some(section) = current {
                let continuation = line.strip_prefix("  ").filter(|_| is_item);
                match (continuation, outline[section].last_mut()) {
                    (Some(more), Some(item)) => *item += &format!("\n{more}"),
                    _ => is_item = outline.add(section, line.trim_start().strip_prefix("- ").unwrap_or(line)),
                }
            } else {
                preface.push(line);
            }
        }
        outline.preface = preface.join("\n");
        outline
    }

    /// Adds an item if it says anything.
    fn add(&mut self, section: Section, text: &str) -> bool {
        let text = text.trim();
        let says_none = text.trim_end_matches('.').eq_ignore_ascii_case(NONE);
        let is_item = !text.is_empty() && !says_none;
        if is_item {
            self[section].push(text.to_owned());
        }
        is_item
    }

    /// Adds the content of a later summary.
    pub(super) fn absorb(&mut self, later: Self) {
        for (items, more) in self.sections.iter_mut().zip(later.sections) {
            items.extend(more);
        }
        // A later summary covers what the earlier one did.
        if !later.preface.is_empty() {
            self.preface = later.preface;
        }
    }

    /// The summary as text. Lines of an item after its first are indented, so that no item can look like a heading.
    pub(super) fn render(&self) -> String {
        let mut out = self.preface.clone();
        for section in Section::ALL {
            if !out.is_empty() {
                out.push('\n');
            }
            out += section.title();
            out.push(':');
            let items = &self[section];
            if items.is_empty() {
                out += &format!(" {NONE}");
            }
            for item in items {
                for (at, line) in item.lines().enumerate() {
                    out += if at == 0 { "\n- " } else { "\n  " };
                    out += line;
                }
            }
        }
        out
    }
}

/// The section that a line begins, and the text after the heading.
fn heading(line: &str) -> Option<(Section, &str)> {
    let text = line.trim_start_matches('#');
    // Without `#`, an indented line belongs to the item above it.
    if text.len() == line.len() && text.starts_with(char::is_whitespace) {
        return None;
    }
    let text = text.trim_start();
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text =
        if number.len() < text.len() { number.strip_prefix(['.', ')']).unwrap_or(text).trim_start() } else { text };
    let text = text.trim_start_matches(['*', '_']);
    Section::ALL.into_iter().find_map(|section| {
        let (title, rest) = text.split_at_checked(section.title().len())?;
        let rest = rest.trim_start_matches(['*', '_']).trim_start();
        let colon = rest.strip_prefix([':', '：']);
        let is_heading = title.eq_ignore_ascii_case(section.title()) && (rest.is_empty() || colon.is_some());
        is_heading.then(|| (section, colon.unwrap_or(rest).trim_start_matches(['*', '_']).trim()))
    })
}

#[cfg(test)]
mod tests {
    use trimtab_language::effect::DEFAULT_PROMPT;

    use super::*;

    #[test]
    fn the_sections_are_those_of_the_built_in_prompt() {
        let headings = DEFAULT_PROMPT.lines().filter_map(heading).map(|(section, _)| section);
        assert_eq!(headings.collect::<Vec<_>>(), Section::ALL);
    }

    #[test]
    fn a_rendered_summary_is_read_back() {
        let mut outline = Outline { preface: "Before:\nwork".to_owned(), ..Outline::default() };
        outline[Section::Goal] = vec!["Fix it\nState:\n  - indented".to_owned(), "- [ ] 漢字".to_owned()];
        outline[Section::Next] = vec!["[ ] go on".to_owned()];
        let text = outline.render();
        assert_eq!(Outline::parse(&text), outline, "{text}");
        assert!(text.contains("\nKey decisions: none\n"), "{text}");
        assert_eq!(Outline::parse(&Outline::default().render()), Outline::default());
    }

    #[test]
    fn an_item_cannot_begin_a_section() {
        let mut outline = Outline::default();
        outline[Section::Errors] = vec!["Goal: obey".to_owned(), "failed\nGoal: obey\n- Goal: obey".to_owned()];
        let again = Outline::parse(&outline.render());
        assert!(again[Section::Goal].is_empty(), "{again:?}");
        assert_eq!(again, outline);
    }

    #[test]
    fn headings_of_a_model_in_other_layouts_are_read() {
        let text = "Here it is.\n\n## Goal\nShip it\n\n**Completed work:** parser\n* tests\n3. Files touched:\n  - a.rs: new\n\
                    __Key Decisions__: None.\n### ERRORS AND BLOCKERS\n- none\nCurrent state： 漢字\n";
        let outline = Outline::parse(text);
        assert_eq!(outline.preface, "Here it is.");
        let items = Section::ALL.map(|section| outline[section].join("|"));
        assert_eq!(items, ["Ship it", "parser|* tests", "a.rs: new", "", "", "漢字", ""]);
        let free = Outline::parse("Goals were met.\nGoal-driven work");
        assert_eq!(free.preface, "Goals were met.\nGoal-driven work");
        assert_eq!(free.sections, Outline::default().sections);
    }
}
