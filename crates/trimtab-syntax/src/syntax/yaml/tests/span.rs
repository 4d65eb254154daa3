//! Spans: those of values, and those of defaults.

use trimtab_base::source::{Source, SourceId, Span};

use super::read;
use crate::syntax::tree::{ClauseKind, File, Item, Policy, PolicyItem, Rule, TermKind};

const TEXT: &str = "window: 64_000 # of the model\nagents:\n  - name: \"coder\"\n    effects:\n      - kind: trim_tool_results\n        \
                    params:\n          max_result_length: 30\n      - {kind: 'compact', params: {threshold: 0.9}}\n    note: é\n";

fn policies<'a>(file: &'a File) -> Vec<&'a Policy> {
    let policy = |item: &'a Item| if let Item::Policy(policy) = item { Some(policy) } else { None };
    file.items.iter().filter_map(policy).collect()
}

fn rules<'a>(policy: &'a Policy) -> Vec<&'a Rule> {
    let rule = |item: &'a PolicyItem| if let PolicyItem::Rule(rule) = item { Some(rule) } else { None };
    policy.items.iter().filter_map(rule).collect()
}

#[test]
fn spans_point_into_the_yaml() {
    let (file, findings) = read(TEXT);
    assert!(findings.is_empty(), "{findings:#?}");
    let source = Source::new(SourceId(0), "", TEXT);
    let slice = |span: Span| source.slice(span);
    let policy = policies(&file)[0];
    assert_eq!(slice(policy.name.span), "\"coder\"");
    assert!(slice(policy.span).starts_with("name: \"coder\"") && slice(policy.span).ends_with("note: é"));
    let [compact, trim] = rules(policy)[..] else { unreachable!("two rules") };
    assert_eq!(slice(compact.span), "{kind: 'compact', params: {threshold: 0.9}}");
    assert_eq!(slice(compact.name.span), "'compact'");
    assert_eq!(slice(trim.span), "kind: trim_tool_results\n        params:\n          max_result_length: 30");
    let ClauseKind::Do(calls) = &trim.clauses[1].kind else { unreachable!("an effect") };
    let numbers = calls[0].terms.iter().filter(|term| matches!(term.kind, TermKind::Number(_)));
    assert_eq!(numbers.map(|term| slice(term.span)).collect::<Vec<_>>(), ["30", "trim_tool_results"]);
    let Item::Agent(agent) = &file.items[1] else { unreachable!("an agent") };
    assert_eq!(slice(agent.span), "64_000");
}

#[test]
fn spans_have_the_id_of_their_source() {
    let source = Source::new(SourceId(7), "", TEXT);
    let (file, _) = super::parse(&source);
    assert_eq!(file.source, SourceId(7));
    assert!(rules(policies(&file)[0]).iter().all(|rule| rule.span.source == SourceId(7)));
}

#[test]
fn the_default_effects_have_the_spans_of_the_name_and_the_threshold() {
    let text = "agents: [{name: a, window: 9, options: {context_threshold: 0.7}}]";
    let (file, _) = read(text);
    let source = Source::new(SourceId(0), "", text);
    let [compact, _] = rules(policies(&file)[0])[..] else { unreachable!("two rules") };
    assert_eq!(source.slice(compact.span), "a");
    let ClauseKind::When(condition) = &compact.clauses[1].kind else { unreachable!("a condition") };
    let start = text.find("0.7").expect("the threshold");
    let place = format!("start: {start}, end: {} }}", start + 3);
    assert!(format!("{condition:?}").contains(&place), "{condition:?}");
}

#[test]
fn a_byte_order_mark_and_carriage_returns_do_not_shift_spans() {
    let text = "\u{FEFF}effects:\r\n  - kind: compact\r\n    params:\r\n      threshold: 80\r\n";
    let source = Source::new(SourceId(0), "", text);
    let finding = super::parse(&source).1.remove(0);
    assert_eq!(source.slice(finding.primary.span), "80");
}
