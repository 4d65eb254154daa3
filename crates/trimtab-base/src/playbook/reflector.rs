//! Reflectors: what distils strategies from the calls of a reply.

mod rules;
mod step;

use std::fmt::Debug;

use self::rules::RULES;
use self::step::Step;
use super::{Delta, ToolBatch};
use crate::tool_use::Intent;

/// Distils strategies. The same batch must give the same deltas.
pub trait Reflector: Debug + Send + Sync {
    /// The changes of the playbook after the calls of one reply.
    fn reflect(&self, batch: &ToolBatch) -> Vec<Delta>;
}

/// The embedded reflector: a table of rules, of which the first that matches adds one strategy. It calls no model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleReflector {
    /// How many calls a batch must have. A batch with fewer counts only if it is a single failed call that neither reads nor
    /// lists files.
    pub min_tool_calls: usize,
    /// The confidence of the rules that count, in percent.
    pub min_confidence: u8,
}

impl Default for RuleReflector {
    fn default() -> Self {
        Self { min_tool_calls: 2, min_confidence: 65 }
    }
}

impl Reflector for RuleReflector {
    fn reflect(&self, batch: &ToolBatch) -> Vec<Delta> {
        let steps: Vec<Step> = batch.calls.iter().map(Step::of).collect();
        if !self.is_worth_it(batch, &steps) {
            return Vec::new();
        }
        let found = RULES.iter().find(|rule| (rule.matches)(&steps, batch.has_failed()));
        let found = found.filter(|rule| rule.confidence >= self.min_confidence);
        found.map(|rule| Delta::add(rule.category, rule.content)).into_iter().collect()
    }
}

impl RuleReflector {
    fn is_worth_it(self, batch: &ToolBatch, steps: &[Step]) -> bool {
        match steps {
            [] | [Step { intent: Intent::Read | Intent::List, .. }] => false,
            [_] if batch.has_failed() => true,
            _ => steps.len() >= self.min_tool_calls,
        }
    }
}
