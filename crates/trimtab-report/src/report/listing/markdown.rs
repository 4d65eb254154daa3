//! Tables in Markdown.

use super::{ColumnKind, Listing, ListingFormat, Section};
use crate::report::Encoding;
use crate::report::markdown::{Align, Table, block, code, escape};
use crate::report::style::TerminalStyle;

pub(super) static FORMAT: ListingFormat = ListingFormat {
    name: "markdown",
    summary: "Tables, for an issue or a comment",
    encoding: Encoding::Text,
    is_streamed: false,
    render,
};

fn render(listing: &Listing, _: TerminalStyle) -> String {
    listing.sections.iter().map(text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn text(section: &Section) -> String {
    let mut blocks = Vec::new();
    if !section.title.is_empty() {
        blocks.push(format!("### {}\n", escape(&section.title)));
    }
    let align = |kind| if kind == ColumnKind::Number { Align::Right } else { Align::Left };
    let mut table = Table::new(section.columns.iter().map(|column| (column.name, align(column.kind))));
    for row in &section.rows {
        table.row(section.columns.iter().zip(row).map(|(column, cell)| match column.kind {
            ColumnKind::File | ColumnKind::Name if !cell.is_empty() => code(cell),
            _ => escape(cell),
        }));
    }
    blocks.extend(table.unless_empty());
    if !section.notes.is_empty() {
        blocks.push(section.notes.iter().map(|note| format!("- {}\n", escape(note))).collect());
    }
    if !section.policy.is_empty() {
        blocks.push(block("text", &section.policy));
    }
    blocks.join("\n")
}
