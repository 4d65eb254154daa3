//! Rules as the text of a policy.

use super::condition::{Comparison, Condition, Constant};
use super::fact::{Fact, HOST_FACTS, Kind, Scope, constant};
use super::rule::{
    As, Choice, Effect, Errors, Filter, Goal, Guard, Keep, Lifetime, OnFailure, Over, Piece, Pin, Policy, Range, Rule,
    Side, Summary, Text,
};

/// The prompt of summaries `using` one.
pub(super) const HANDOVER: &str = "Write down what {matters}.";

pub(super) fn policy(policy: &Policy) -> String {
    let mut text = format!("edition 2026\nprompt handover \"\"\"{HANDOVER}\"\"\"\nagent {{");
    text += &policy.model.map_or_else(String::new, |model| format!(" model {model:?}"));
    text += &policy.window.map_or_else(String::new, |window| format!(" window {window} tokens"));
    text += &policy.reserve.map_or_else(String::new, |reserve| format!(" reserve {reserve} tokens"));
    text += &policy.overhead.map_or_else(String::new, |overhead| format!(" overhead {overhead} tokens"));
    if !policy.tools.is_empty() {
        text += &format!(" tools [{}]", policy.tools.join(", "));
    }
    for (name, word, default) in HOST_FACTS {
        let default = default.map_or_else(String::new, |default| format!(" default {default}"));
        text += &format!(" fact {name} {word}{default}");
    }
    text += " }\npolicy made {\n";
    policy.rules.iter().for_each(|one| text += &rule(one));
    text + "}\n"
}

fn rule(rule: &Rule) -> String {
    let mut text = format!("  rule r{} {{ on {}", rule.number, rule.phase.name());
    text += &rule.when.as_ref().map_or_else(String::new, |one| format!(" when {}", condition(one)));
    text += &rule.unless.as_ref().map_or_else(String::new, |one| format!(" unless {}", condition(one)));
    text += &rule.confirm.as_ref().map_or_else(String::new, |question| format!(" confirm {}", quoted(question)));
    text += &format!(" do {}", rule.effects.iter().map(effect).collect::<Vec<_>>().join(" then "));
    if rule.effects.iter().any(Effect::needs_summary) {
        let retry = rule.retries.map_or_else(String::new, |times| format!("retry {times} "));
        let arm = match &rule.on_failure {
            OnFailure::Default => String::new(),
            OnFailure::Keep => "keep".to_owned(),
            OnFailure::Stop => "stop".to_owned(),
            OnFailure::Ask => "ask".to_owned(),
            OnFailure::Then(other) => format!("then {}", effect(other)),
        };
        if !arm.is_empty() {
            text += &format!(" on_failure {retry}{arm}");
        }
    }
    for guard in &rule.guards {
        text += &match &guard.guard {
            Guard::Once => " once".to_owned(),
            Guard::OncePer(fact) => format!(" once per {}", fact.text()),
            Guard::OnceUntil(end) => format!(" once until {}", condition(end)),
            Guard::Until(end) => format!(" until {}", condition(end)),
            Guard::Every(each) => format!(" every {each} iterations"),
            Guard::Cooldown(pause) => format!(" cooldown {pause} iterations"),
            Guard::Limit(times) => format!(" limit {times}"),
        };
        text += if guard.scope == Scope::Session { " in session" } else { "" };
    }
    text + " }\n"
}

fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::AtLeast => ">=",
        Comparison::Above => ">",
        Comparison::AtMost => "<=",
        Comparison::Below => "<",
        Comparison::Is => "==",
        Comparison::IsNot => "!=",
    }
}

fn value(fact: &Fact, value: &Constant) -> String {
    match value {
        Constant::Number(number) => constant(fact.kind(), *number),
        Constant::ShareOfWindow(share) => constant(Kind::Share, *share),
        Constant::Tokens(tokens) => constant(Kind::Tokens, *tokens),
        Constant::Text(text) => format!("{text:?}"),
    }
}

fn names(names: &[&str]) -> String {
    format!("[{}]", names.join(", "))
}

fn condition(one: &Condition) -> String {
    let all =
        |parts: &[Condition], word: &str| format!("({})", parts.iter().map(condition).collect::<Vec<_>>().join(word));
    match one {
        Condition::Compare(fact, None, comparison, with) => {
            format!("{} {} {}", fact.text(), sign(*comparison), value(fact, with))
        }
        Condition::Compare(fact, Some(default), comparison, with) => {
            format!("({} ?? {}) {} {}", fact.text(), value(fact, default), sign(*comparison), value(fact, with))
        }
        Condition::Known(fact) => format!("known({})", fact.text()),
        Condition::KnownAnd(fact, comparison, with) => {
            format!("(known({0}) and {0} {1} {2})", fact.text(), sign(*comparison), value(fact, with))
        }
        Condition::In(fact, texts) => {
            let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
            format!("({} ?? \"\") in [{}]", fact.text(), texts.join(", "))
        }
        Condition::Contains(fact, text) => format!("({} ?? \"\") contains {text:?}", fact.text()),
        Condition::Truth(fact) if fact.is_optional() => format!("({} ?? false)", fact.text()),
        Condition::Truth(fact) => fact.text(),
        Condition::Changed(facts, scope) => changed(facts.iter().map(Fact::text), *scope),
        Condition::All(parts) => all(parts, " and "),
        Condition::Any(parts) => all(parts, " or "),
        Condition::Not(inner) => format!("not ({})", condition(inner)),
    }
}

fn changed(facts: impl Iterator<Item = String>, scope: Scope) -> String {
    let scope = (scope == Scope::Session).then(|| "in: session".to_owned());
    format!("changed({})", facts.chain(scope).collect::<Vec<_>>().join(", "))
}

fn quoted(text: &Text) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) => text.replace('{', "{{").replace('}', "}}").replace('\n', "\\n"),
        Piece::Fact(fact, default, bare) => {
            let name = if *bare { fact.name().to_owned() } else { fact.text().replace('"', "") };
            let default = default.map_or_else(String::new, |default| format!(" ?? \\\"{default}\\\""));
            format!("{{{name}{default}}}")
        }
        Piece::Changed(facts, scope) => {
            format!("{{{}}}", changed(facts.iter().map(|fact| fact.text().replace('"', "")), *scope))
        }
        Piece::Own(name) => format!("{{{name}}}"),
    };
    format!("\"{}\"", text.iter().map(piece).collect::<String>())
}

fn role(role: Option<As>) -> &'static str {
    match role {
        None => "",
        Some(As::User) => " as user",
        Some(As::System) => " as system",
        Some(As::Assistant) => " as assistant",
    }
}

fn keep(keep: Keep) -> String {
    match keep {
        Keep::Messages(count) => format!(" keep {count} messages"),
        Keep::Results(count) => format!(" keep {count} results"),
        Keep::Images(count) => format!(" keep {count} images"),
        Keep::Interactions(count) => format!(" keep {count} interactions"),
        Keep::Tokens(tokens) => format!(" keep {tokens} tokens"),
        Keep::Share(share) => format!(" keep {share}%"),
    }
}

fn over(word: &str, over: Option<Over>) -> String {
    match over {
        None => String::new(),
        Some(Over::Chars(limit)) => format!(" {word} {limit} chars"),
        Some(Over::Tokens(limit)) => format!(" {word} {limit} tokens"),
    }
}

fn goal(goal: Option<Goal>) -> String {
    match goal {
        None => String::new(),
        Some(Goal::Share(share)) => format!(" down_to {share}%"),
        Some(Goal::Tokens(tokens)) => format!(" down_to {tokens} tokens"),
    }
}

fn lifetime(lifetime: Lifetime) -> &'static str {
    match lifetime {
        Lifetime::Default => "",
        Lifetime::Step => " for step",
        Lifetime::Run => " for run",
        Lifetime::Session => " for session",
    }
}

fn choice(choice: &Choice) -> String {
    let mut text = over("over", choice.over);
    text += &choice.keep.map_or_else(String::new, keep);
    for (word, list) in
        [("except", &choice.except), ("only", &choice.only), ("reads", &choice.reads), ("writes", &choice.writes)]
    {
        if !list.is_empty() {
            text += &format!(" {word} {}", names(list));
        }
    }
    text += match choice.errors {
        None => "",
        Some(Errors::Keep) => " errors keep",
        Some(Errors::Include) => " errors include",
        Some(Errors::Including) => " including errors",
        Some(Errors::Only) => " errors only",
    };
    text += &pin(&choice.pin);
    text += &latest(&choice.latest);
    text += &goal(choice.down_to);
    text + &choice.at_least.map_or_else(String::new, |tokens| format!(" at_least {tokens} tokens"))
}

fn summary(summary: &Summary) -> String {
    let mut text = if summary.using { " using handover" } else { "" }.to_owned();
    text += &summary.at_most.map_or_else(String::new, |tokens| format!(" at_most {tokens} tokens"));
    text + &pin(&summary.pin) + &latest(&summary.latest)
}

fn pin(pins: &[Pin]) -> String {
    let one = |pin: &Pin| match pin {
        Pin::Request => "request".to_owned(),
        Pin::FirstUser => "first_user".to_owned(),
        Pin::Users => "users".to_owned(),
        Pin::NewestUsers(count) => format!("newest {count} users"),
        Pin::UsersWithin(tokens) => format!("users within {tokens} tokens"),
        Pin::FirstMessages(count) => format!("first {count} messages"),
        Pin::Nothing => "none".to_owned(),
    };
    match pins {
        [] => String::new(),
        [pin] => format!(" pin {}", one(pin)),
        several => format!(" pin [{}]", several.iter().map(one).collect::<Vec<_>>().join(", ")),
    }
}

fn latest(tools: &[&str]) -> String {
    if tools.is_empty() { String::new() } else { format!(" keep_latest {}", names(tools)) }
}

fn filter(word: &str, filter: &Filter) -> String {
    let kind = if filter.only { "only" } else { "hide" };
    format!("{word} {kind} {}{}", names(&filter.names), lifetime(filter.lifetime))
}

pub(super) fn effect(effect: &Effect) -> String {
    let placeholder =
        |text: &Option<Text>| text.as_ref().map_or_else(String::new, |text| format!(" placeholder {}", quoted(text)));
    let chars = |chars: &Option<usize>| chars.map_or_else(String::new, |chars| format!(" preview {chars} chars"));
    match effect {
        Effect::Mask { target, choice: one, preview, placeholder: text } => {
            format!("mask {}{}{}{}", target.name(), choice(one), chars(preview), placeholder(text))
        }
        Effect::Offload { target, choice: one, preview, placeholder: text } => {
            format!("offload {}{}{}{}", target.name(), choice(one), chars(preview), placeholder(text))
        }
        Effect::Trim { target, choice: one, to, from, placeholder: text } => {
            let from = match from {
                None => String::new(),
                Some(Side::Tail) => " from tail".to_owned(),
                Some(Side::Head) => " from head".to_owned(),
                Some(Side::Middle) => " from middle".to_owned(),
                Some(Side::Ends(head, tail)) => {
                    over(" from ends", Some(*head)) + &over(",", Some(*tail)).replacen(" , ", ", ", 1)
                }
            };
            format!("trim {}{}{}{from}{}", target.name(), choice(one), over("to", *to), placeholder(text))
        }
        Effect::Drop { target, choice: one } => format!("drop {}{}", target.name(), choice(one)),
        Effect::Slide { recent, medium, trim, summary: one } => {
            let messages = |word: &str, count: &Option<usize>| {
                count.map_or_else(String::new, |count| format!(" {word} {count} messages"))
            };
            let trim = trim.map_or_else(String::new, |limit| format!(" trim {limit} chars"));
            format!("slide{}{}{trim}{}", messages("recent", recent), messages("medium", medium), summary(one))
        }
        Effect::Summarise { range: Range::All, summary: one } => format!("summarise all{}", summary(one)),
        Effect::Summarise { range: Range::Older(tail), summary: one } => {
            format!("summarise older{}{}", tail.map_or_else(String::new, keep), summary(one))
        }
        Effect::SummariseResults { target, choice: one, summary: how } => {
            format!("summarise {}{}{}", target.name(), choice(one), summary(how))
        }
        Effect::Restore(None) => "restore result".to_owned(),
        Effect::Restore(Some(iterations)) => format!("restore result for {iterations} iterations"),
        Effect::Boost(None) => "boost chunks".to_owned(),
        Effect::Boost(Some(factor)) => format!("boost chunks by {factor}"),
        Effect::Inject { text, role: one, step } => {
            format!("inject {}{}{}", quoted(text), role(*one), if *step { " for step" } else { "" })
        }
        Effect::Retain { last, min, down_to, pin: pinned, latest: tools } => {
            let min = min.map_or_else(String::new, |min| format!(" min {min}"));
            format!("retain last {last} interactions{min}{}{}{}", goal(*down_to), pin(pinned), latest(tools))
        }
        Effect::Playbook(None) => "playbook".to_owned(),
        Effect::Playbook(Some(count)) => format!("playbook at_most {count} strategies"),
        Effect::Remind { items, role: one } => format!("remind {}{}", names(items), role(*one)),
        Effect::Tools(one) => filter("tools", one),
        Effect::Systems(one) => filter("systems", one),
        Effect::Set { name, value, lifetime: one } => format!("set {name} {}{}", quoted(value), lifetime(*one)),
        Effect::Emit(name, fields) if fields.is_empty() => format!("emit {name}"),
        Effect::Emit(name, fields) => {
            let field = |(own, fact): &(Option<&str>, Fact)| match own {
                Some(own) => format!("{own}: {}", fact.text()),
                None => fact.text(),
            };
            format!("emit {name} [{}]", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Effect::Notify(text) => format!("notify {}", quoted(text)),
        Effect::Stop(text) => format!("stop {}", quoted(text)),
    }
}
