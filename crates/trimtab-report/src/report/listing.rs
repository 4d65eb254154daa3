//! Reports made of sections with rows, in every output format, one file a format.
//!
//! The report on a thing builds a [`Listing`] from it; the formats know nothing of the thing.
//! A format is one file and two lines here: `mod` and the entry in [`LISTING_FORMATS`].

mod human;
mod json;
mod jsonl;
mod markdown;
mod plain;

use serde::Serialize;

use super::encoding::{Encoding, Rendered, pretty};
use super::style::TerminalStyle;

/// An output format of listings.
#[derive(Debug)]
pub struct ListingFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its help text.
    pub summary: &'static str,
    /// How it writes characters that act on what displays them.
    encoding: Encoding,
    /// Whether the listing of each file is written as soon as the file is read.
    pub is_streamed: bool,
    /// The listing in this format.
    render: fn(&Listing, TerminalStyle) -> String,
}

impl ListingFormat {
    /// A listing in this format.
    pub fn render(&self, listing: &Listing, style: TerminalStyle) -> Rendered {
        self.encoding.finish((self.render)(listing, style))
    }
}

/// The formats, in the order of the help; the first is the default.
pub static LISTING_FORMATS: &[&ListingFormat] =
    &[&human::FORMAT, &plain::FORMAT, &json::FORMAT, &jsonl::FORMAT, &markdown::FORMAT];

/// A report made of sections.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The sections in the order of output.
    sections: Vec<Section>,
    /// The whole report as one JSON object.
    json: String,
    /// The report as JSON lines.
    lines: String,
}

impl Listing {
    /// A report with its result for programs, and the parts of that which are a line each.
    pub(super) fn new(sections: Vec<Section>, result: &impl Serialize, parts: &[impl Serialize]) -> Self {
        let line = |part| serde_json::to_string(part).unwrap_or_default() + "\n";
        Self { sections, json: pretty(result), lines: parts.iter().map(line).collect() }
    }

    /// Leaves out texts of policies.
    pub(super) fn drop_policy(&mut self) {
        self.sections.iter_mut().for_each(|section| section.policy.clear());
    }
}

/// A title, a table, notes and the text of a policy. Each may be empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Section {
    pub(super) title: String,
    pub(super) columns: Vec<Column>,
    /// The cells, as many in each row as there are columns.
    pub(super) rows: Vec<Vec<String>>,
    pub(super) notes: Vec<String>,
    /// Printed as it is.
    pub(super) policy: String,
}

/// A column of a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) kind: ColumnKind,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnKind {
    /// A file or a transcript, which may be shortened where there is no room.
    File,
    /// A tool or another name.
    Name,
    /// A number.
    Number,
    /// A text, which may be wrapped where there is no room.
    Text,
    /// A short text, the end of which may be left out where there is no room.
    Label,
}

impl Column {
    pub(super) const fn file(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::File }
    }

    pub(super) const fn name(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Name }
    }

    pub(super) const fn number(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Number }
    }

    pub(super) const fn label(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Label }
    }

    pub(super) const fn text(name: &'static str) -> Self {
        Self { name, kind: ColumnKind::Text }
    }
}
