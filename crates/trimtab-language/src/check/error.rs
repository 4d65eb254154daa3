//! The errors of the checker.
//!
//! In: places, descriptors and the author's words. Out: diagnostics. E2xx are names, E3xx types and units,
//! E4xx clauses, parameters and tests, E50x the edition, the host and what this version does not do, E52x composition.

pub(super) mod clause;
pub(super) mod compose;
pub(super) mod condition;
pub(super) mod effect;
pub(super) mod fact;
pub(super) mod file;
pub(super) mod host_fact;
pub(super) mod name;
pub(super) mod test;
pub(super) mod unit;
pub(super) mod value;

use std::fmt::Display;

use trimtab_base::diagnostic::{Code, Diagnostic, Label};
use trimtab_base::quantity::Type;
use trimtab_base::source::Span;

use super::policy::Reading;
use crate::fact::Fact;

/// All codes of the checker, in order.
pub static CODES: &[&Code] = &[
    &name::VALUE,
    &name::EFFECT,
    &name::PHASE,
    &name::RULE,
    &name::PROMPT,
    &name::TWICE,
    &name::HIDES,
    &name::CYCLE,
    &unit::MISSING,
    &unit::WRONG,
    &unit::OUTSIDE,
    &unit::UNKNOWN,
    &unit::FRACTION,
    &value::TYPE,
    &value::CONSTANT,
    &value::UNQUOTED,
    &condition::CHAIN,
    &condition::TWO_FACTS,
    &condition::NO_FACT,
    &condition::NO_TRUTH,
    &condition::OPERATOR,
    &condition::TRUTH,
    &condition::OPTIONAL,
    &condition::KNOWN,
    &clause::TWICE,
    &clause::NO_DO,
    &clause::AMBIGUOUS,
    &clause::ARGUMENT,
    &effect::INCOMPLETE,
    &effect::WORD,
    &effect::TWICE,
    &effect::VALUE,
    &effect::STRAY,
    &effect::SIGNALS,
    &clause::SAFE,
    &clause::TWO_FAIL,
    &clause::ON_FAILURE,
    &effect::TARGET,
    &clause::SCOPE,
    &clause::QUESTION,
    &test::WORD,
    &test::STATEMENT,
    &test::SERIES,
    &test::CONTRADICTION,
    &test::NOTHING,
    &test::UNSENT,
    &test::POLICY,
    &test::UNREAD,
    &test::BEYOND,
    &file::EDITION_MISSING,
    &file::EDITION_UNKNOWN,
    &file::EDITION_PLACE,
    &file::FIELD,
    &host_fact::DECLARATION,
    &host_fact::CONFLICT,
    &compose::USE,
    &compose::USE_CYCLE,
    &compose::CLASH,
    &compose::BASE,
    &compose::BASE_CYCLE,
    &compose::INHERITED,
    &compose::KNOWN_RULE,
    &compose::SEALED,
    &compose::NO_CLAUSE,
    &compose::REFERENCED,
];

/// What a number is required for.
pub(super) struct Wanted<'w> {
    /// What requires it, as messages name it: `` `context.ratio` ``, `` `keep` of `mask` ``.
    pub(super) who: &'w dyn Display,
    /// The fact, if it is one.
    pub(super) fact: Option<&'static Fact>,
}

impl<'w> Wanted<'w> {
    /// A number that is no fact's.
    pub(super) fn new(who: &'w dyn Display) -> Self {
        Self { who, fact: None }
    }

    /// A value of a fact.
    pub(super) fn fact(who: &'w dyn Display, fact: &'static Fact) -> Self {
        Self { who, fact: Some(fact) }
    }
}

/// Adds a label to findings about a value that describes the fact that it is compared with.
pub(super) fn describe(findings: &mut [Diagnostic], reading: &Reading, span: Span) {
    let (name, fact) = (reading.name(), reading.fact);
    for finding in findings {
        let message = match fact.share_of() {
            Some(_) => format!("`{name}` is {} of the window", fact.ty),
            None => format!("`{name}` is {}", of_type(fact.ty)),
        };
        finding.labels.push(Label { span, message });
    }
}

/// What a value of a type is, in messages: `a number of results`, `a share`.
fn of_type(ty: Type) -> String {
    match ty {
        Type::Number(unit) if unit.word().is_some() => format!("a number of {ty}"),
        _ => ty.to_string(),
    }
}

/// Adds `did you mean` and the change, when a name is near.
fn suggest(
    finding: Diagnostic,
    span: Span,
    suggestion: Option<&str>,
    otherwise: impl FnOnce() -> String,
) -> Diagnostic {
    match suggestion {
        Some(suggestion) => finding.help(format!("did you mean `{suggestion}`?")).fix(
            format!("write `{suggestion}`"),
            false,
            span,
            suggestion,
        ),
        None => finding.help(otherwise()),
    }
}

#[cfg(test)]
mod tests;
