//! Experiments: what recordings of agents say about policies that were assigned to them at random.
//!
//! A *unit* is what was assigned as a whole: a conversation, or all conversations of one command. Every unit has one policy, its
//! *arm*. In: the transcripts of each unit. Out: for each measure the difference between two arms, with an interval that holds
//! however often somebody looks.

mod comparison;
mod figures;
mod sequential;

pub use comparison::{Arm, ArmComparison, Compared, Conclusion, MeasureComparison};
pub use figures::{ARM_MEASURES, ArmMeasure, Outcomes, UnitFigures};
pub use sequential::{CONFIDENCE, Difference, MIN_UNITS};
