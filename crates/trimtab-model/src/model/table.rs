//! The embedded table of models.
//!
//! [`find`] looks up an id exactly as the table spells it, by binary search. Rows are parsed on access, not at start.

use std::cmp::Ordering;
use std::str::Split;
use std::sync::Arc;

use memchr::{memchr, memrchr};
use rust_decimal::Decimal;
use smol_str::SmolStr;

use super::{FormerPrices, LongPrices, Model, PriceList, Prices, ServiceFactors, caching};

/// The table, sorted by id. Lines that begin with `#` document the columns and the sources.
const TABLE: &str = include_str!("table.tsv");

/// The prices that were replaced, sorted by id and day.
const FORMER: &str = include_str!("former_prices.tsv");

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
    let base = array(&mut columns)?;
    let family = columns.next()?;
    let mut count = || columns.next().map(|column| column.parse::<u64>().ok());
    let (minimum, lifetime) = (count()?, count()?);
    let current = prices(family, base, (long_above(&mut columns)?, array(&mut columns)?));
    let factors = factors(columns.next()?);
    let binds_reasoning = columns.next()? == "prefix";
    let tokenizer = columns.next().filter(|name| *name != "-");
    let caching = caching::of(&caching::Columns { family, prices: current, minimum, lifetime });
    let prices = current.map(|current| PriceList { current, former: former(id, family), factors });
    let (id, family) = (SmolStr::new_static(id), SmolStr::new_static(family));
    Some(Model { id, window, long_window, max_output, prices, family, caching, binds_reasoning, tokenizer })
}

/// The column of the largest context without prices of its own; zero if there are none.
fn long_above(columns: &mut Split<'_, char>) -> Option<u64> {
    columns.next().map(|column| column.parse().unwrap_or(0))
}

/// Returns the prices of calls and of those with a long context, or `None` if one of input, writes, reads and output is
/// unknown.
fn prices(family: &str, base: [Option<Decimal>; 4], (above, long): (u64, [Option<Decimal>; 4])) -> Option<Prices> {
    // The only provider with a price for an hour asks twice the price of uncached input.
    let hour_write =
        |[input, cache_write, ..]: [Decimal; 4]| if family == "claude" { input * Decimal::TWO } else { cache_write };
    let long = complete(long).map(|long @ [input, cache_write, cache_read, output]| {
        let hour_write = hour_write(long);
        LongPrices { above, input, cache_write, cache_read, hour_write, output }
    });
    complete(base).map(|base @ [input, cache_write, cache_read, output]| {
        let hour_write = hour_write(base);
        Prices { input, cache_write, cache_read, hour_write, output, long }
    })
}

/// Four columns with prices.
fn array(columns: &mut Split<'_, char>) -> Option<[Option<Decimal>; 4]> {
    let mut next = || columns.next().map(|column| column.parse().ok());
    Some([next()?, next()?, next()?, next()?])
}

/// The four prices if all are known.
fn complete([input, cache_write, cache_read, output]: [Option<Decimal>; 4]) -> Option<[Decimal; 4]> {
    Some([input?, cache_write?, cache_read?, output?])
}

/// The factors of a column such as `fast=2,us=1.1`.
fn factors(column: &str) -> ServiceFactors {
    let mut factors = ServiceFactors::default();
    for (name, factor) in column.split(',').filter_map(|entry| entry.split_once('=')) {
        let factor = factor.parse().ok();
        match name {
            "fast" => factors.fast = factor,
            "us" => factors.us = factor,
            "priority" => factors.priority = factor,
            "flex" => factors.flex = factor,
            _ => {}
        }
    }
    factors
}

/// The prices of a model that were replaced, oldest first.
fn former(id: &str, family: &str) -> Arc<[FormerPrices]> {
    let rows = FORMER.lines().filter_map(|line| line.split_once('\t')).filter(|(of, _)| *of == id);
    rows.filter_map(|(_, row)| {
        let mut columns = row.split('\t');
        let until = columns.next()?.parse().ok()?;
        let base = array(&mut columns)?;
        let long = (long_above(&mut columns)?, array(&mut columns)?);
        Some(FormerPrices { until, prices: prices(family, base, long)? })
    })
    .collect()
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
            let Some(prices) = prices else { continue };
            let former = prices.former.iter().map(|former| former.prices);
            for Prices { input, cache_write, cache_read, output, long, .. } in former.chain([prices.current]) {
                assert!(cache_read <= input && input <= cache_write && input <= output, "{id}");
                assert!(cache_read > Decimal::ZERO && output <= Decimal::from(1_000), "{id}");
                let Some(long) = long else { continue };
                assert!(long.input > input && long.cache_read > cache_read && long.output > output, "{id}");
            }
        }
    }

    #[test]
    fn replaced_prices_belong_to_models_and_are_in_order() {
        let rows: Vec<_> = FORMER.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(rows.is_sorted() && rows.len() >= 10);
        let listed: usize = all().filter_map(|model| model.prices).map(|prices| prices.former.len()).sum();
        assert_eq!(listed, rows.len());
    }

    #[test]
    fn every_factor_has_a_known_name() {
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let column = line.split('\t').nth(16).expect("a column");
            let known = factors(column);
            let known = [known.fast, known.us, known.priority, known.flex].into_iter().flatten().count();
            assert_eq!(known, column.split(',').filter(|entry| *entry != "-").count(), "{line}");
        }
    }

    #[test]
    fn well_known_models_have_their_published_figures() {
        let sonnet = find("claude-sonnet-4-5").expect("a row");
        assert_eq!((sonnet.window, sonnet.max_output, sonnet.family.as_str()), (200_000, Some(64_000), "claude"));
        let prices = sonnet.prices.expect("prices").current;
        let expected =
            [(prices.input, "3"), (prices.cache_write, "3.75"), (prices.cache_read, "0.3"), (prices.output, "15")];
        for (price, text) in expected {
            assert_eq!(price.to_string(), text);
        }
        assert_eq!(find("gpt-5").map(|model| model.window), Some(272_000));
    }
}
