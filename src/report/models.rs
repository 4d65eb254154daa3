//! The table of models, as human-readable text and as JSON.

use rust_decimal::prelude::ToPrimitive;
use serde_json::{Value as Json, json};

use super::number::count;
use super::style::TerminalStyle;
use super::table::Table;
use crate::model::{CACHING_RULES, FAMILIES, Lookup, Model};
use crate::quantity::Decimal;

/// The least width at which there is room for the last column.
const MIN_WIDTH: usize = 80;

/// A line for each model: its window, its prices for a million tokens, and its cache and tokenizer.
pub fn models(models: &[Model], style: TerminalStyle) -> String {
    let has_more = style.width >= MIN_WIDTH;
    let head = ["model", "window", "input", "write", "write 1h", "read", "output", "more"];
    let mut table = Table::new(if has_more { &head } else { &head[..7] });
    table.last_is_text = has_more;
    for model in models {
        let price = |of: fn(&crate::model::Prices) -> Decimal| {
            model.prices.as_ref().map_or_else(|| "-".to_owned(), |prices| format!("${}", of(prices).normalize()))
        };
        let prices = [
            price(|price| price.input),
            price(|price| price.cache_write),
            price(|price| price.hour_write),
            price(|price| price.cache_read),
            price(|price| price.output),
        ];
        let first = [model.id.to_string(), count(model.window)].into_iter();
        table.row(first.chain(prices).chain(has_more.then(|| more(model))));
    }
    let mut lines = table.fitted(0, style.width).into_iter();
    let mut out = lines.next().map(|head| format!("{}\n", style.dim(&head))).unwrap_or_default();
    out.extend(lines.map(|line| format!("{line}\n")));
    out += &format!("\n{}", style.wrap(
        "Windows in tokens; list prices in US dollars per million tokens: of uncached input, of writes to the cache for the \
         shortest time and for an hour, of reads from it, and of output.",
        0
    ));
    let is_shown = |name: &str| models.iter().any(|model| model.family == name);
    for family in FAMILIES.iter().filter(|family| is_shown(family.name)) {
        let factor = family.factor();
        let text = format!(
            "Without recorded usage, counts for {} are multiplied by {factor}: {}.",
            family.name, family.source
        );
        out += &style.wrap(&text, 0);
    }
    for rule in CACHING_RULES.iter().filter(|rule| is_shown(rule.family)) {
        out += &style.wrap(&format!("Prompt cache of {}: {}.", rule.family, rule.source), 0);
    }
    out
}

/// What has no column: the long window, the surcharge, the cache, bound reasoning and the tokenizer.
fn more(model: &Model) -> String {
    let long = model.long_window.map(|long| format!("window {} on request", count(long)));
    let surcharge = model.prices.and_then(|prices| prices.surcharge).map(|surcharge| {
        let (input, output) = (surcharge.input.normalize(), surcharge.output.normalize());
        format!("above {} input ×{input}, output ×{output}", count(surcharge.above))
    });
    let cache = model.caching.map(|caching| {
        let lifetime = duration(caching.lifetime);
        format!("caches from {} for {lifetime}", count(caching.minimum))
    });
    let reasoning = model.binds_reasoning.then(|| "binds reasoning".to_owned());
    let tokenizer = model.tokenizer.map(|name| format!("tokenizer {name}"));
    [long, surcharge, cache, reasoning, tokenizer].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Seconds in the largest unit that is whole.
fn duration(seconds: u64) -> String {
    match seconds {
        _ if seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        _ if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// The machine form.
pub fn models_json(models: &[Model]) -> Json {
    let number = |price: Decimal| price.to_f64().map_or(Json::Null, Json::from);
    let json_of = |model: &Model| {
        let prices = model.prices.map(|prices| {
            json!({
                "input": number(prices.input),
                "cache_write": number(prices.cache_write),
                "cache_read": number(prices.cache_read),
                "output": number(prices.output),
                "cache_write_1h": number(prices.hour_write),
                "surcharge": prices.surcharge.map(|surcharge| json!({
                    "above_tokens": surcharge.above,
                    "input_factor": number(surcharge.input),
                    "output_factor": number(surcharge.output),
                })),
            })
        });
        json!({
            "id": model.id,
            "family": model.family,
            "window": model.window,
            "max_output": model.max_output,
            "prices": prices,
            "cache": model.caching.map(|caching| json!({
                "lookup": match caching.lookup {
                    Lookup::LongestPrefix => "longest_prefix",
                    Lookup::Breakpoints { .. } => "breakpoints",
                },
                "minimum_tokens": caching.minimum,
                "step_tokens": caching.step,
                "lifetime_seconds": caching.lifetime,
            })),
            "binds_reasoning": model.binds_reasoning,
            "tokenizer": model.tokenizer,
            "factor": number(crate::model::factor_of(model)),
        })
    };
    json!({ "schema_version": 1, "models": models.iter().map(json_of).collect::<Vec<_>>() })
}
