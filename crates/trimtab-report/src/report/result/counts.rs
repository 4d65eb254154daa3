//! How often something happened.

use crate::report::figure::summed;

summed! {
    /// How often later calls needed what rules had removed.
    pub struct Regret {
        /// The calls that were made again after their result was reduced or removed.
        pub repeated_calls: u64,
        /// The calls whose arguments quote what stood only in content that a rule removed.
        pub quotes: u64,
    }

    /// What happens besides edits.
    pub struct EventCounts {
        /// Inserted summaries.
        pub summaries: u64,
        /// Summaries that failed.
        pub failed_summaries: u64,
        /// Inserted messages.
        pub injections: u64,
        /// Violations of invariants.
        pub invariants_broken: u64,
    }
}
