//! `tool-not-declared`

use std::collections::HashSet;

use smol_str::SmolStr;

use super::reach;
use super::shape::fix;
use super::{Category, Certainty, Check, Lint, Remedy, Subject};
use crate::diagnostic::{self, Code, Diagnostic, Severity, TextEdit};
use crate::source::Span;
use crate::syntax::tree::{EffectCall, Expr, ExprKind, Item, Term, TermKind};
use crate::syntax::walk::{self, Visitor};

pub(super) static LINT: Lint = Lint {
    code: Code {
        id: "tool-not-declared",
        title: "a tool that the agent does not declare",
        why: "The file lists the tools of the agent, and this name is none of them: an effect on its results finds \
              nothing, and a condition on it never holds, unless a recording or the host declares it after all.",
        wrong: "edition 2026\nagent { tools [bash, read_file] }\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results except [red_file] }\n}\n",
        right: "edition 2026\nagent { tools [bash, read_file] }\npolicy p {\n  rule hide { when context.ratio >= 60% do mask results except [read_file] }\n}\n",
    },
    category: Category::Effects,
    severity: Severity::Warning,
    certainty: Certainty::Structural,
    fix: Remedy::Unsafe,
    pedantic: false,
    evidence: &["https://github.com/SWE-agent/SWE-agent/pull/1538"],
    over: &[],
    knobs: &[],
    check: Check::File(check),
};

struct Tools<'t> {
    declared: &'t [SmolStr],
    lets: HashSet<&'t str>,
    found: Vec<Diagnostic>,
}

impl Tools<'_> {
    fn name(&mut self, name: &str, span: Span, quoted: bool) {
        let known = self.declared.iter().any(|tool| reach::meet(tool, name));
        if known || !quoted && self.lets.contains(name) {
            return;
        }
        let message = format!("`{name}` is no tool of the agent");
        let mut finding = LINT.finding(span, message, "`agent` does not declare it");
        match diagnostic::nearest(name.trim_end_matches('*'), self.declared.iter().map(SmolStr::as_str)) {
            Some(near) => {
                let text = if quoted { format!("\"{near}\"") } else { near.to_owned() };
                finding.fixes.push(fix(format!("write `{near}`"), false, TextEdit { span, text }));
                finding = finding.help(format!("did you mean `{near}`?"));
            }
            None => finding = finding.help("add it to `tools` of the agent block, or take the name out"),
        }
        self.found.push(finding);
    }

    fn names(&mut self, terms: &[Term]) {
        for term in terms {
            match &term.kind {
                TermKind::Word(word) => self.name(word, term.span, false),
                TermKind::Text(text) => self.name(&text.value, term.span, true),
                TermKind::List(terms) => self.names(terms),
                _ => {}
            }
        }
    }
}

impl<'t> Visitor<'t> for Tools<'t> {
    fn expression(&mut self, expr: &'t Expr) {
        let ExprKind::Call(fact, arguments) = &expr.kind else { return };
        let ([argument], "has_tool" | "used_tool") = (arguments.as_slice(), fact.node.as_str()) else { return };
        match &argument.value.kind {
            ExprKind::Name(word) => self.name(word, argument.value.span, false),
            ExprKind::Text(text) => self.name(&text.value, argument.value.span, true),
            _ => {}
        }
    }

    fn effect(&mut self, call: &'t EffectCall) {
        for pair in call.terms.windows(2) {
            if matches!(&pair[0].kind, TermKind::Word(word) if word == "only" || word == "except") {
                self.names(&pair[1..]);
            }
        }
    }
}

fn check(subject: &Subject<'_>, found: &mut Vec<Diagnostic>) {
    let Some(declared) = &subject.checked.agent.tools else { return };
    let lets = subject.file.items.iter().filter_map(|item| match item {
        Item::Let(one) => Some(one.name.node.as_str()),
        _ => None,
    });
    let mut tools = Tools { declared, lets: lets.collect(), found: Vec::new() };
    walk::file(subject.file, &mut tools);
    found.append(&mut tools.found);
}
