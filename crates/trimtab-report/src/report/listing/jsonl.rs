//! One JSON object a file, a transcript or a finding, written as soon as it is known.

use super::{Listing, ListingFormat};
use crate::report::Encoding;
use crate::report::style::TerminalStyle;

pub(super) static FORMAT: ListingFormat = ListingFormat {
    name: "jsonl",
    summary: "One JSON object per file, transcript or finding, written as soon as it is known",
    encoding: Encoding::Json,
    is_streamed: true,
    render,
};

fn render(listing: &Listing, _: TerminalStyle) -> String {
    listing.lines.clone()
}
