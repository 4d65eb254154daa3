//! The entries of `explain` and of the reference, built from the tables of descriptors.

mod keyword;
mod list;
mod markdown;
mod unit;

use trimtab_analysis::config;
use trimtab_analysis::system::{self, DefaultValue, SYSTEMS, Setting, System};
use trimtab_base::conversation::Pin;
use trimtab_base::diagnostic::{Code, alternatives};
use trimtab_base::quantity::{Decimal, Quantity, Unit};
use trimtab_language::check;
use trimtab_language::effect::{EFFECTS, END_UNITS, Effect, Label, LabelDefault, Positional, Shape, Target};
use trimtab_language::fact::{CallsFrom, FACTS, Fact, Parameter, ParameterKind, Recent, RecentDefault, Scope};
use trimtab_language::guard::{GUARDS, Guard};
use trimtab_language::phase::{PHASES, Permission, Phase};
use trimtab_lint::lint::{FixAvailability, LINTS, Lint, LintOption};
use trimtab_syntax::syntax;

use super::style::TerminalStyle;
use super::topic::{TOPICS, Topic};
use super::wrap::fold_code;
pub use keyword::{KEYWORDS, KeywordPage};
pub use list::{find, kind, kinds, listing, mentions};
pub use markdown::{lint_tables, markdown_of_kind, markdown_pages, reference};

/// An entry of the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its kind, such as `fact`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// The line below the id, such as the type or the syntax.
    pub form: String,
    /// What it means.
    pub summary: String,
    /// Its parts: labels, parameters; each with a name and what it means.
    pub parts: Vec<(String, String)>,
    /// Examples.
    pub examples: Vec<String>,
    /// Links to published incidents.
    pub links: Vec<&'static str>,
}

/// Every code.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    [syntax::error::CODES, check::error::CODES, syntax::yaml::CODES, config::error::CODES, system::error::CODES]
        .into_iter()
        .flatten()
        .copied()
}

/// The codes of all findings, including lints.
pub fn rules() -> Vec<&'static Code> {
    codes().chain(LINTS.iter().map(|lint| &lint.code)).collect()
}

/// The kinds of entries in the order of the reference, with their titles.
const KINDS: [(&str, &str); 10] = [
    ("topic", "Topics"),
    ("keyword", "Keywords"),
    ("fact", "Facts"),
    ("effect", "Effects"),
    ("guard", "Guards"),
    ("phase", "Phases"),
    ("unit", "Units"),
    ("lint", "Lints"),
    ("code", "Codes"),
    ("system", "Systems"),
];

/// All entries, in the order of the reference.
pub fn entries() -> Vec<Entry> {
    let facts = FACTS.iter().map(|descriptor| fact(descriptor));
    let effects = EFFECTS.iter().map(|descriptor| effect(descriptor));
    let codes = codes().map(code);
    let topics = TOPICS.iter().map(|descriptor| topic(descriptor));
    let words = topics.chain(KEYWORDS.iter().map(reserved)).chain(facts).chain(effects);
    let words = words.chain(GUARDS.iter().map(guard)).chain(PHASES.iter().map(phase)).chain(unit::entries());
    let systems = SYSTEMS.iter().map(|descriptor| system(descriptor));
    words.chain(codes).chain(LINTS.iter().map(|descriptor| lint(descriptor))).chain(systems).collect()
}

fn topic(topic: &Topic) -> Entry {
    let term = |&(name, meaning): &(&str, &str)| (name.to_owned(), meaning.to_owned());
    let see = topic.see.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
    Entry {
        kind: "topic",
        id: topic.name.to_owned(),
        form: format!("also: {}", topic.aliases.join(", ")),
        summary: format!("{} See {see}.", topic.summary),
        parts: topic.terms.iter().map(term).collect(),
        examples: topic.examples.iter().map(|&example| example.to_owned()).collect(),
        links: Vec::new(),
    }
}

fn reserved(word: &KeywordPage) -> Entry {
    Entry {
        kind: "keyword",
        id: word.name.to_owned(),
        form: word.form.to_owned(),
        summary: word.summary.to_owned(),
        parts: word.parts.iter().map(|&(name, meaning)| (name.to_owned(), meaning.to_owned())).collect(),
        examples: vec![word.example.to_owned()],
        links: Vec::new(),
    }
}

fn system(system: &System) -> Entry {
    let option = |setting: &Setting| {
        let default = match setting.default {
            DefaultValue::Flag(flag) => format!(" Default: {flag}."),
            DefaultValue::Whole(number) => format!(" Default: {number}."),
            DefaultValue::Share(text) | DefaultValue::Word(text) | DefaultValue::Computed(text) => {
                format!(" Default: {text}.")
            }
            DefaultValue::Unset => String::new(),
        };
        (setting.key.to_owned(), format!("{} Takes {}.{default}", setting.about, setting.kind.noun()))
    };
    Entry {
        kind: "system",
        id: system.name.to_owned(),
        form: system.file.to_owned(),
        summary: format!("The settings of {} {} ({}) about the context.", system.title, system.version, system.date),
        parts: system.settings.iter().copied().map(option).collect(),
        examples: Vec::new(),
        links: Vec::new(),
    }
}

fn code(code: &Code) -> Entry {
    Entry {
        kind: "code",
        id: code.id.to_owned(),
        form: code.title.to_owned(),
        summary: code.why.to_owned(),
        parts: Vec::new(),
        examples: vec![format!("# wrong\n{}", code.wrong), format!("# right\n{}", code.right)],
        links: Vec::new(),
    }
}

fn lint(lint: &Lint) -> Entry {
    let option = |option: &LintOption| {
        let value = Quantity::new(option.default, option.unit);
        (option.name.to_owned(), format!("Setting. {} Default: {value}.", option.summary))
    };
    let fix = match lint.fix {
        FixAvailability::None => "no fix",
        FixAvailability::Safe => "safe fix",
        FixAvailability::Unsafe => "unsafe fix",
        FixAvailability::Mixed => "safe or unsafe fix",
    };
    let on = if lint.pedantic { ", off by default" } else { "" };
    let (category, severity, certainty) = (lint.category.word(), lint.code.severity.word(), lint.certainty.word());
    let page = code(&lint.code);
    Entry {
        kind: "lint",
        form: format!("{}: {category}, {severity}, {certainty}, {fix}{on}", lint.code.title),
        parts: lint.options.iter().copied().map(option).collect(),
        links: lint.evidence.to_vec(),
        ..page
    }
}

fn fact(fact: &Fact) -> Entry {
    let part = |parameter: &&Parameter| {
        let takes = match parameter.kind {
            ParameterKind::Number(unit, fallback) => {
                format!("{}. Default: {}", unit.noun(), Quantity::whole(fallback.into(), unit))
            }
            ParameterKind::CallsFrom => {
                format!("`{}`. Default: `{}`", CallsFrom::WORDS.join("` or `"), CallsFrom::WORDS[0])
            }
            ParameterKind::Scope(default) => {
                format!("`{}`. Default: `{}`", Scope::WORDS.join("` or `"), default.word())
            }
            ParameterKind::Recent(units, default) => recent(units, default),
            ParameterKind::Limit(unit) => format!("{}. Default: no limit", unit.noun()),
            ParameterKind::Tools => "a tool or a list of tools; a name may end in `*`. Default: all tools".to_owned(),
            ParameterKind::AfterTools => {
                "a tool or a list of tools; a name may end in `*`. Default: none, so all calls count".to_owned()
            }
            ParameterKind::Texts => "a text or a list of texts. Required".to_owned(),
            ParameterKind::Tool => "the name of a tool. Required".to_owned(),
            ParameterKind::Facts => "any number of facts, with or without arguments".to_owned(),
            ParameterKind::OwnRule => "no argument".to_owned(),
            ParameterKind::Rule => "the name of a rule. Required".to_owned(),
            ParameterKind::Variable => "the name of a variable. Required".to_owned(),
            ParameterKind::HostFact => "the name of a declared fact. Required".to_owned(),
        };
        (parameter.name.to_owned(), format!("{} Takes {takes}.", parameter.summary))
    };
    let optional = if fact.is_optional() {
        ", may be unknown: give a default with `?? VALUE`, or test `known(…)` first"
    } else {
        ""
    };
    let form = if fact.is_host() {
        "as declared; may be unknown if the declaration has no default".to_owned()
    } else {
        format!("{}{optional}", fact.ty)
    };
    Entry {
        kind: "fact",
        id: fact.name.to_owned(),
        form,
        summary: fact.summary.to_owned(),
        parts: fact.parameters.iter().filter(|parameter| parameter.kind != ParameterKind::OwnRule).map(part).collect(),
        examples: fact.examples.iter().map(|example| format!("when {example}")).collect(),
        links: Vec::new(),
    }
}

/// How far back a fact looks.
fn recent(units: &[Unit], default: RecentDefault) -> String {
    let units: Vec<&str> = units.iter().map(|unit| unit.noun()).collect();
    let default = match default {
        RecentDefault::Required => "Required".to_owned(),
        RecentDefault::Everything => "Default: no limit".to_owned(),
        RecentDefault::Calls(calls) => format!("Default: {}", Recent::Calls(calls.into()).quantity()),
    };
    format!("{}. {default}", units.join(", or "))
}

fn effect(effect: &Effect) -> Entry {
    let mut parts = Vec::new();
    let target = |target: &Target| (target.name.to_owned(), format!("Target. {}", target.summary));
    parts.extend(effect.targets().iter().map(target));
    parts.extend(effect.labels.iter().map(|descriptor| (descriptor.name.to_owned(), label(descriptor, effect))));
    parts.extend(
        effect
            .variables
            .iter()
            .map(|(name, meaning)| (format!("{{{name}}}"), format!("In the texts of this effect: {meaning}."))),
    );
    let on = if effect.kind.answers_miss() { format!("on {} ", Phase::CompactionMiss.word()) } else { String::new() };
    Entry {
        kind: "effect",
        id: effect.name.to_owned(),
        form: form(effect),
        summary: effect.summary.to_owned(),
        parts,
        examples: effect.examples.iter().map(|example| format!("{on}do {example}")).collect(),
        links: Vec::new(),
    }
}

/// The effect's words in one line: `mask results|calls keep N …`.
fn form(effect: &Effect) -> String {
    let positional = match effect.positional {
        Positional::Target(targets) => targets.iter().map(|target| target.name).collect::<Vec<_>>().join(" | "),
        Positional::Text => "TEXT".to_owned(),
        Positional::Values(values) => {
            let value = |label: &&Label| match label.default {
                LabelDefault::Required => takes(label.shape),
                _ => format!("[{}]", takes(label.shape)),
            };
            values.iter().map(value).collect::<Vec<_>>().join(" ")
        }
        Positional::AtLeastOneOf(_) => String::new(),
    };
    let labels = effect.labels.iter().filter(|label| !effect.is_value(label)).map(|label| match label.default {
        LabelDefault::Required => format!("{} {}", label.name, takes(label.shape)),
        _ => format!("[{} {}]", label.name, takes(label.shape)),
    });
    let words = [effect.name.to_owned(), positional].into_iter().chain(labels);
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn takes(shape: Shape) -> String {
    let unit = |unit: &Unit| match unit {
        Unit::Share => "SHARE".to_owned(),
        other if other.word_for(Decimal::TWO).is_none() => "N".to_owned(),
        other => format!("N {}", other.noun()),
    };
    match shape {
        Shape::Quantity(units) => units.iter().map(unit).collect::<Vec<_>>().join("|"),
        Shape::Tools => "[TOOL…]".to_owned(),
        Shape::Name => "NAME".to_owned(),
        Shape::Names => "[NAME…]".to_owned(),
        Shape::Fields => "[FACT, NAME: FACT…]".to_owned(),
        Shape::Text => "TEXT".to_owned(),
        Shape::Word(words) => words.join("|"),
        Shape::Sides(words) => {
            format!("{} {1}, {1}", words.join("|"), END_UNITS.iter().map(unit).collect::<Vec<_>>().join("|"))
        }
        Shape::Pins => format!("{}|[PIN…]", Pin::FORMS.join("|")),
        Shape::Prompt => "PROMPT".to_owned(),
    }
}

fn label(label: &Label, effect: &Effect) -> String {
    let value = |default: LabelDefault| match default {
        LabelDefault::Required | LabelDefault::None => None,
        LabelDefault::Number(number, unit) => Some(Quantity::whole(number.into(), unit).to_string()),
        LabelDefault::Word(word) => Some(format!("`{word}`")),
        LabelDefault::Pins(pins) => Some(format!("`{pins}`")),
    };
    let usual = value(label.default);
    let others = label.other_defaults.iter().filter(|(target, _)| label.is_allowed_with(target));
    let others = others.filter_map(|(target, default)| {
        let own = value(*default).filter(|own| Some(own) != usual.as_ref())?;
        Some(format!("; of `{target}`, {own}"))
    });
    let others: String = others.collect();
    let default = match (label.default, usual) {
        (LabelDefault::Required, _) => " Required.".to_owned(),
        (_, Some(usual)) => format!(" Default: {usual}{others}."),
        (_, None) => String::new(),
    };
    format!("{}{default}{}", label.summary, targets(label, effect))
}

/// The targets that take a label, or the others if these are fewer; nothing if all take it.
fn targets(label: &Label, effect: &Effect) -> String {
    let all = effect.targets().iter().map(|target| target.name);
    let (with, without): (Vec<_>, Vec<_>) = all.partition(|target| label.is_allowed_with(target));
    match without.len() {
        0 => String::new(),
        others if others < with.len() => format!(" Not with {}.", alternatives(&without)),
        _ => format!(" Only with {}.", alternatives(&with)),
    }
}

fn guard(guard: &Guard) -> Entry {
    Entry {
        kind: "guard",
        id: guard.name.to_owned(),
        form: guard.form.to_owned(),
        summary: guard.summary.to_owned(),
        parts: Vec::new(),
        examples: vec![guard.example.to_owned()],
        links: Vec::new(),
    }
}

fn phase((phase, word, summary): &(Phase, &str, &str)) -> Entry {
    let may = match phase.permission() {
        Permission::Edit => "rules may edit, make views and signal",
        Permission::Add => "rules may add messages and signal",
        Permission::AnswerMiss => "rules may answer the miss and signal",
        Permission::Signal => "rules may only signal",
    };
    let comes = if phase.replayed() {
        ""
    } else {
        "; reported by the host, so a simulation has it only where the recording does"
    };
    Entry {
        kind: "phase",
        id: (*word).to_owned(),
        form: format!("on {word}: {may}{comes}"),
        summary: (*summary).to_owned(),
        parts: Vec::new(),
        examples: Vec::new(),
        links: Vec::new(),
    }
}

impl Entry {
    /// The entry for a terminal.
    pub fn page(&self, style: TerminalStyle) -> String {
        let mut out = format!("{} {}\n", style.dim(self.kind), style.emphasis(&self.id));
        out += &style.wrap(&self.form, 2);
        out += &format!("\n{}", style.wrap(&self.summary, 0));
        for (name, meaning) in &self.parts {
            out += &format!("\n  {}\n{}", style.emphasis(name), style.wrap(meaning, 4));
        }
        for example in &self.examples {
            let lines = example.lines().map(|line| fold_code(line, 4, style.width));
            out += &format!("\n{}", lines.collect::<String>());
        }
        if !self.links.is_empty() {
            out += "\nSeen in\n";
            out.extend(self.links.iter().map(|link| format!("  {link}\n")));
        }
        out
    }
}
