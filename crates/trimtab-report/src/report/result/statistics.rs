//! Findings counted by code.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FindingCounts, SCHEMA_VERSION};
use crate::report::findings::{Findings, UnreadFile};

/// The result of `trimtab lint --statistics`; keys may be added.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CodeStatistics {
    /// The version of the form.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    pub schema_version: u64,
    /// The codes that were found, the most frequent first.
    pub statistics: Vec<CodeCount>,
    /// How much was checked and found.
    pub summary: FindingCounts,
    /// The files that could not be read.
    pub errors: Vec<UnreadFile>,
}

/// How often a code was found.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CodeCount {
    /// The code.
    pub code: String,
    /// What it means.
    pub title: String,
    /// The number of its findings.
    #[schemars(range(min = 1))]
    pub count: u64,
    /// Whether at least one of them has a fix.
    pub fixable: bool,
}

impl From<&Findings<'_>> for CodeStatistics {
    fn from(all: &Findings<'_>) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            statistics: CodeCount::all(all),
            summary: FindingCounts::from(all),
            errors: all.unread.to_vec(),
        }
    }
}

impl CodeCount {
    /// The codes that were found, the most frequent first.
    pub(in super::super) fn all(all: &Findings<'_>) -> Vec<Self> {
        let mut counts: BTreeMap<&str, Self> = BTreeMap::new();
        for finding in all.unsuppressed() {
            let (code, title) = (finding.code.id, finding.code.title);
            let none = || Self { code: code.to_owned(), title: title.to_owned(), count: 0, fixable: false };
            let count = counts.entry(code).or_insert_with(none);
            count.count += 1;
            count.fixable |= !finding.fixes.is_empty();
        }
        let mut counts: Vec<Self> = counts.into_values().collect();
        // Stable, so that codes of one number stay in the order of their names.
        counts.sort_by_key(|count| Reverse(count.count));
        counts
    }
}
