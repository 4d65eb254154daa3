//! A sweep in every output format of `trimtab sweep`, one file a format.
//!
//! A format is one file and two lines here: `mod` and the entry in [`SWEEP_FORMATS`].

mod html;
mod human;
mod json;
mod markdown;
mod wording;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trimtab_analysis::sweep::{Split, Sweep};
use trimtab_base::quantity::Decimal;

use super::encoding::{Encoding, Rendered};
use super::read_count::ReadCount;
use super::replay_result::ReplayError;
use super::style::TerminalStyle;

/// An output format of `trimtab sweep`.
#[derive(Debug)]
pub struct SweepFormat {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its help text.
    pub summary: &'static str,
    /// How it writes characters that act on what displays them.
    encoding: Encoding,
    /// Whether it is a web page, which is not for a terminal.
    pub is_page: bool,
    /// The sweep in this format.
    render: fn(&SweepReport<'_>) -> String,
}

impl SweepFormat {
    /// The final form of everything in this format.
    pub fn render(&self, all: &SweepReport<'_>) -> Rendered {
        self.encoding.finish((self.render)(all))
    }
}

/// The formats, in the order of the help; the first is the default.
pub static SWEEP_FORMATS: &[&SweepFormat] = &[&human::FORMAT, &json::FORMAT, &markdown::FORMAT, &html::FORMAT];

/// The places of numbers in JSON.
pub(super) const PLACES: u32 = 9;

/// A varied constant and its values.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
pub struct SweptParameter {
    /// Its name as given.
    pub name: String,
    /// Its value in the file as written.
    pub written: String,
    /// The values that it was given.
    pub values: Vec<String>,
}

/// Everything that the formats read.
#[derive(Clone, Copy, Debug)]
pub struct SweepReport<'a> {
    /// The policy file as the user gave it.
    pub file: &'a str,
    /// The name of the policy.
    pub policy: &'a str,
    /// The varied constants.
    pub parameters: &'a [SweptParameter],
    /// How many combinations their values have.
    pub possible: usize,
    /// How many of them were tried.
    pub tried: usize,
    /// How the transcripts were split.
    pub split: Split,
    /// The share of the axis `calls-above`.
    pub above: Decimal,
    /// The result.
    pub sweep: &'a Sweep,
    /// The recordings that could not be replayed.
    pub errors: &'a [ReplayError],
    /// How many files could be read.
    pub read_count: ReadCount,
    /// The version of trimtab.
    pub version: &'a str,
    /// What the reader's terminal can show.
    pub style: TerminalStyle,
}
