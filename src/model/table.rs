//! The embedded table of models.
//!
//! [`find`] looks up an id exactly as the table spells it, by binary search. Rows are parsed on access, not at start.

use std::cmp::Ordering;

use memchr::{memchr, memrchr};
use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::{Model, Prices, Surcharge, caching};

/// The table, sorted by id. Lines that begin with `#` document the columns and the sources.
const TABLE: &str = include_str!("table.tsv");

/// Finds the row with this id.
pub(super) fn find(id: &str) -> Option<Model> {
    let mut rest = TABLE.as_bytes();
    while !rest.is_empty() {
        let middle = rest.len() / 2;
        let start = memrchr(b'\n', &rest[..middle]).map_or(0, |at| at + 1);
        let end = memchr(b'\n', &rest[middle..]).map_or(rest.len(), |at| middle + at + 1);
        let line = rest[start..end].trim_ascii_end();
        match key(line).cmp(id.as_bytes()) {
            Ordering::Equal => return std::str::from_utf8(line).ok().and_then(parse),
            Ordering::Less => rest = &rest[end..],
            Ordering::Greater => rest = &rest[..start],
        }
    }
    None
}

/// Returns all rows in order.
pub(super) fn all() -> impl Iterator<Item = Model> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(parse)
}

/// Returns the ids of all rows in order.
pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    TABLE.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split('\t').next())
}

/// The id at the start of a line.
fn key(line: &[u8]) -> &[u8] {
    memchr(b'\t', line).map_or(line, |at| &line[..at])
}

/// Parses a row. Returns `None` for any other line.
fn parse(line: &'static str) -> Option<Model> {
    let mut columns = line.split('\t');
    let id = columns.next()?;
    let window = columns.next()?.parse().ok()?;
    let long_window = columns.next()?.parse().ok();
    let max_output = columns.next()?.parse().ok();
    let mut decimal = || columns.next().map(|column| column.parse::<Decimal>().ok());
    let (input, cache_write, cache_read, output) = (decimal()?, decimal()?, decimal()?, decimal()?);
    let family = columns.next()?;
    let mut count = || columns.next().map(|column| column.parse::<u64>().ok());
    let (minimum, lifetime, above) = (count()?, count()?, count()?);
    let mut factor = || columns.next().map(|column| column.parse::<Decimal>().ok());
    let (long_input, long_output) = (factor()?, factor()?);
    let binds_reasoning = columns.next()? == "prefix";
    let tokenizer = columns.next().filter(|name| *name != "-");
    let surcharge = || Some(Surcharge { above: above?, input: long_input?, output: long_output? });
    let prices = || {
        let (input, cache_write, cache_read, output) = (input?, cache_write?, cache_read?, output?);
        // The only provider with a price for an hour asks twice the price of uncached input.
        let hour_write = if family == "claude" { input * Decimal::TWO } else { cache_write };
        Some(Prices { input, cache_write, cache_read, hour_write, output, surcharge: surcharge() })
    };
    let prices = prices();
    let caching = caching::of(&caching::Columns { family, prices, minimum, lifetime });
    let (id, family) = (SmolStr::new_static(id), SmolStr::new_static(family));
    Some(Model { id, window, long_window, max_output, prices, family, caching, binds_reasoning, tokenizer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_every_line_is_a_row() {
        let ids: Vec<_> = all().map(|model| model.id).collect();
        let rows = TABLE.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(ids.len(), rows);
        assert!(rows >= 150, "{rows}");
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert!(ids.iter().eq(super::ids().collect::<Vec<_>>().iter()));
        assert!(TABLE.is_ascii());
        assert!(ids.iter().all(|id| *id == id.to_ascii_lowercase().as_str()));
    }

    #[test]
    fn every_row_is_found_by_its_id() {
        for model in all() {
            assert_eq!(find(&model.id), Some(model));
        }
    }

    #[test]
    fn ids_that_are_not_in_the_table_are_not_found() {
        for model in all() {
            assert_eq!(find(&format!("{}!", model.id)), None);
        }
        assert_eq!(find(""), None);
        assert_eq!(find("~"), None);
    }

    #[test]
    fn numbers_of_models_are_plausible() {
        for Model { id, window, long_window, max_output, prices, family, .. } in all() {
            assert!(
                long_window.is_none_or(|long| (window + 1..=10_000_000).contains(&long)),
                "{id} has a long window of {long_window:?}"
            );
            assert!((4_000..=10_000_000).contains(&window), "{id} has a window of {window}");
            assert!(
                max_output.is_none_or(|max| (1_000..=window).contains(&max)),
                "{id} has an output of {max_output:?}"
            );
            assert!(!family.is_empty(), "{id}");
            if let Some(Prices { input, cache_write, cache_read, output, .. }) = prices {
                assert!(cache_read <= input && input <= cache_write && input <= output, "{id}");
                assert!(cache_read > Decimal::ZERO && output <= Decimal::from(1_000), "{id}");
            }
        }
    }

    #[test]
    fn well_known_models_have_their_published_figures() {
        let sonnet = find("claude-sonnet-4-5").expect("a row");
        assert_eq!((sonnet.window, sonnet.max_output, sonnet.family.as_str()), (200_000, Some(64_000), "claude"));
        let prices = sonnet.prices.expect("prices");
        let expected =
            [(prices.input, "3"), (prices.cache_write, "3.75"), (prices.cache_read, "0.3"), (prices.output, "15")];
        for (price, text) in expected {
            assert_eq!(price.to_string(), text);
        }
        assert_eq!(find("gpt-5").map(|model| model.window), Some(272_000));
    }
}
