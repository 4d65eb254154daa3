//! The facts, prompts and thresholds that a policy needs.

use smol_str::{SmolStr, format_smolstr};
use trimtab_base::quantity::{Decimal, Quantity, Unit, share_of};
use trimtab_base::source::SourceMap;
use trimtab_language::check::{Action, Argument, Label, Operand, Policy, Reading, Relation, Rule, Test};
use trimtab_language::effect::Shape;

use crate::report::policy_text;

/// The facts, prompts and thresholds of a policy.
pub(in super::super) struct Need<'a> {
    /// A reading of each fact that it reads, sorted by name, with the rules that read the fact.
    pub(in super::super) facts: Vec<(&'a Reading, Vec<&'a SmolStr>)>,
    /// The prompts that it uses.
    pub(in super::super) prompts: Vec<Prompt<'a>>,
    /// The shares of the window in its conditions and labels, the smallest first.
    pub(in super::super) thresholds: Vec<Threshold<'a>>,
}

/// A prompt that a policy uses.
pub(in super::super) struct Prompt<'a> {
    pub(in super::super) name: SmolStr,
    pub(in super::super) text: String,
    pub(in super::super) rules: Vec<&'a SmolStr>,
}

/// A share of the window, in tokens when the window is known.
pub(in super::super) struct Threshold<'a> {
    pub(in super::super) share: Decimal,
    pub(in super::super) tokens: Option<u64>,
    pub(in super::super) rules: Vec<&'a SmolStr>,
}

impl<'a> Need<'a> {
    pub(super) fn of(sources: &SourceMap, policy: &'a Policy, window: Option<u64>) -> Self {
        let mut need = Self { facts: Vec::new(), prompts: Vec::new(), thresholds: Vec::new() };
        for rule in &policy.rules {
            for reading in rule.readings() {
                match need.facts.iter_mut().find(|(fact, _)| fact.name() == reading.name()) {
                    Some((_, rules)) => add(rules, &rule.name),
                    None => need.facts.push((reading, vec![&rule.name])),
                }
            }
            for label in rule.all_actions().flat_map(prompts) {
                need.prompt(sources, label, rule);
            }
            for share in shares(rule) {
                match need.thresholds.iter_mut().find(|threshold| threshold.share == share) {
                    Some(known) => add(&mut known.rules, &rule.name),
                    None => need.thresholds.push(Threshold {
                        share,
                        tokens: window.map(|window| share_of(window, share)),
                        rules: vec![&rule.name],
                    }),
                }
            }
        }
        need.facts.sort_by_cached_key(|(fact, _)| fact.name());
        need.thresholds.sort_by_key(|threshold| threshold.share);
        need
    }

    fn prompt(&mut self, sources: &SourceMap, label: &Label, rule: &'a Rule) {
        let Argument::Text(text) = &label.argument else { return };
        let text = policy_text::plain(text);
        if let Some(known) = self.prompts.iter_mut().find(|known| known.text == text) {
            return add(&mut known.rules, &rule.name);
        }
        let source = label.span.and_then(|span| Some((sources.get(span.source)?, span)));
        let word = source.and_then(|(source, span)| source.slice(span).split_whitespace().next_back());
        let fits = |word: &&str| {
            word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && self.prompts.iter().all(|known| known.name != **word)
        };
        let name = word.filter(fits).map(SmolStr::from);
        let name = name.unwrap_or_else(|| format_smolstr!("prompt_{}", self.prompts.len() + 1));
        self.prompts.push(Prompt { name, text, rules: vec![&rule.name] });
    }
}

/// The printed name of the prompt with this text.
pub(super) fn name_of(prompts: &[Prompt<'_>], text: &str) -> String {
    prompts.iter().find(|known| known.text == text).map(|known| known.name.to_string()).unwrap_or_default()
}

fn add<'a>(rules: &mut Vec<&'a SmolStr>, rule: &'a SmolStr) {
    if !rules.contains(&rule) {
        rules.push(rule);
    }
}

/// The labels of an action that name a prompt.
fn prompts(action: &Action) -> impl Iterator<Item = &Label> {
    let is_prompt = |label: &&Label| matches!(label.descriptor.shape, Shape::Prompt);
    action.labels.iter().filter(move |label| label.span.is_some() && is_prompt(label))
}

/// The shares of the window in a rule.
fn shares(rule: &Rule) -> Vec<Decimal> {
    let of_test = |test: &Test| match &test.relation {
        Relation::Compare(_, Operand::ShareOfWindow(share)) => Some(*share),
        _ => None,
    };
    let mut all: Vec<Decimal> = rule.tests().filter_map(of_test).collect();
    for label in rule.all_actions().flat_map(|action| &action.labels) {
        if let Argument::Quantity(Quantity { amount, unit: Unit::Share }) = &label.argument {
            all.push(*amount);
        }
    }
    all
}
