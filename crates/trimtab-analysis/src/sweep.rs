//! Sweeps: one policy with several values of its constants, compared on the same transcripts.
//!
//! In: the tree of a policy file, the wanted values, and the outcome of every transcript under every combination of them.
//! Out: the combinations to try, the edits that make them, and a [`Sweep`]: the Pareto front, the winner, and whether its
//! lead holds on transcripts that it was not chosen on. The module compiles, replays and renders nothing.

mod axis;
mod bootstrap;
mod candidate;
mod grid;
mod judge;
mod known;
mod low_discrepancy;
mod parameter;
mod split;
mod stop;
mod variation;

pub use axis::{AXES, Axis, AxisUnit, DEFAULT_ABOVE, DEFAULT_AXES};
pub use bootstrap::Interval;
pub use candidate::{Candidate, Figures, Observation, TranscriptOutcome};
pub use grid::Grid;
pub use judge::{Lead, MIN_TRANSCRIPTS, Objective, Sweep, SweepVerdict, UnknownObjective, judge};
pub use parameter::{Parameter, ParameterError, find, parameters};
pub use split::{Half, Split};
pub use variation::Variation;
