//! The table of models, as human-readable text and as JSON.

use rust_decimal::prelude::ToPrimitive;
use serde_json::{Value as Json, json};
use trimtab_base::quantity::Decimal;
use trimtab_model::model::{
    CACHING_RULES, FAMILIES, Family, Lookup, Model, PriceList, Prices, ServiceFactors, family_of,
};

use super::number::count;
use super::style::TerminalStyle;
use super::table::Table;

/// The least width at which there is room for the last column.
const MIN_WIDTH: usize = 80;

/// A line for each model: its window, its prices for a million tokens, and its cache and tokenizer.
pub fn models(models: &[Model], style: TerminalStyle) -> String {
    let has_more = style.width >= MIN_WIDTH;
    let head = ["model", "window", "input", "write", "write 1h", "read", "output", "more"];
    let mut table = Table::new(if has_more { &head } else { &head[..7] });
    table.last_is_text = has_more;
    for model in models {
        let price = |of: fn(&Prices) -> Decimal| {
            let prices = model.prices.as_ref().map(|prices| &prices.current);
            prices.map_or_else(|| "-".to_owned(), |prices| format!("${}", of(prices).normalize()))
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
    let has_shown =
        |family: &Family| models.iter().any(|model| family_of(model).is_some_and(|own| std::ptr::eq(own, family)));
    for family in FAMILIES.iter().filter(|family| has_shown(family)) {
        let factor = family.factor();
        let text = format!(
            "Without recorded usage, counts for {} are multiplied by {factor}: {}.",
            family.models, family.source
        );
        out += &style.wrap(&text, 0);
    }
    for rule in CACHING_RULES.iter().filter(|rule| is_shown(rule.family)) {
        out += &style.wrap(&format!("Prompt cache of {}: {}.", rule.family, rule.source), 0);
    }
    out
}

/// What has no column: the long window, prices of long contexts and earlier ones, the cache, bound reasoning and the tokenizer.
fn more(model: &Model) -> String {
    let long = model.long_window.map(|long| format!("window {} on request", count(long)));
    let surcharge = model.prices.as_ref().and_then(|prices| prices.current.long).map(|long| {
        let (input, output) = (long.input.normalize(), long.output.normalize());
        format!("above {} input ${input}, output ${output}", count(long.above))
    });
    let former = model.prices.as_ref().and_then(|prices| prices.former.last());
    let former = former.map(|former| format!("other prices before {}", former.until));
    let cache = model.caching.map(|caching| {
        let lifetime = duration(caching.lifetime);
        format!("caches from {} for {lifetime}", count(caching.minimum))
    });
    let reasoning = model.binds_reasoning.then(|| "binds reasoning".to_owned());
    let tokenizer = model.tokenizer.map(|name| format!("tokenizer {name}"));
    [long, surcharge, former, cache, reasoning, tokenizer].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// Seconds in the largest unit that is whole.
fn duration(seconds: u64) -> String {
    match seconds {
        _ if seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        _ if seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// A price as a JSON number.
fn number(price: Decimal) -> Json {
    price.to_f64().map_or(Json::Null, Json::from)
}

/// The current prices, the factors on them, and those that were replaced.
fn prices_json(list: &PriceList) -> Json {
    let mut json = dollars(&list.current);
    let ServiceFactors { fast, us, priority, flex } = list.factors;
    let factors = [("fast", fast), ("us", us), ("priority", priority), ("flex", flex)];
    let factors = factors.into_iter().filter_map(|(name, factor)| Some((name.to_owned(), number(factor?)))).collect();
    json.insert("factors".to_owned(), Json::Object(factors));
    let former = list.former.iter().map(|former| {
        let mut prices = dollars(&former.prices);
        prices.insert("until".to_owned(), former.until.to_string().into());
        Json::Object(prices)
    });
    json.insert("former".to_owned(), former.collect());
    Json::Object(json)
}

/// Prices in dollars per million tokens, with those of a long context.
fn dollars(prices: &Prices) -> serde_json::Map<String, Json> {
    let long = prices.long.map(|long| {
        json!({
            "above_tokens": long.above,
            "input": number(long.input),
            "cache_write": number(long.cache_write),
            "cache_read": number(long.cache_read),
            "output": number(long.output),
            "cache_write_1h": number(long.hour_write),
        })
    });
    [
        ("input", number(prices.input)),
        ("cache_write", number(prices.cache_write)),
        ("cache_read", number(prices.cache_read)),
        ("output", number(prices.output)),
        ("cache_write_1h", number(prices.hour_write)),
        ("long_context", long.into()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

/// The machine form.
pub fn models_json(models: &[Model]) -> Json {
    let json_of = |model: &Model| {
        let prices = model.prices.as_ref().map(prices_json);
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
            "factor": number(trimtab_model::model::factor_of(model)),
        })
    };
    json!({ "schema_version": 1, "models": models.iter().map(json_of).collect::<Vec<_>>() })
}
