//! `--explain`: all rules at one call, or one rule at all calls.

use std::fmt;

use trimtab_base::diagnostic::nearest;
use trimtab_base::source::sanitize::one_line;
use trimtab_language::plan::Plan;
use trimtab_report::report::{self, ReplayResult, TerminalStyle};
use trimtab_simulate::simulate::{CallExplanation, Options};

use crate::cli::console::Failure;

/// What to explain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Explain {
    /// All rules at this call.
    Call(usize),
    /// This rule at all calls.
    Rule(String),
}

impl fmt::Display for Explain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(call) => write!(f, "{call}"),
            Self::Rule(rule) => f.write_str(rule),
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Explain, String> {
    match text.parse() {
        Ok(call) => Ok(Explain::Call(call)),
        Err(_) if text.starts_with(|char: char| char.is_ascii_digit() || char == '-') => {
            Err("expected the number of a call, from 0, or the name of a rule".to_owned())
        }
        Err(_) => Ok(Explain::Rule(text.to_owned())),
    }
}

impl Explain {
    /// Fails if the policy does not have the rule.
    pub(super) fn check(&self, plan: &Plan) -> Result<(), Failure> {
        let Self::Rule(name) = self else { return Ok(()) };
        if plan.rules.iter().any(|rule| rule.name == *name) {
            return Ok(());
        }
        let near = nearest(name, plan.rules.iter().map(|rule| rule.name.as_str()));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        Err(Failure::Message(format!("--explain: `{}` has no rule `{name}`{near}", plan.policy)))
    }

    /// The options with which a replay records explanations.
    pub(super) fn options(&self, options: Options) -> Options {
        match self {
            Self::Call(call) => Options { explain: Some(*call), ..options },
            Self::Rule(_) => Options { explain_all: true, ..options },
        }
    }

    /// Keeps the explanations of the rule only.
    pub(super) fn keep(&self, mut followed: Vec<CallExplanation>) -> Vec<CallExplanation> {
        let Self::Rule(name) = self else { return Vec::new() };
        for history in &mut followed {
            for (_, rules) in &mut history.phases {
                rules.retain(|rule| rule.rule == *name);
            }
            history.phases.retain(|(_, rules)| !rules.is_empty());
        }
        followed
    }

    /// Fails if no recording has the call.
    pub(super) fn check_calls(&self, replays: &[ReplayResult]) -> Result<(), Failure> {
        let calls = |replay: &ReplayResult| replay.trace.calls.len();
        match (self, replays.iter().max_by_key(|replay| calls(replay))) {
            (_, Some(longest)) if calls(longest) == 0 => {
                Err(Failure::Message("--explain: the recordings have no model calls".to_owned()))
            }
            (Self::Call(call), Some(longest)) if calls(longest) <= *call => {
                let (id, last) = (&longest.id, calls(longest) - 1);
                Err(Failure::Message(format!("--explain {call}: {id} has calls 0 to {last}")))
            }
            _ => Ok(()),
        }
    }

    /// The explanation for people.
    pub(super) fn text(&self, replays: &[ReplayResult], style: TerminalStyle) -> String {
        let mut out = String::new();
        for replay in replays {
            let text = match (self, &replay.trace.explained, replay.trace.calls.len()) {
                (_, _, 0) => "no model calls\n".to_owned(),
                (Self::Rule(name), _, _) => report::rule_history(name, &replay.trace, style),
                (Self::Call(call), Some(explained), calls) if *call < calls => report::explanation(explained, style),
                (Self::Call(_), _, calls) => format!("no such call: the last one is call {}\n", calls - 1),
            };
            let (head, rest) = text.split_once('\n').unwrap_or((&text, ""));
            out += &report::fold_lines(&format!("{}, {head}\n", one_line(&replay.id)), style.width);
            out += rest;
        }
        out
    }
}
