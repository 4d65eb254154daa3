//! A graph of policies, with the rules that they override and disable.

use trimtab_base::source::sanitize::one_line;

use super::{Inspection, policy_text};

/// An arrow from a policy to a policy that it changes.
struct Arrow<'a> {
    from: &'a str,
    to: &'a str,
    words: String,
    is_base: bool,
}

pub(super) fn graph(inspection: &Inspection<'_>, is_dot: bool) -> String {
    let policy = inspection.policy;
    let mut nodes = vec![(policy.name.as_str(), inspection.place(policy.span))];
    nodes.extend(policy.bases.iter().map(|base| (base.node.as_str(), inspection.place(base.span))));
    let mut arrows: Vec<Arrow<'_>> = nodes
        .windows(2)
        .map(|pair| Arrow { from: pair[0].0, to: pair[1].0, words: "extends".to_owned(), is_base: true })
        .collect();
    for rule in &policy.rules {
        arrows.extend(rule.origin.overrides.iter().map(|by| Arrow {
            from: &by.node,
            to: &rule.origin.policy,
            words: format!("overrides {}", rule.name),
            is_base: false,
        }));
    }
    arrows.extend(policy.disabled.iter().map(|disabled| Arrow {
        from: &disabled.policy,
        to: &disabled.origin,
        words: format!("disables {}", disabled.rule),
        is_base: false,
    }));
    if is_dot { dot(&nodes, &arrows) } else { mermaid(&nodes, &arrows) }
}

fn dot(nodes: &[(&str, String)], arrows: &[Arrow<'_>]) -> String {
    let mut out = "digraph policies {\n  node [shape=box];\n".to_owned();
    for (name, place) in nodes {
        out += &format!("  \"{name}\" [label={}];\n", policy_text::quoted(&format!("{name}\n{place}")));
    }
    for arrow in arrows {
        let style = if arrow.is_base { "" } else { ", style=dashed" };
        out += &format!(
            "  \"{}\" -> \"{}\" [label={}{style}];\n",
            arrow.from,
            arrow.to,
            policy_text::quoted(&arrow.words)
        );
    }
    out + "}\n"
}

/// A text in a label of Mermaid, which reads HTML and, after a backtick, Markdown.
fn label(text: &str) -> String {
    let escape = |char| match char {
        '#' | '"' | '<' | '>' | '&' | '`' => format!("#{};", u32::from(char)),
        char => char.to_string(),
    };
    one_line(text).chars().map(escape).collect()
}

fn mermaid(nodes: &[(&str, String)], arrows: &[Arrow<'_>]) -> String {
    // Nodes are numbered, because the name of a policy may be a keyword of Mermaid.
    let number = |name: &str| nodes.iter().position(|(other, _)| *other == name).unwrap_or_default();
    let mut out = "flowchart BT\n".to_owned();
    for (at, (name, place)) in nodes.iter().enumerate() {
        out += &format!("  p{at}[\"{name}<br>{}\"]\n", label(place));
    }
    for edge in arrows {
        let arrow = if edge.is_base { "-->" } else { "-.->" };
        out += &format!("  p{} {arrow}|{}| p{}\n", number(edge.from), edge.words, number(edge.to));
    }
    out
}
