//! The way in: a source text into a file and what is wrong with it.
//!
//! It knows pest and the grammar; building the tree and reporting mistakes stand in the files beside it.

use std::borrow::Cow;

use pest::Parser;

use super::build::Builder;
use super::depth;
use super::error;
use super::mend::Mended;
use super::slip::Slip;
use super::tree::{Broken, File, Item};
use crate::diagnostic::{Diagnostic, sort};
use crate::source::{Source, Span, slice, starting_at};

// The derive makes a public enum of rules; a module of its own keeps it inside this room.
mod grammar {
    /// The parser that pest makes of the grammar.
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/policy.pest"]
    pub(crate) struct Grammar;
}

pub(super) use grammar::{Grammar, Rule};

/// One node of pest's parse.
pub(super) type Pair<'t> = pest::iterators::Pair<'t, Rule>;
/// Nodes of pest's parse, side by side.
pub(super) type Pairs<'t> = pest::iterators::Pairs<'t, Rule>;

/// What reading on behind mistakes may cost: so many bytes parsed, or three times the text when that is more.
const READ_AGAIN: usize = 1 << 20;

/// Parses a policy file. It never fails: what cannot be parsed is a broken stretch in the tree and a diagnostic.
///
/// A mistake that can mean only one thing is reported and then read as it was meant, so that it hides no other.
pub(super) fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    let returns = lone_returns(source);
    // Every place stays where it is, so this is the author's text for all that follows.
    let lines: Cow<'_, str> = match returns.as_slice() {
        [] => source.text().into(),
        returns => with_line_feeds(source.text(), returns).into(),
    };
    let (mut mended, mut cost) = (Mended::new(&lines), 0);
    let mut said: Vec<Diagnostic> = error::line_ends(&returns).into_iter().collect();
    loop {
        let mut builder = Builder::new(source, &mended);
        let items = items(&mut builder, source);
        let (diagnostics, slips) = (builder.diagnostics, builder.slips);
        cost += mended.text().len();
        let better = (!slips.is_empty() && cost + mended.text().len() <= READ_AGAIN.max(3 * source.text().len()))
            .then(|| mended.with(slips.iter().flat_map(Slip::edits).cloned()))
            .filter(|better| depth::too_deep(better.text()).is_none());
        said.extend(slips.into_iter().map(|slip| slip.finding));
        let Some(better) = better else {
            said.extend(diagnostics);
            sort(&mut said);
            // All behind a block that never ends is its text.
            let open = said.iter().position(error::is_open_block);
            said.truncate(open.map_or(said.len(), |at| at + 1));
            return (File { source: source.id(), items }, said);
        };
        mended = better;
    }
}

/// Carriage returns that no line feed follows; a run of them before a line feed is one.
fn lone_returns(source: &Source) -> Vec<Span> {
    let bytes = source.text().as_bytes();
    let mut places: Vec<Span> = Vec::new();
    for (at, _) in source.text().match_indices('\r').filter(|(at, _)| bytes.get(at + 1) != Some(&b'\n')) {
        let span = Span::new(source.id(), at, at + 1);
        match places.last_mut() {
            Some(last) if last.end == span.start => last.end = span.end,
            _ => places.push(span),
        }
    }
    places
}

/// A text with a line feed in the place of each of these bytes.
fn with_line_feeds(text: &str, places: &[Span]) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for place in places.iter().map(|span| span.range()) {
        out += slice(text, at..place.start);
        out.extend(std::iter::repeat_n('\n', place.len()));
        at = place.end;
    }
    out + starting_at(text, at)
}

/// One reading of the text as it stands by now.
fn items(builder: &mut Builder<'_>, source: &Source) -> Vec<Item> {
    if let Some(at) = depth::too_deep(source.text()) {
        return refuse(builder, source, at);
    }
    match Grammar::parse(Rule::file, builder.mended.text()) {
        Ok(pairs) => builder.file(pairs),
        // The grammar takes any text; pest gives up only when the stack is short.
        Err(_) => refuse(builder, source, 0),
    }
}

/// Whether pest takes a text, and nothing else: what a parse costs at least, for the benches.
#[doc(hidden)]
pub fn accepts(text: &str) -> bool {
    Grammar::parse(Rule::file, text).is_ok()
}

/// A file that is not parsed because something at this byte is nested too deep.
fn refuse(builder: &mut Builder<'_>, source: &Source, at: usize) -> Vec<Item> {
    let end = starting_at(source.text(), at).chars().next().map_or(at, |sign| at + sign.len_utf8());
    builder.diagnostics.push(error::too_deep(Span::new(source.id(), at, end)));
    vec![Item::Broken(Broken { name: None, span: source.span() })]
}

#[cfg(test)]
pub(super) mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::super::comments;
    use super::super::tree::{Clause, ClauseKind, Expr, PolicyItem};
    use super::*;
    use crate::source::SourceId;

    pub(in super::super) const PAGE: &str = r#"edition 2026

agent {                            # facts about the host
  model    "some-model"
  window   200k tokens
  tools    [bash, read_file, mcp/files-1.*]
}

let busy = 60%

prompt handover """
Summarise the work so far.
"""

#: Keeps an agent inside its window.
policy coder "Keeps an agent inside its window." extends base {
  sealed rule mask_old before compact {
    on request
    when context.ratio >= busy and not (failures > 2 or call.name ?? "none" == "bash")
    unless result.text contains "a { b"
    do mask results keep 10 messages except [bash, test, use,] down_to 50% then notify "Masked {results ?? 0}"
    on_failure retry 2 then trim results to 500 chars
    once until context.ratio < 50% of busy
    cooldown 3 iterations
  }
  override rule compact {
    do emit usage [run, tokens: context.tokens, calls: repeats(within: 10 calls)]
    no when
    no on_failure
    once per repeats(within: 10 calls, in: run)
    every 5 iterations
    limit 3
  }
  disable rule other "not needed here"
}

test "masking" {
  given context.ratio 40%, 55%..95% by 5%
  expect mask_old first fires at 2 and not before on x5
  expect peak context.ratio < 90%
}
"#;

    /// A text parsed.
    pub(in super::super) fn parsed(text: &str) -> (Source, File, Vec<Diagnostic>) {
        let source = Source::new(SourceId(0), "x.trim", text);
        let (file, diagnostics) = parse(&source);
        (source, file, diagnostics)
    }

    /// What is wrong with a text: line, code and message.
    pub(in super::super) fn said(text: &str) -> Vec<String> {
        let (source, _, diagnostics) = parsed(text);
        let say = |one: &Diagnostic| {
            format!("{} {} {}", source.position(one.primary.span.start).line, one.code.id, one.message)
        };
        diagnostics.iter().map(say).collect()
    }

    /// The items of the only policy of a text without mistakes.
    pub(in super::super) fn policy_items(text: &str) -> Vec<PolicyItem> {
        let (_, file, diagnostics) = parsed(text);
        assert!(diagnostics.is_empty(), "{diagnostics:#?}");
        let policies = file.items.into_iter().filter_map(|item| match item {
            Item::Policy(policy) => Some(policy.items),
            _ => None,
        });
        policies.flatten().collect()
    }

    /// The clauses of a rule without mistakes.
    pub(in super::super) fn clauses(text: &str) -> Vec<Clause> {
        let mut items = policy_items(&format!("policy p {{ rule r {{ {text} }} }}"));
        match items.pop() {
            Some(PolicyItem::Rule(rule)) if items.is_empty() => rule.clauses,
            other => unreachable!("one rule: {other:?}"),
        }
    }

    /// The condition of `when`.
    pub(in super::super) fn condition(text: &str) -> Expr {
        match clauses(&format!("when {text}")).pop().map(|clause| clause.kind) {
            Some(ClauseKind::When(condition)) => condition,
            other => unreachable!("a condition: {other:?}"),
        }
    }

    /// Every `span: …` in the printed form of a tree or diagnostic lies in the text, on character boundaries.
    fn spans_fit(text: &str, printed: &str) -> bool {
        let number = |part: Option<&str>| part.and_then(|part| part.trim_end_matches([' ', '}', ',']).parse().ok());
        printed.split("Span { source: SourceId(0), start: ").skip(1).all(|rest| {
            let mut parts = rest.split(" }").next().unwrap_or_default().split(", end: ");
            let (start, end): (Option<usize>, Option<usize>) = (number(parts.next()), number(parts.next()));
            start.zip(end).is_some_and(|(start, end)| text.get(start..end).is_some())
        })
    }

    fn survives(text: &str) {
        let (source, file, diagnostics) = parsed(text);
        let mut printed = String::new();
        write!(printed, "{file:?} {diagnostics:?} {:?}", comments(&source)).expect("a string takes all");
        assert!(spans_fit(text, &printed), "{text:?}\n{printed}");
    }

    #[test]
    fn a_page_of_the_language_is_parsed_whole() {
        assert_eq!(said(PAGE), Vec::<String>::new());
        let (_, file, _) = parsed(PAGE);
        assert_eq!(file.items.len(), 6);
        survives(PAGE);
    }

    #[test]
    fn line_ends_of_windows_and_a_byte_order_mark_change_nothing() {
        let text = format!("\u{FEFF}{}", PAGE.replace('\n', "\r\n"));
        assert_eq!(said(&text), Vec::<String>::new());
        survives(&text);
    }

    #[test]
    fn only_one_of_five_mistakes_is_one_of_shape() {
        let text = "edition 2026\n\npolicy p \"five mistakes\" {\n  \
            rule share_without_unit { on request when context.ratio >= 80 do notify \"x\" }\n  \
            rule unknown_fact { when contxt.ratio >= 80% do notify \"x\" }\n  \
            rule unknown_effect { when iteration > 0 do maks results keep 3 results }\n  \
            rule broken syntax here {{{\n  \
            rule wrong_unit { do trim results to 5 iterations keep 4 results }\n  \
            rule good { when iteration > 0 do notify \"fine\" }\n}\n";
        assert_eq!(said(text), ["7 E101 expected `{`, `before` or `after`, found `syntax`"]);
        let (_, file, _) = parsed(text);
        let Some(Item::Policy(policy)) = file.items.get(1) else { unreachable!("a policy: {file:?}") };
        let good = policy.items.iter().filter(|item| matches!(item, PolicyItem::Rule(_))).count();
        assert_eq!((good, policy.items.len()), (5, 6));
        let Some(PolicyItem::Broken(broken)) = policy.items.get(3) else { unreachable!("broken: {policy:?}") };
        assert_eq!(broken.name.as_ref().map(|name| name.node.as_str()), Some("broken"));
    }

    #[test]
    fn deep_nesting_is_refused_and_not_followed() {
        for unit in ["(", "[", "{", "not ", "a ?? ", "a of ", "\"", "\"{", "rule {", "policy p {", "f(a: ", "\"\"\""] {
            let many = unit.repeat(100_000);
            for text in [many.clone(), format!("let x = {many}"), format!("policy p {{ rule r {{ when {many}")] {
                let (_, _, diagnostics) = parsed(&text);
                assert!(!diagnostics.is_empty(), "{unit:?}");
            }
        }
    }

    /// What is read as it was meant, in places where it may mean something else.
    const SLIPS: [&str; 24] = [
        "polcy",
        "rul",
        "whn",
        "od",
        "gven",
        "a",
        "a-b",
        "x",
        "{",
        "}",
        "&&",
        "!",
        "=",
        ";",
        ",",
        "≥",
        "“é {x}”",
        "'y'",
        "80 %",
        "5$",
        "200,000",
        "200K",
        ".8",
        "\n",
    ];

    proptest! {
        #[test]
        fn any_slips_are_survived(
            parts in prop::collection::vec(prop::sample::select(&SLIPS[..]), 0..40),
            whole in any::<bool>(),
        ) {
            let body = parts.join(" ");
            survives(&if whole { body } else { format!("policy p {{ rule r {{ when a > 1 {body} do x }} }}") });
        }

        #[test]
        fn any_text_is_survived(text in any::<String>()) {
            survives(&text);
        }

        #[test]
        fn any_signs_of_the_language_are_survived(
            parts in prop::collection::vec(prop::sample::select(vec![
                "policy", "rule", "when", "do", "no", "on", "once", "per", "until", "test", "given", "let", "agent", "x",
                "a.b", "5", "80%", "-1", "..", "by", "\"", "\"\"\"", "{", "}", "(", ")", "[", "]", ",", ":", "=", ">=",
                "??", "not", "and", "in", "of", "#", "\n", " ", "\\", "é", "then", "sealed", "extends", "before", "*",
            ]), 0..60),
        ) {
            survives(&parts.join(""));
            survives(&parts.join(" "));
        }

        #[test]
        fn a_changed_page_is_survived(
            changes in prop::collection::vec((0..3, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
        ) {
            let mut signs: Vec<char> = PAGE.chars().collect();
            for (kind, at, to) in changes {
                let (at, to) = (at.index(signs.len()), to.index(signs.len()));
                let (start, end) = (at.min(to), at.max(to).min(at.min(to) + 40));
                let piece: Vec<char> = signs[start..end].to_vec();
                match kind {
                    0 => drop(signs.drain(start..end)),
                    1 => drop(signs.splice(to..to, piece)),
                    _ => drop(signs.splice(start..start, "\"{)".chars())),
                }
                if signs.is_empty() {
                    signs.push('x');
                }
            }
            survives(&signs.into_iter().collect::<String>());
        }
    }
}
