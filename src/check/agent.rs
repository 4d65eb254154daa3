//! The `agent` block: facts about the host.

use smol_str::SmolStr;

use super::call::noun;
use super::constant::{Constant, names};
use super::error;
use super::policy::Agent;
use super::scope::Scope;
use crate::diagnostic::nearest;
use crate::quantity::{Unit, whole};
use crate::source::{Span, Spanned};
use crate::syntax::tree::{self, Name, Term, TermKind};

/// The words of the block and what each takes.
const LABELS: [(&str, &str, &str); 6] = [
    ("model", "a text", "\"claude-sonnet-4-5\""),
    ("window", "tokens", "200k tokens"),
    ("reserve", "tokens", "16k tokens"),
    ("overhead", "tokens", "30k tokens"),
    ("tools", "a list of tools", "[bash, read_file]"),
    ("fact", "a name and a type", "NAME tokens"),
];

impl Scope<'_> {
    /// The facts about the host that a block gives; what is wrong is reported and left out.
    pub(super) fn agent(&mut self, block: &tree::Agent) -> Agent {
        let mut agent = Agent::default();
        let mut seen: Vec<(SmolStr, Span)> = Vec::new();
        let mut rest = block.terms.as_slice();
        while let Some((term, after)) = rest.split_first() {
            rest = after;
            let word = match &term.kind {
                TermKind::Word(word) => word.as_str(),
                _ => "",
            };
            let Some((label, wanted, sample)) = LABELS.iter().find(|(label, ..)| *label == word) else {
                rest = self.unknown(term, after);
                continue;
            };
            if let Some((_, first)) = seen.iter().find(|(name, _)| name == label) {
                self.report(error::twice(term.span, *first, &format!("`{label}`")));
            }
            seen.push(((*label).into(), term.span));
            if *label == "fact" {
                self.report(error::not_yet(term.span, "`fact`"));
                rest = after.get(2..).unwrap_or_default();
                continue;
            }
            let Some((value, after)) = after.split_first().filter(|(value, _)| !is_label(value)) else {
                self.report(error::no_value(term.span, label, sample));
                continue;
            };
            rest = after;
            let span = term.span;
            let wrong = |scope: &mut Self, found: &str| {
                scope.report(error::wrong_value(value.span, label, span, found, wanted, sample));
            };
            match (*label, &value.kind) {
                ("model", TermKind::Text(text)) => {
                    agent.model = Some(Spanned::new(text.value.as_str().into(), value.span));
                }
                ("tools", TermKind::List(terms)) => {
                    let found = names(&self.list(terms));
                    if found.is_none() {
                        wrong(self, "a list of something else");
                    }
                    agent.tools = found;
                }
                ("window" | "reserve" | "overhead", TermKind::Number(_) | TermKind::Word(_)) => {
                    let (tokens, taken) = self.tokens(value, after, label, span);
                    rest = &after[taken..];
                    match *label {
                        "window" => agent.window = tokens.map(|tokens| Spanned::new(tokens, value.span)),
                        "reserve" => agent.reserve = tokens,
                        _ => agent.overhead = tokens,
                    }
                }
                (_, kind) => wrong(self, &noun(kind)),
            }
        }
        agent
    }

    /// A number of tokens and how many terms its unit takes.
    fn tokens(&mut self, value: &Term, after: &[Term], label: &str, place: Span) -> (Option<u64>, usize) {
        let (constant, taken) = match &value.kind {
            TermKind::Number(number) => {
                let unit = match after.first() {
                    Some(Term { kind: TermKind::Word(word), span })
                        if !LABELS.iter().any(|(label, ..)| label == word) =>
                    {
                        Some(Name::new(word.clone(), *span))
                    }
                    _ => None,
                };
                (self.number(*number, unit.as_ref()), usize::from(unit.is_some()))
            }
            TermKind::Word(name) if self.is_let(name) => (self.value(name), 0),
            _ => (Constant::Text(String::new()), 0),
        };
        let tokens = match &constant {
            Constant::Number(number, Some(Unit::Tokens)) => Some(whole(*number)),
            Constant::Number(number, None) => {
                self.report(error::no_unit(value.span, *number, Unit::Tokens, None));
                None
            }
            Constant::Broken => None,
            other => {
                let found =
                    if matches!(value.kind, TermKind::Word(_)) { noun(&value.kind) } else { other.noun().to_owned() };
                self.report(error::wrong_value(value.span, label, place, &found, "tokens", "200k tokens"));
                None
            }
        };
        (tokens, taken)
    }

    /// Reports a word that the block does not know, and steps over what is most likely its value.
    fn unknown<'t>(&mut self, term: &Term, after: &'t [Term]) -> &'t [Term] {
        let all = LABELS.map(|(label, ..)| label);
        match &term.kind {
            TermKind::Word(word) => {
                let near = nearest(word, all);
                self.report(error::unknown_label(term.span, word, "`agent`", near, &all));
                let value = after.iter().position(is_label).unwrap_or(after.len());
                &after[value..]
            }
            _ => {
                self.report(error::stray(term.span, "`agent`", &all));
                after
            }
        }
    }
}

fn is_label(term: &Term) -> bool {
    matches!(&term.kind, TermKind::Word(word) if LABELS.iter().any(|(label, ..)| label == word))
}
