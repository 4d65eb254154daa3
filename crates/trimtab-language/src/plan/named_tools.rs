//! The tools that a plan names.

use std::collections::BTreeSet;

use smol_str::SmolStr;
use trimtab_base::conversation::RECALL_TOOL;
use trimtab_base::quantity::Value;

use super::Plan;
use crate::check::{Argument, Comparison, Operand, Reading, Relation, Test};
use crate::effect::Shape;
use crate::fact::{Domain, ParameterKind, tool_names};

impl Plan {
    /// The names and patterns of tools in effects and conditions, without the tool that plans declare themselves.
    pub fn named_tools(&self) -> BTreeSet<SmolStr> {
        let mut names = BTreeSet::new();
        for rule in &self.rules {
            let labels = rule.all_actions().flat_map(|action| action.labels.iter().map(move |label| (action, label)));
            for (_, label) in labels.filter(|(action, label)| action.inert(label.descriptor).is_none()) {
                if let (Shape::Tools, Argument::Names(tools), Some(_)) =
                    (label.descriptor.shape, &label.argument, label.span)
                {
                    names.extend(tools.iter().cloned());
                }
            }
            rule.readings().into_iter().for_each(|reading| names.extend(arguments(reading)));
            rule.tests().for_each(|test| names.extend(compared(test)));
        }
        names.remove(RECALL_TOOL);
        names
    }
}

/// The tools among the arguments of a reading.
fn arguments(reading: &Reading) -> Vec<SmolStr> {
    let all = reading.fact.parameters.iter().zip(&reading.arguments);
    let names = all.flat_map(|(parameter, argument)| match (parameter.kind, argument) {
        (ParameterKind::Tool, Value::Text(name)) => vec![name.clone()],
        (ParameterKind::Tools | ParameterKind::AfterTools, Value::Text(names)) => {
            tool_names(names).map(SmolStr::new).collect()
        }
        _ => Vec::new(),
    });
    names.collect()
}

/// The tools that a test compares a name of a tool with.
fn compared(test: &Test) -> Vec<SmolStr> {
    let values = match &test.relation {
        _ if !matches!(test.reading.fact.domain, Domain::ToolNames) => &[],
        Relation::Compare(Comparison::Equal | Comparison::Unequal, Operand::Value(value)) => {
            std::slice::from_ref(value)
        }
        Relation::OneOf(values) => values.as_slice(),
        _ => &[],
    };
    let names = values.iter().filter_map(|value| match value {
        Value::Text(name) if !name.is_empty() => Some(name.clone()),
        _ => None,
    });
    names.collect()
}
