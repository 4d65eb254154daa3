//! A chart as an SVG picture: lines over a common scale, limits across them, and rows of marks below.
//!
//! A picture has its own colours for a light and a dark page, needs no script, no font and no network, and describes in
//! words what it shows. Coordinates are whole tenths of a pixel, so that the same chart has the same bytes everywhere.

mod contexts;
mod layout;
mod peaks;
mod scale;
mod thresholds;

use askama::Template;

pub(super) use self::contexts::limits;
use self::layout::Picture;
use super::encoding::{Encoding, Rendered};
use super::replays::PolicyReplays;

/// Most rows of marks that are drawn.
const MAX_ROWS: usize = 12;

/// What is drawn.
#[derive(Debug)]
struct Chart {
    title: String,
    /// The result in a sentence.
    subtitle: String,
    /// What the horizontal axis counts.
    x_name: &'static str,
    /// What a position on the horizontal axis is.
    x_noun: &'static str,
    /// The number of the first position on the horizontal axis.
    x_first: u64,
    /// The number of steps from the first position to the last one.
    x_steps: u64,
    /// What the vertical axis counts.
    y_name: &'static str,
    lines: Vec<Line>,
    limits: Vec<Limit>,
    rows: Vec<Row>,
    /// How many rows are left out.
    rows_left_out: usize,
}

/// A line. Values that are missing break it.
#[derive(Debug)]
struct Line {
    name: String,
    values: Vec<Option<u64>>,
}

/// A level that is marked across the chart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) level: u64,
    pub(super) name: String,
    pub(super) kind: LimitKind,
}

/// What a limit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitKind {
    /// The context window.
    Window,
    /// The window without the reserve.
    Reserve,
    /// A threshold of a rule.
    Threshold,
}

impl LimitKind {
    /// The word in pictures and pages.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Window => "window",
            Self::Reserve => "reserve",
            Self::Threshold => "threshold",
        }
    }
}

/// Marks at positions of the horizontal axis.
#[derive(Debug)]
struct Row {
    name: String,
    /// What is true at the marks: `fired at`.
    verb: &'static str,
    /// The line that it belongs to.
    line: usize,
    at: Vec<u64>,
}

/// The contexts of one transcript call by call, or the largest contexts of several transcripts, as recorded and with
/// each policy, and where rules fired, as an SVG picture. Returns `None` without a model call.
pub fn context_chart(policies: &[PolicyReplays<'_>]) -> Option<Rendered> {
    let (first, _) = policies.split_first()?;
    let chart = match first.replays {
        [] => return None,
        [_] => contexts::chart(policies)?,
        _ => peaks::chart(policies)?,
    };
    // A template whose values are all texts and numbers cannot fail to be filled.
    Picture::of(&chart).render().ok().map(|picture| Encoding::Text.finish(picture))
}
