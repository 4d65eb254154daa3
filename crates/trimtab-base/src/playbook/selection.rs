//! The strategies that a request contains, and their text.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Playbook, Strategy};

impl Playbook {
    /// The most effective strategies, at most this many; of equally effective ones first those that helped more often,
    /// then those that were added earlier.
    pub fn selection(&self, at_most: usize) -> Vec<&Strategy> {
        let mut all: Vec<&Strategy> = self.strategies.iter().collect();
        all.sort_by_key(|strategy| Reverse((strategy.rate(), strategy.helpful)));
        all.truncate(at_most);
        all
    }

    /// The selection as text for the end of a system prompt, by category; empty if there is none.
    pub fn text(&self, at_most: usize) -> String {
        let mut categories: BTreeMap<&str, Vec<&Strategy>> = BTreeMap::new();
        for strategy in self.selection(at_most) {
            categories.entry(&strategy.category).or_default().push(strategy);
        }
        if categories.is_empty() {
            return String::new();
        }
        let mut text = String::from("\n## Learned Strategies\n");
        for (category, strategies) in categories {
            let _ = writeln!(text, "\n### {}", title(category));
            for Strategy { id, content, helpful, harmful, .. } in strategies {
                let _ = writeln!(text, "- [{id}] {content} (helpful={helpful}, harmful={harmful})");
            }
        }
        text
    }
}

/// A category as a heading: `error_handling` is `Error Handling`.
fn title(category: &str) -> String {
    let capitalised = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>()).unwrap_or_default()
    };
    category.split('_').map(capitalised).collect::<Vec<_>>().join(" ")
}
