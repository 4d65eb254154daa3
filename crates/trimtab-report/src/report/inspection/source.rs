//! A checked file of another format as policy text.

use trimtab_base::quantity::{Quantity, Unit};
use trimtab_base::source::{Source, Span};
use trimtab_language::check::{Agent, CheckedFile, Policy};
use trimtab_syntax::syntax::tree::Comment;

use super::{PrintedClause, policy_text};

/// A place in the policy text above which comments are written, with what it stands for in the source.
struct CommentAnchor {
    span: Span,
    comments: Vec<String>,
}

/// The policies of a file that was written in another format and has neither prompts nor lets. Each comment of the source
/// is above the rule in which it stands, or else above the rule or policy that follows it.
pub(super) fn source(checked: &CheckedFile, source: &Source, comments: &[Comment]) -> String {
    let spans = checked
        .policies
        .iter()
        .flat_map(|policy| std::iter::once(policy.span).chain(policy.rules.iter().map(|rule| rule.span)));
    let mut places: Vec<CommentAnchor> = spans.map(|span| CommentAnchor { span, comments: Vec::new() }).collect();
    let mut tail = Vec::new();
    for comment in comments {
        let list = owner(source, comment.span, &places).and_then(|at| places.get_mut(at));
        list.map_or(&mut tail, |place| &mut place.comments).push(comment.text.clone());
    }
    let mut out = "edition 2026\n\n".to_owned();
    out += &agent(&checked.agent);
    let mut places = places.into_iter();
    for one in &checked.policies {
        policy(one, &mut places, &mut out);
    }
    write_comments(&tail, "", &mut out);
    out
}

/// Returns the place that a comment belongs to, or `None` if nothing follows it.
fn owner(source: &Source, comment: Span, places: &[CommentAnchor]) -> Option<usize> {
    let all = || places.iter().enumerate();
    let rest = |(at, _): (usize, &CommentAnchor)| at;
    let inside = all().filter(|(_, place)| place.span.start <= comment.start && comment.end <= place.span.end);
    let innermost = inside.min_by_key(|(_, place)| place.span.end - place.span.start);
    let is_rule = |place: &CommentAnchor| {
        all().all(|(_, other)| {
            std::ptr::eq(place, other) || other.span.start < place.span.start || other.span.end > place.span.end
        })
    };
    if let Some(found) = innermost.filter(|(_, place)| is_rule(place)) {
        return Some(rest(found));
    }
    let line = source.position(comment.start).line;
    let same_line = all().filter(|(_, place)| place.span.start < comment.start);
    let same_line = same_line.filter(|(_, place)| {
        let (first, last) = (source.position(place.span.start).line, source.position(place.span.end).line);
        first == line || last == line
    });
    let next = || all().filter(|(_, place)| place.span.start >= comment.end).min_by_key(|(_, place)| place.span.start);
    same_line.max_by_key(|(_, place)| place.span.start).or_else(next).map(rest)
}

fn agent(agent: &Agent) -> String {
    let tokens = |count: u64| Quantity::whole(count, Unit::Tokens).to_string();
    let values = [
        ("model", agent.model.as_ref().map(|model| policy_text::quoted(&model.node))),
        ("window", agent.window.map(|window| tokens(window.node))),
        ("tools", agent.tools.as_ref().map(|tools| format!("[{}]", policy_text::list(tools)))),
    ];
    let lines: String = values.into_iter().filter_map(|(word, value)| Some(format!("  {word} {}\n", value?))).collect();
    if lines.is_empty() { lines } else { format!("agent {{\n{lines}}}\n\n") }
}

fn policy(policy: &Policy, places: &mut impl Iterator<Item = CommentAnchor>, out: &mut String) {
    let mut comments = |indent: &str, out: &mut String| {
        write_comments(&places.next().map(|place| place.comments).unwrap_or_default(), indent, out);
    };
    comments("", out);
    *out += &format!("policy {} {{\n", policy.name);
    for (at, rule) in policy.rules.iter().enumerate() {
        *out += if at > 0 { "\n" } else { "" };
        comments("  ", out);
        *out += &format!("  rule {} {{\n", rule.name);
        for clause in PrintedClause::of(rule, &[]) {
            *out += &format!("    {}\n", format!("{} {}", clause.word, clause.text).trim_end());
        }
        *out += "  }\n";
    }
    *out += "}\n\n";
}

fn write_comments(comments: &[String], indent: &str, out: &mut String) {
    for comment in comments {
        *out += &format!("{indent}{}\n", format!("# {comment}").trim_end());
    }
}
