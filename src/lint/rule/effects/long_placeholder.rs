//! `long-placeholder`

use crate::check::{Action, Rule};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::lint::analysis::effect_scope;
use crate::lint::analysis::placement::remove_label;
use crate::lint::{Category, Certainty, Check, FixAvailability, Lint, LintOption, Subject};
use crate::quantity::{Decimal, Unit};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "long-placeholder",
        severity: Severity::Warning,
        title: "a placeholder that is long itself",
        why: "A mask saves what a result has more than its placeholder. A long placeholder leaves little saved and \
              is sent again at every call; of short results it masks none.",
        wrong: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results keep 6 results preview 400 chars }\n}\n",
        right: "edition 2026\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results keep 6 results preview 120 chars }\n}\n",
    },
    category: Category::Effects,
    certainty: Certainty::Heuristic,
    fix: FixAvailability::Unsafe,
    evidence: &["https://github.com/google-gemini/gemini-cli/pull/7047"],
    options: &[LintOption {
        name: "chars",
        unit: Unit::Chars,
        default: Decimal::from_parts(200, 0, 0, false, 0),
        summary: "The longest placeholder that is let pass.",
    }],
    check: Check::Rule(check),
    ..Lint::DEFAULT
};

fn check(subject: &Subject<'_>, rule: &Rule, found: &mut Vec<Diagnostic>) {
    let most = subject.settings.option(&LINT, "chars");
    for action in rule.every_action() {
        let length = match action.effect.name {
            "mask" if matches!(action.target.as_str(), "results" | "calls") => effect_scope::placeholder(action),
            "trim" => action.template("placeholder").map_or(0, |text| effect_scope::length(text, "tool").0),
            _ => 0,
        };
        if Decimal::from(length) > most {
            found.push(long(subject, action, length, most));
        }
    }
}

fn long(subject: &Subject<'_>, action: &Action, length: usize, most: Decimal) -> Diagnostic {
    let preview = action.quantity("preview").filter(|_| action.effect.name == "mask");
    let own = action.template("placeholder").map_or((0, true), |text| effect_scope::length(text, "preview"));
    let by_preview = own.1 && preview.is_some() && Decimal::from(own.0) + Decimal::from(120) <= most;
    let place = if by_preview { action.place("preview") } else { action.place("placeholder") };
    let span = place.unwrap_or(action.span);
    let message = format!("the placeholder is about {length} characters long");
    let mut finding =
        LINT.finding(span, message, format!("more than {most}")).help("say only what the model needs to go on");
    if by_preview && let Some(span) = action.place("preview") {
        finding.fixes.extend(remove_label(subject, span, "show the usual 80 chars", false));
    }
    finding
}
