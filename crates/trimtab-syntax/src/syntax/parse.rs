//! Parses policy text: pest, then the tree, then again with recoverable errors fixed.

use std::borrow::Cow;

use pest::Parser;
use trimtab_base::diagnostic::{Diagnostic, sort};
use trimtab_base::source::{Source, Span, slice, starting_at};

use super::build::Builder;
use super::error;
use super::grammar::{Grammar, Rule};
use super::patched::PatchedSource;
use super::recover::first_fix;
use super::token;
use super::tree::{Broken, File, Item};

/// How many bytes may be parsed again after recoverable errors, unless three times the length of the text is more.
const MAX_REPARSED: usize = 1 << 20;

/// Parses policy text.
///
/// An error that has only one plausible fix is reported, and the text is parsed again with that fix, so that it hides no
/// other errors.
pub(super) fn parse(source: &Source) -> (File, Vec<Diagnostic>) {
    let returns = lone_carriage_returns(source);
    // Offsets stay the same, so this is the author's text for everything below.
    let lines: Cow<'_, str> = match returns.as_slice() {
        [] => source.text().into(),
        returns => with_line_feeds(source.text(), returns).into(),
    };
    let (mut patched, mut cost) = (PatchedSource::new(&lines), 0);
    let mut findings: Vec<Diagnostic> = error::line_ends(&returns).into_iter().collect();
    loop {
        let mut builder = Builder::new(source, &patched);
        let items = items(&mut builder, source);
        let (diagnostics, recoverable) = (builder.diagnostics, builder.recoverable);
        cost += patched.text().len();
        let is_affordable = cost + patched.text().len() <= MAX_REPARSED.max(3 * source.text().len());
        let better = (!recoverable.is_empty() && is_affordable)
            .then(|| patched.with(recoverable.iter().flat_map(first_fix).cloned()))
            .filter(|better| token::too_deep(better.text()).is_none());
        findings.extend(recoverable);
        let Some(better) = better else {
            findings.extend(diagnostics);
            sort(&mut findings);
            // Everything after an unclosed block of text is part of it.
            let open = findings.iter().position(error::is_open_block);
            findings.truncate(open.map_or(findings.len(), |at| at + 1));
            return (File { source: source.id(), items }, findings);
        };
        patched = better;
    }
}

/// The carriage returns that no line feed follows; adjacent ones are one span.
fn lone_carriage_returns(source: &Source) -> Vec<Span> {
    let bytes = source.text().as_bytes();
    let mut spans: Vec<Span> = Vec::new();
    for (at, _) in source.text().match_indices('\r').filter(|(at, _)| bytes.get(at + 1) != Some(&b'\n')) {
        let span = Span::new(source.id(), at, at + 1);
        match spans.last_mut() {
            Some(last) if last.end == span.start => last.end = span.end,
            _ => spans.push(span),
        }
    }
    spans
}

/// A text with each byte in these spans replaced by a line feed.
fn with_line_feeds(text: &str, spans: &[Span]) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for range in spans.iter().map(|span| span.range()) {
        out += slice(text, at..range.start);
        out.extend(std::iter::repeat_n('\n', range.len()));
        at = range.end;
    }
    out + starting_at(text, at)
}

/// Parses the patched text once.
fn items(builder: &mut Builder<'_>, source: &Source) -> Vec<Item> {
    if let Some(at) = token::too_deep(source.text()) {
        return reject_nesting(builder, source, at);
    }
    match Grammar::parse(Rule::file, builder.patched.text()) {
        Ok(pairs) => builder.file(pairs),
        // The grammar accepts every text; pest fails only if the stack is almost exhausted.
        Err(_) => reject_nesting(builder, source, 0),
    }
}

/// Whether pest accepts a text, and nothing else: the lower bound for the cost of a parse, for benchmarks.
#[doc(hidden)]
pub fn accepts(text: &str) -> bool {
    Grammar::parse(Rule::file, text).is_ok()
}

/// Rejects a whole file because of the bracket at this offset.
fn reject_nesting(builder: &mut Builder<'_>, source: &Source, at: usize) -> Vec<Item> {
    let end = starting_at(source.text(), at).chars().next().map_or(at, |char| at + char.len_utf8());
    builder.diagnostics.push(error::too_deep(Span::new(source.id(), at, end)));
    vec![Item::Broken(Broken { name: None, span: source.span() })]
}

#[cfg(test)]
pub(super) mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;
    use trimtab_base::source::SourceId;

    use super::super::comments;
    use super::super::tree::{Clause, ClauseKind, Expr, PolicyItem};
    use super::*;

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
    limit 3 in session
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

    /// The errors in a text: line, code and message.
    pub(in super::super) fn messages(text: &str) -> Vec<String> {
        let (source, _, diagnostics) = parsed(text);
        let say = |finding: &Diagnostic| {
            format!("{} {} {}", source.position(finding.primary.span.start).line, finding.code.id, finding.message)
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

    fn check_spans(text: &str) {
        let (source, file, diagnostics) = parsed(text);
        let mut printed = String::new();
        write!(printed, "{file:?} {diagnostics:?} {:?}", comments(&source)).expect("a string takes all");
        assert!(spans_fit(text, &printed), "{text:?}\n{printed}");
    }

    #[test]
    fn a_page_with_every_construct_parses_without_errors() {
        assert_eq!(messages(PAGE), Vec::<String>::new());
        let (_, file, _) = parsed(PAGE);
        assert_eq!(file.items.len(), 6);
        check_spans(PAGE);
    }

    #[test]
    fn crlf_and_a_byte_order_mark_are_accepted() {
        let text = format!("\u{FEFF}{}", PAGE.replace('\n', "\r\n"));
        assert_eq!(messages(&text), Vec::<String>::new());
        check_spans(&text);
    }

    #[test]
    fn only_syntax_errors_are_reported() {
        let text = "edition 2026\n\npolicy p \"five mistakes\" {\n  \
            rule share_without_unit { on request when context.ratio >= 80 do notify \"x\" }\n  \
            rule unknown_fact { when contxt.ratio >= 80% do notify \"x\" }\n  \
            rule unknown_effect { when iteration > 0 do maks results keep 3 results }\n  \
            rule broken syntax here {{{\n  \
            rule wrong_unit { do trim results to 5 iterations keep 4 results }\n  \
            rule good { when iteration > 0 do notify \"fine\" }\n}\n";
        assert_eq!(messages(text), ["7 E101 expected `{`, `before` or `after`, found `syntax`"]);
        let (_, file, _) = parsed(text);
        let Some(Item::Policy(policy)) = file.items.get(1) else { unreachable!("a policy: {file:?}") };
        let good = policy.items.iter().filter(|item| matches!(item, PolicyItem::Rule(_))).count();
        assert_eq!((good, policy.items.len()), (5, 6));
        let Some(PolicyItem::Broken(broken)) = policy.items.get(3) else { unreachable!("broken: {policy:?}") };
        assert_eq!(broken.name.as_ref().map(|name| name.node.as_str()), Some("broken"));
    }

    #[test]
    fn deep_nesting_is_rejected_before_parsing() {
        for unit in ["(", "[", "{", "not ", "a ?? ", "a of ", "\"", "\"{", "rule {", "policy p {", "f(a: ", "\"\"\""] {
            let many = unit.repeat(100_000);
            for text in [many.clone(), format!("let x = {many}"), format!("policy p {{ rule r {{ when {many}")] {
                let (_, _, diagnostics) = parsed(&text);
                assert!(!diagnostics.is_empty(), "{unit:?}");
            }
        }
    }

    /// Pieces that cause recoverable errors in some places.
    const PIECES: [&str; 24] = [
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
        fn any_recoverable_errors_are_handled(
            parts in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40),
            whole in any::<bool>(),
        ) {
            let body = parts.join(" ");
            check_spans(&if whole { body } else { format!("policy p {{ rule r {{ when a > 1 {body} do x }} }}") });
        }

        #[test]
        fn any_text_is_parsed_without_panics(text in any::<String>()) {
            check_spans(&text);
        }

        #[test]
        fn any_sequence_of_tokens_is_parsed_without_panics(
            parts in prop::collection::vec(prop::sample::select(vec![
                "policy", "rule", "when", "do", "no", "on", "once", "per", "until", "test", "given", "let", "agent", "x",
                "a.b", "5", "80%", "-1", "..", "by", "\"", "\"\"\"", "{", "}", "(", ")", "[", "]", ",", ":", "=", ">=",
                "??", "not", "and", "in", "of", "#", "\n", " ", "\\", "é", "then", "sealed", "extends", "before", "*",
            ]), 0..60),
        ) {
            check_spans(&parts.join(""));
            check_spans(&parts.join(" "));
        }

        #[test]
        fn any_change_of_a_page_is_parsed_without_panics(
            changes in prop::collection::vec((0..3, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
        ) {
            let mut chars: Vec<char> = PAGE.chars().collect();
            for (kind, at, to) in changes {
                let (at, to) = (at.index(chars.len()), to.index(chars.len()));
                let (start, end) = (at.min(to), at.max(to).min(at.min(to) + 40));
                let piece: Vec<char> = chars[start..end].to_vec();
                match kind {
                    0 => drop(chars.drain(start..end)),
                    1 => drop(chars.splice(to..to, piece)),
                    _ => drop(chars.splice(start..start, "\"{)".chars())),
                }
                if chars.is_empty() {
                    chars.push('x');
                }
            }
            check_spans(&chars.into_iter().collect::<String>());
        }
    }
}
