//! What settings of another system do not say of a policy, as sentences.

use trimtab_analysis::system::{RuleDifference, RulePart, SettingsLoss};
use trimtab_base::quantity::{Quantity, Unit};
use trimtab_language::check::{Agent, Condition, Rule, RuleGuard};
use trimtab_language::effect::{self, LabelRole, Shape};

use super::policy_text;

/// A loss as a sentence that follows "SYSTEM cannot express"; `title` is the name of the system.
pub fn settings_loss(loss: &SettingsLoss, title: &str) -> String {
    match loss {
        SettingsLoss::Missing { rule, consequence } => {
            format!("rule `{}`: no option of {title} does this, so {consequence}", rule.name)
        }
        SettingsLoss::Different { wanted, written, differences } => {
            let differences: Vec<String> =
                differences.iter().flat_map(|one| difference(one, wanted, written)).collect();
            format!(
                "rule `{}`: the nearest rule of its settings, `{}`, differs: {}",
                wanted.name,
                written.name,
                differences.join("; ")
            )
        }
        SettingsLoss::Additional { rule, consequence } => {
            format!("the absence of rule `{}`: {title} always does `{}`, so {consequence}", rule.name, effects(rule))
        }
        SettingsLoss::Agent { property, wanted, written } => agent(property, [wanted, written], title),
    }
}

/// A property of the `agent` block.
fn agent(property: &str, agents: [&Agent; 2], title: &str) -> String {
    let place = format!("`{property}` of the `agent` block");
    match agents.map(|agent| value(property, agent)) {
        [Some(_), None] => format!("{place}: {title} has no such option"),
        [None, Some(written)] => format!("{place}: it is `{written}` in its settings, and not set in the policy"),
        [Some(wanted), Some(written)] => format!("{place}: it is `{written}` in its settings instead of `{wanted}`"),
        [None, None] => format!("{place}: it differs"),
    }
}

fn value(property: &str, agent: &Agent) -> Option<String> {
    let tokens = |count: u64| Quantity::whole(count, Unit::Tokens).to_string();
    match property {
        "model" => agent.model.as_ref().map(|model| model.node.to_string()),
        "window" => agent.window.map(|window| tokens(window.node)),
        "reserve" => agent.reserve.map(tokens),
        "overhead" => agent.overhead.map(tokens),
        "tools" => agent.tools.as_ref().map(|tools| format!("[{}]", policy_text::list(tools))),
        _ => {
            let facts: Vec<String> = agent.facts.iter().map(policy_text::host_fact).collect();
            (!facts.is_empty()).then(|| facts.join(", "))
        }
    }
}

/// What a difference between two rules is, each with what it means.
fn difference(difference: &RuleDifference, wanted: &Rule, written: &Rule) -> Vec<String> {
    let phrases = match difference.part {
        RulePart::Phase => vec![instead("it acts on", written.phase.word(), wanted.phase.word())],
        RulePart::Condition => vec![condition(&wanted.when, &written.when)],
        RulePart::Unless => vec![optional("exception", unless(wanted).as_deref(), unless(written).as_deref())],
        RulePart::Confirm => vec![match written.confirm {
            Some(_) => "it asks a person first".to_owned(),
            None => "it asks nobody".to_owned(),
        }],
        RulePart::Guards => guards(&wanted.guards, &written.guards),
        RulePart::Effects => vec![instead("it does", &effects(written), &effects(wanted))],
        RulePart::Target(at) => {
            let target = |rule: &Rule| rule.actions.get(at).and_then(|action| action.target).map(|target| target.name);
            vec![optional("target", target(wanted), target(written))]
        }
        RulePart::Text(at) => {
            let text = |rule: &Rule| rule.actions.get(at)?.text.as_ref().map(policy_text::template);
            vec![optional("text", text(wanted).as_deref(), text(written).as_deref())]
        }
        RulePart::Label(at, name) => {
            let values = [wanted, written].map(|rule| argument(rule, at, name));
            descriptor(wanted, at, name).and_then(|label| self::label(label, values)).into_iter().collect()
        }
        RulePart::OnFailure => {
            let failure = |rule: &Rule| policy_text::on_failure(&rule.on_failure, &prompt);
            vec![instead("if no summary can be written, it does", &failure(written), &failure(wanted))]
        }
    };
    let direction = difference.direction.map_or_else(String::new, |direction| format!(" ({direction})"));
    let last = phrases.len().saturating_sub(1);
    let with_direction = |(at, phrase): (usize, String)| if at == last { phrase + &direction } else { phrase };
    phrases.into_iter().enumerate().map(with_direction).collect()
}

fn instead(does: &str, written: &str, wanted: &str) -> String {
    format!("{does} `{written}` instead of `{wanted}`")
}

/// A part that a rule may have or not.
fn optional(part: &str, wanted: Option<&str>, written: Option<&str>) -> String {
    match (wanted, written) {
        (Some(wanted), Some(written)) => instead(&format!("its {part} is"), written, wanted),
        (Some(wanted), None) => format!("it has no {part} `{wanted}`"),
        (None, Some(written)) => format!("it has the {part} `{written}`"),
        (None, None) => format!("its {part} differs"),
    }
}

fn condition(wanted: &Condition, written: &Condition) -> String {
    let text = |condition: &Condition| match condition {
        Condition::Constant(true) => None,
        other => Some(policy_text::condition(other)),
    };
    match (text(wanted), text(written)) {
        (Some(wanted), None) => format!("it always applies, not only when `{wanted}`"),
        (None, Some(written)) => format!("it applies only when `{written}`, not always"),
        (wanted, written) => optional("condition", wanted.as_deref(), written.as_deref()),
    }
}

fn unless(rule: &Rule) -> Option<String> {
    rule.unless.as_ref().map(|condition| format!("unless {}", policy_text::condition(condition)))
}

/// Guards that only one of two rules has.
fn guards(wanted: &[RuleGuard], written: &[RuleGuard]) -> Vec<String> {
    let texts = |guards: &[RuleGuard]| guards.iter().map(policy_text::guard).collect::<Vec<_>>();
    let (wanted, written) = (texts(wanted), texts(written));
    let missing = wanted.iter().filter(|guard| !written.contains(guard)).map(|guard| format!("it has no `{guard}`"));
    let besides = written.iter().filter(|guard| !wanted.contains(guard)).map(|guard| format!("it has `{guard}`"));
    missing.chain(besides).collect()
}

/// A label of an effect.
fn descriptor(rule: &Rule, action: usize, name: &str) -> Option<&'static effect::Label> {
    rule.actions.get(action)?.effect.labels.iter().find(|label| label.name == name).copied()
}

/// Returns a label with the values that it has in two rules, or `None` if they are the same and only count for one of
/// the rules.
fn label(label: &effect::Label, values: [Option<String>; 2]) -> Option<String> {
    let name = label.name;
    let is_prompt = matches!(label.shape, Shape::Prompt);
    let is_tail = label.role == Some(LabelRole::Keep);
    Some(match values {
        [Some(wanted), Some(written)] if wanted == written => {
            return is_prompt.then(|| "it has another prompt".to_owned());
        }
        [Some(wanted), Some(written)] if is_tail => instead("it keeps", &written, &wanted),
        [Some(wanted), Some(written)] => instead(&format!("`{name}` is"), &written, &wanted),
        [Some(_), None] if is_prompt => format!("it has no `{name}`"),
        [Some(wanted), None] => format!("it has no `{name} {wanted}`"),
        [None, Some(_)] if is_prompt => format!("it has `{name}`"),
        [None, Some(written)] if is_tail => format!("it keeps `{written}`"),
        [None, Some(written)] => format!("it has `{name} {written}`"),
        [None, None] => return None,
    })
}

/// The value of a label, or the only word of one that stands for a value of another label.
fn argument(rule: &Rule, action: usize, name: &str) -> Option<String> {
    let labels = &rule.actions.get(action)?.labels;
    if let Some(label) = labels.iter().find(|label| label.descriptor.name == name) {
        return Some(policy_text::argument(label, &prompt));
    }
    let descriptor = descriptor(rule, action, name)?;
    let (other, meant) = descriptor.stands_for?;
    let label = labels.iter().find(|label| label.descriptor.name == other.name)?;
    let word = descriptor.shape.words()?.first()?;
    (label.argument.word() == Some(meant)).then(|| (*word).to_owned())
}

fn effects(rule: &Rule) -> String {
    policy_text::actions(&rule.actions, &prompt)
}

/// A plan has the texts of prompts, not their names.
fn prompt(_: &str) -> String {
    "PROMPT".to_owned()
}
