//! One JSON object.

use super::{Listing, ListingFormat};
use crate::report::Encoding;
use crate::report::style::TerminalStyle;

pub(super) static FORMAT: ListingFormat =
    ListingFormat { name: "json", summary: "One JSON object", encoding: Encoding::Json, is_streamed: false, render };

fn render(listing: &Listing, _: TerminalStyle) -> String {
    listing.json.clone()
}
