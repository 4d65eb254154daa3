//! Why an action of a rule that was due yielded nothing.

use super::simulation::{count, plural};
use crate::effect::{Idle, Spared};

/// The action and the reason: `mask results: at_least 5,000 tokens, and only 3,200 to save`.
pub(super) fn reason(action: &str, idle: &Idle) -> String {
    let reason = match idle {
        Idle::Kept => "the kept tail is the whole conversation".to_owned(),
        Idle::Nothing(spared) => nothing(spared.as_ref()),
        Idle::TooLittle { saved, wanted } => {
            format!("at_least {} tokens: only {} to save", count(*wanted), count(*saved))
        }
        Idle::AtGoal { tokens, goal } => {
            format!("down_to {} tokens: the context is at {} already", count(*goal), count(*tokens))
        }
        Idle::NoWindow => "down_to is a share of the window, which is unknown".to_owned(),
        Idle::Refused => "its edits would break an invariant of the conversation".to_owned(),
    };
    format!("{action}: {reason}")
}

fn nothing(spared: Option<&Spared>) -> String {
    let Some(spared) = spared else { return "nothing left to do before the kept tail".to_owned() };
    let reasons = [
        (spared.reduced, "reduced already"),
        (spared.short, "as short as its replacement"),
        (spared.tools, "left out by `only` or `except`"),
    ];
    let mut parts: Vec<String> = reasons
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, reason)| format!("{number} {reason}"))
        .collect();
    if spared.errors > 0 {
        parts.push(format!("{} (`including errors` takes them)", plural(spared.errors, "error")));
    }
    if parts.is_empty() {
        return "there is none before the kept tail".to_owned();
    }
    format!("nothing left to do before the kept tail: {}", parts.join(", "))
}
