//! Ids of strategies in the replies of an agent.

use std::collections::HashSet;

use super::strategy::is_id_char;
use super::{Playbook, StrategyId};

impl Playbook {
    /// The strategies whose ids a text contains as whole words, such as `[err-00001]` or `err-00001`, in the order of their
    /// first mention.
    pub fn cited(&self, text: &str) -> Vec<StrategyId> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut open: HashSet<&str> = self.strategies.iter().map(|strategy| strategy.id.as_str()).collect();
        let words = text.split(|c| !is_id_char(c)).map(|word| word.trim_matches(['-', '_']));
        words.filter(|word| open.remove(word)).filter_map(StrategyId::parse).collect()
    }
}
