//! The later calls that needed what rules had removed from the context.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_simulate::simulate::Trace;

use super::Regret;
use crate::report::figure::{number, rule_name};

/// The later calls that needed what rules had removed from the context.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RegretResult {
    /// Calls made again after their result was reduced or removed.
    pub repeated_calls: Vec<RepeatedResult>,
    /// Calls that quote strings that stood only in content that a rule removed.
    pub quotes: Vec<QuoteResult>,
}

/// A call that was made again.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RepeatedResult {
    /// The call.
    pub call: u64,
    /// The call before which its result was reduced.
    pub reduced: u64,
    /// The rule.
    pub rule: Option<String>,
    /// The tool.
    pub tool: String,
}

/// A call that quotes what was removed.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
#[non_exhaustive]
pub struct QuoteResult {
    /// The call.
    pub call: u64,
    /// The call before which the content was removed.
    pub reduced: u64,
    /// The rule.
    pub rule: Option<String>,
    /// The tool.
    pub tool: String,
    /// The number of quoted strings.
    pub strings: u64,
    /// The characters of the longest of them.
    pub chars: u64,
    /// The longest of them, with `--quotes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl RegretResult {
    pub(super) fn of(trace: &Trace) -> Self {
        let repeated = trace.regret.repeated.iter().map(|one| RepeatedResult {
            call: number(one.call),
            reduced: number(one.reduced),
            rule: rule_name(trace, one.rule),
            tool: one.tool.to_string(),
        });
        let quotes = trace.regret.quotes.iter().map(|quote| QuoteResult {
            call: number(quote.call),
            reduced: number(quote.reduced),
            rule: rule_name(trace, quote.rule),
            tool: quote.tool.to_string(),
            strings: number(quote.strings),
            chars: number(quote.chars),
            text: quote.text.as_ref().map(ToString::to_string),
        });
        Self { repeated_calls: repeated.collect(), quotes: quotes.collect() }
    }

    pub(super) fn counts(&self) -> Regret {
        Regret { repeated_calls: number(self.repeated_calls.len()), quotes: number(self.quotes.len()) }
    }
}
