//! One `expect …` alone, as an assertion on the command line is.

use pest::Parser;

use super::build::Builder;
use super::depth;
use super::error;
use super::mend::Mended;
use super::parse::{Grammar, Pair, Rule};
use super::tree::Statement;
use crate::diagnostic::{Diagnostic, sort};
use crate::source::{Source, Span};

/// Parses a text that holds one `expect …` and nothing else; none when that cannot be parsed.
pub fn parse_expectation(source: &Source) -> (Option<Statement>, Vec<Diagnostic>) {
    let mended = Mended::new(source.text());
    let mut builder = Builder::new(source, &mended);
    let statement = match (depth::too_deep(source.text()), Grammar::parse(Rule::statement_alone, source.text())) {
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
    diagnostics.extend(builder.slips.into_iter().map(|slip| slip.finding));
    sort(&mut diagnostics);
    (statement, diagnostics)
}
