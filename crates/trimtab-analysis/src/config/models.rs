//! Reads `[models]`: models that the embedded table lacks, and other values for those that it has.

use smol_str::SmolStr;
use toml::de::{DeString, DeValue};
use trimtab_base::quantity::{Decimal, Unit};
use trimtab_base::source::Span;
use trimtab_model::model::{self, CACHING_RULES, ModelChanges, Models, Surcharge, TOKENIZERS};

use super::error;
use super::value::{Reader, Value};

const KNOWN: &[&str] = &[
    "like",
    "family",
    "window",
    "long_window",
    "max_output",
    "input",
    "cache_write",
    "cache_write_1h",
    "cache_read",
    "output",
    "surcharge",
    "cache_minimum",
    "cache_lifetime",
    "binds_reasoning",
    "tokenizer",
];

/// The keys about a cache.
const CACHE_KEYS: &[&str] = &["cache_write", "cache_write_1h", "cache_read", "cache_minimum", "cache_lifetime"];

impl Reader {
    pub(super) fn models(&mut self, value: &Value<'_>) -> Models {
        let Some(table) = self.map(value, "`[models]`") else { return Models::default() };
        let entries: Vec<(&toml::Spanned<DeString<'_>>, &Value<'_>)> = table.iter().collect();
        Models::with(entries.into_iter().filter_map(|(name, value)| self.model(name, value)).collect::<Vec<_>>())
    }

    fn model(&mut self, name: &toml::Spanned<DeString<'_>>, value: &Value<'_>) -> Option<model::Model> {
        let (id, span) = (name.get_ref().as_ref(), self.span(name.span()));
        let (mut changes, mut like) = (ModelChanges::default(), None);
        let mut cache_key = None;
        for (key, key_span, value) in self.table(value, "a model", KNOWN) {
            if CACHE_KEYS.contains(&key) {
                cache_key = cache_key.or(Some((key, key_span)));
            }
            match key {
                "like" => like = self.text(value, "`like`"),
                _ => self.model_value(key, value, &mut changes),
            }
        }
        let row = match &like {
            None => model::find(id),
            Some(like) => Some(model::find(&like.node).or_else(|| {
                self.diagnostics.push(error::unknown_model(like));
                None
            })?),
        };
        let model =
            changes.apply(id, row.as_ref()).map_err(|key| self.diagnostics.push(missing(span, id, key))).ok()?;
        if let Some((key, span)) = cache_key.filter(|_| model.caching.is_none()) {
            self.diagnostics.push(error::no_cache(span, &model, key));
        }
        Some(model)
    }

    fn model_value(&mut self, key: &'static str, value: &Value<'_>, changes: &mut ModelChanges) {
        let what = format!("`{key}`");
        match key {
            "family" => changes.family = self.family(value),
            "window" => changes.window = self.at_least_one_token(value, &what),
            "long_window" => changes.long_window = self.at_least_one_token(value, &what),
            "max_output" => changes.max_output = self.at_least_one_token(value, &what),
            "cache_minimum" => changes.cache_minimum = self.at_least_one_token(value, &what),
            "input" => changes.input = self.price(value, &what),
            "cache_write" => changes.cache_write = self.price(value, &what),
            "cache_write_1h" => changes.hour_write = self.price(value, &what),
            "cache_read" => changes.cache_read = self.price(value, &what),
            "output" => changes.output = self.price(value, &what),
            "surcharge" => changes.surcharge = self.surcharge(value),
            "cache_lifetime" => {
                changes.cache_lifetime = self.quantity(value, &what, Unit::Duration).map(|time| time.node.to_u64());
            }
            "binds_reasoning" => changes.binds_reasoning = self.flag(value, &what),
            _ => {
                let words: Vec<_> = TOKENIZERS.iter().map(|name| (*name, *name)).collect();
                changes.tokenizer = self.choice(value, &what, &words);
            }
        }
    }

    /// A family with a rule for its cache, or `other`.
    fn family(&mut self, value: &Value<'_>) -> Option<SmolStr> {
        let names = CACHING_RULES.iter().map(|rule| rule.family).chain(["other"]);
        let words: Vec<_> = names.map(|name| (name, name)).collect();
        self.choice(value, "`family`", &words).map(SmolStr::new_static)
    }

    fn at_least_one_token(&mut self, value: &Value<'_>, what: &str) -> Option<u64> {
        let written = self.quantity(value, what, Unit::Tokens)?;
        self.some_tokens(written).map(|tokens| tokens.node)
    }

    /// A price for a million tokens.
    fn price(&mut self, value: &Value<'_>, what: &str) -> Option<Decimal> {
        self.quantity(value, what, Unit::Money).map(|price| price.node.amount)
    }

    fn surcharge(&mut self, value: &Value<'_>) -> Option<Surcharge> {
        let (mut above, mut input, mut output) = (None, Decimal::ONE, Decimal::ONE);
        for (key, _, value) in self.table(value, "a surcharge", &["above", "input", "output"]) {
            let what = format!("`{key}`");
            let mut share = || self.quantity(value, &what, Unit::Share).map_or(Decimal::ONE, |share| share.node.amount);
            match key {
                "input" => input = share(),
                "output" => output = share(),
                _ => above = self.at_least_one_token(value, &what),
            }
        }
        let span = self.span(value.span());
        if above.is_none() {
            self.diagnostics.push(error::missing_key(span, "a surcharge", "above", "above = \"200k tokens\""));
        }
        Some(Surcharge { above: above?, input, output })
    }

    fn flag(&mut self, value: &Value<'_>, what: &str) -> Option<bool> {
        let DeValue::Boolean(flag) = value.get_ref() else {
            self.wrong(value, what, "`true` or `false`");
            return None;
        };
        Some(*flag)
    }
}

/// A value that a model in no table must have.
fn missing(span: Span, id: &str, key: &'static str) -> trimtab_base::diagnostic::Diagnostic {
    let sample = match key {
        "window" => "window = \"128k tokens\"",
        "input" => "input = \"$3\"",
        _ => "output = \"$15\"",
    };
    error::missing_key(span, &format!("the new model `{id}`"), key, sample)
}
