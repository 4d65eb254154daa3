//! The table of models, as human-readable text and as JSON.

use rust_decimal::prelude::ToPrimitive;
use serde_json::{Value as Json, json};

use super::number::count;
use super::style::TerminalStyle;
use super::table::Table;
use crate::model::{CACHING_RULES, FAMILIES, Lookup, Model};
use crate::quantity::Decimal;

/// A line for each model: its window, and its prices for a million tokens.
pub fn models(models: &[Model], style: TerminalStyle) -> String {
    let mut table = Table::new(&["model", "window", "input", "cache read", "output"]);
    for model in models {
        let price = |of: fn(&crate::model::Prices) -> Decimal| {
            model.prices.as_ref().map_or_else(|| "-".to_owned(), |prices| format!("${}", of(prices).normalize()))
        };
        let (input, read, output) =
            (price(|price| price.input), price(|price| price.cache_read), price(|price| price.output));
        table.row([model.id.to_string(), count(model.window), input, read, output]);
    }
    let mut lines = table.fitted(0, style.width).into_iter();
    let mut out = lines.next().map(|head| format!("{}\n", style.dim(&head))).unwrap_or_default();
    out.extend(lines.map(|line| format!("{line}\n")));
    out += &format!("\n{}", style.wrap("Windows in tokens; list prices in US dollars per million tokens.", 0));
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
