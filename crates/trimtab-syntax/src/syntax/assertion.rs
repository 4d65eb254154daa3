//! Parses a single `expect …`, as it is written after `--assert` on the command line.

use pest::Parser;
use trimtab_base::diagnostic::{Diagnostic, sort};
use trimtab_base::source::{Source, Span};

use super::build::Builder;
use super::error;
use super::grammar::{Grammar, Pair, Rule};
use super::patched::PatchedSource;
use super::token;
use super::tree::Statement;

/// Parses a text that consists of one `expect …`; the statement is `None` if it cannot be parsed.
pub fn parse_expectation(source: &Source) -> (Option<Statement>, Vec<Diagnostic>) {
    let patched = PatchedSource::new(source.text());
    let mut builder = Builder::new(source, &patched);
    let statement = match (token::too_deep(source.text()), Grammar::parse(Rule::statement_alone, source.text())) {
        (Some(at), _) => {
            builder.diagnostics.push(error::too_deep(Span::new(source.id(), at, at + 1)));
            None
        }
        (None, Ok(pairs)) => {
            let inner = pairs.flat_map(Pair::into_inner).find(|pair| pair.as_rule() == Rule::expect);
            inner.and_then(|pair| builder.statement(pair))
        }
        (None, Err(_)) => {
            builder.broken_statement(None, source.span());
            None
        }
    };
    let mut diagnostics = builder.diagnostics;
    diagnostics.extend(builder.recoverable);
    sort(&mut diagnostics);
    (statement, diagnostics)
}
