//! For a terminal: aligned tables.

use trimtab_base::source::sanitize;

use super::{Column, ColumnKind, Listing, ListingFormat, Section};
use crate::report::Encoding;
use crate::report::style::TerminalStyle;
use crate::report::table::Table;

pub(super) static FORMAT: ListingFormat = ListingFormat {
    name: "human",
    summary: "Tables for a terminal",
    encoding: Encoding::Text,
    is_streamed: false,
    render,
};

fn render(listing: &Listing, style: TerminalStyle) -> String {
    let sections = listing.sections.iter().map(|section| text(section, style));
    sections.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

fn text(section: &Section, style: TerminalStyle) -> String {
    let mut out = String::new();
    if !section.title.is_empty() {
        out += &format!("{}\n", style.emphasis(style.wrap(&sanitize::one_line(&section.title), 0).trim_end()));
    }
    if !section.rows.is_empty() {
        let indent = if section.title.is_empty() { 0 } else { 2 };
        let mut table = table(section);
        if section.columns.first().is_some_and(|first| first.kind == ColumnKind::File) {
            let ends_with_label = section.columns.last().is_some_and(|last| last.kind == ColumnKind::Label);
            table.shorten_names(indent, style.width, ends_with_label);
        }
        let mut lines = table.fitted(indent, style.width).into_iter();
        out.extend(lines.next().map(|head| format!("{}\n", style.dim(&head))));
        out.extend(lines.map(|line| format!("{line}\n")));
    }
    for note in &section.notes {
        out += &style.wrap(&sanitize::one_line(note), if section.title.is_empty() { 0 } else { 2 });
    }
    out + &section.policy
}

fn table(section: &Section) -> Table {
    let names: Vec<&str> = section.columns.iter().map(|column| column.name).collect();
    let mut table = Table::new(&names);
    let is_text = |column: &Column| column.kind != ColumnKind::Number;
    table.last_is_text = section.columns.last().is_some_and(is_text);
    table.is_text = section.columns.iter().all(is_text);
    for row in &section.rows {
        table.row(row.iter().map(|cell| sanitize::one_line(cell)));
    }
    table
}
