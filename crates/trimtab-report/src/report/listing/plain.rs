//! A line for each row, with the name of each value: for screen readers and `grep`.

use trimtab_base::source::sanitize;

use super::{Listing, ListingFormat, Section};
use crate::report::Encoding;
use crate::report::style::TerminalStyle;

pub(super) static FORMAT: ListingFormat = ListingFormat {
    name: "plain",
    summary: "One line per row, with the name of each value, for screen readers",
    encoding: Encoding::Text,
    is_streamed: false,
    render,
};

fn render(listing: &Listing, _: TerminalStyle) -> String {
    listing.sections.iter().map(text).collect()
}

fn text(section: &Section) -> String {
    let title = (!section.title.is_empty()).then(|| format!("{}\n", sanitize::one_line(&section.title)));
    let row = |row: &Vec<String>| {
        let cells = section.columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
        let cells = cells.map(|(column, cell)| match column.name {
            "" => sanitize::one_line(cell),
            name => format!("{name}: {}", sanitize::one_line(cell)),
        });
        format!("{}\n", cells.collect::<Vec<_>>().join("; "))
    };
    let notes = section.notes.iter().map(|note| format!("{}\n", sanitize::one_line(note)));
    let rows = section.rows.iter().map(row);
    title.into_iter().chain(rows).chain(notes).chain([section.policy.clone()]).collect()
}
