//! The table of models has the prices of a public table, of which an extract is committed.

use std::collections::BTreeMap;

use trimtab::model::{self, Prices};
use trimtab::quantity::Decimal;

/// Models whose row differs from the extract, and why.
const DIFFERENT: [(&str, &str); 2] = [
    ("mistral-small", "the source means an older model of this name"),
    ("qwen-plus", "its price depends on the context in more steps than one"),
];

/// A row of the extract: the prices of input, writes, reads and output, and those above a context.
type Row = ([Option<Decimal>; 4], Option<u64>, [Option<Decimal>; 4]);

fn extract() -> BTreeMap<String, Row> {
    let text = include_str!("../cost/litellm.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    rows.map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let prices = |from: usize| [0, 1, 2, 3].map(|at| columns[from + at].parse().ok());
        (columns[0].to_owned(), (prices(1), columns[5].parse().ok(), prices(6)))
    })
    .collect()
}

/// What a row states of prices in the order of the extract. Cache prices that it lacks are the price of input.
fn stated(prices: [Option<Decimal>; 4]) -> [Option<Decimal>; 4] {
    let [input, write, read, output] = prices;
    [input, write.or(input), read.or(input), output]
}

fn of(prices: Prices) -> [Option<Decimal>; 4] {
    [prices.input, prices.cache_write, prices.cache_read, prices.output].map(Some)
}

#[test]
fn prices_are_those_of_the_public_table() {
    let mut wrong = Vec::new();
    for (id, (base, ..)) in extract() {
        let prices = model::find(&id).and_then(|model| model.prices).map(|prices| prices.current);
        let is_known = DIFFERENT.iter().any(|(different, _)| *different == id);
        if prices.map(of) != Some(stated(base)) && !is_known {
            wrong.push(format!("{id}: {:?}, listed {:?}", prices.map(of), stated(base)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_listed_price_of_a_long_context_is_in_the_table() {
    let mut seen = 0;
    for (id, (_, above, listed)) in extract() {
        let long = model::find(&id).and_then(|model| model.prices).and_then(|prices| prices.current.long);
        assert_eq!(long.map(|long| long.above), above, "{id}");
        let Some(long) = long else { continue };
        seen += 1;
        let [input, _, read, output] = listed;
        assert_eq!([Some(long.input), Some(long.output)], [input, output], "{id}");
        assert!(read.is_none_or(|read| read == long.cache_read), "{id}");
    }
    assert!(seen >= 20, "{seen}");
}

#[test]
fn exceptions_are_needed() {
    let listed = extract();
    for (id, _) in DIFFERENT {
        let prices = model::find(id).and_then(|model| model.prices).map(|prices| of(prices.current));
        if let Some((base, ..)) = listed.get(id) {
            assert_ne!(prices, Some(stated(*base)), "{id} no longer differs");
        }
    }
}
