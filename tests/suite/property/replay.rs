//! An arbitrary text in every place of a conversation: replayed under every effect, and reported in every output format.

use std::sync::Arc;

use trimtab::conversation::{Arguments, Message, Part, Role, Usage, render, shorten};
use trimtab::effect::SummaryRequest;
use trimtab::pipeline;
use trimtab::plan::{Plan, lower};
use trimtab::report::{self, ReplayResult, TerminalStyle};
use trimtab::simulate::{ConstantSummariser, Extract, FailingSummariser, Options, Summariser, replay};
use trimtab::transcript::{self, Transcript};

/// One rule for each way to shorten or quote a text; `N` is a number that depends on the text.
const RULES: [&str; 12] = [
    "on reply do trim results to N chars from head keep 0 results including errors",
    "on reply do trim results to N chars from middle keep 0 results including errors",
    "on reply do trim results to N chars from tail keep 0 results including errors",
    "on reply do trim results to N tokens keep 0 results including errors",
    "do mask results keep 0 messages preview N chars including errors",
    "do mask calls keep 0 messages preview N chars",
    "do mask results keep 0 messages placeholder \"{tool}: {preview}\"",
    "do slide recent 1 message medium 2 messages trim N chars",
    "do summarise older keep 2 messages at_most N tokens",
    "do summarise all",
    "when known(call.arguments) do inject \"{call.name ?? \"\"} {call.arguments ?? \"\"} {result.text ?? \"\"}\" as user for step",
    "when known(result.text) and result.text contains \"a\" do notify \"{result.text ?? \"\"}\"",
];

/// A conversation with the text in every place that allows a text.
fn conversation(text: &str) -> Transcript {
    let message = |role: Role| Message::text(role, text);
    let arguments = [
        Arguments::Text(text.into()),
        Arguments::from(serde_json::json!({ "path": text, text: [text] })),
        Arguments::from(serde_json::json!(text)),
    ];
    let name: String = text.chars().take(30).collect();
    let mut messages = vec![message(Role::System), message(Role::User)];
    for (at, arguments) in arguments.into_iter().enumerate() {
        let id = format!("c{at}");
        let call = Part::call(id.as_str(), name.as_str(), arguments);
        let usage = Some(Usage {
            input: 1_000 + text.len() as u64,
            cache_read: 0,
            cache_write: 0,
            output: 7,
            ..Usage::default()
        });
        messages.push(Message { usage, ..Message::new(Role::Assistant, vec![Part::text(text), call]) });
        messages.push(Message::new(Role::Tool, vec![Part::result(id, text.repeat(3), at == 1)]));
    }
    messages.extend([message(Role::Assistant), message(Role::User), message(Role::Assistant)]);
    let messages = messages.into_iter().map(Arc::new).collect();
    Transcript { id: name, format: "made", window: Some(2_000), messages, ..Transcript::default() }
}

fn plan(rules: &[String]) -> Plan {
    let rules = rules.iter().enumerate().map(|(at, rule)| format!("rule r{at} {{ {rule} }}\n"));
    let text = format!("edition 2026\npolicy p {{\n{}}}\n", rules.collect::<String>());
    let compiled = pipeline::compile("any.trim", &text);
    let checked = compiled.checked.unwrap_or_else(|| panic!("{text}\n{:#?}", compiled.diagnostics));
    lower(&checked, None).expect("one policy")
}

/// Renders, shortens and summarises any text, and replays and reports a conversation with it.
pub(crate) fn any_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let transcript = conversation(&text);
    let length = text.chars().count();
    for most in [0, 1, 2, length.saturating_sub(1), length, length + 1] {
        assert!(shorten(&text, most).chars().count() <= most + 1, "{most}");
    }
    extracted(&text);
    let number = |rule: &str, number: usize| rule.replace('N', &number.to_string());
    // Each rule alone, so that no other rule has reduced its texts; then all together.
    let alone = RULES.iter().enumerate().map(|(at, rule)| plan(&[number(rule, (length + at) % (length / 2 + 2))]));
    let together = plan(&RULES.map(|rule| number(rule, length / 3)));
    for plan in alone.chain([together]) {
        reported(&plan, &transcript, &mut Extract);
        if plan.rules.iter().any(|rule| rule.actions.iter().any(|action| action.effect.kind.can_fail())) {
            reported(&plan, &transcript, &mut ConstantSummariser(text.to_string()));
            reported(&plan, &transcript, &mut FailingSummariser);
        }
    }
}

/// The extractive summary accepts any text.
fn extracted(text: &str) {
    let marks = ["", "[user] ", "[assistant] ", "[assistant] Called tool f(", "[tool error] ", "[tool result] "];
    for previous in [None, Some(text.to_owned())] {
        let transcript = marks.map(|mark| format!("{mark}{text}\n")).concat();
        let request = SummaryRequest { previous, transcript, at_most: Some(10), ..SummaryRequest::default() };
        assert!(Extract.summarise(&request, 1).is_ok());
    }
}

fn reported(plan: &Plan, transcript: &Transcript, summariser: &mut dyn Summariser) {
    let options = Options { explain: Some(2), ..Options::default() };
    let mut last = Vec::new();
    let trace = replay(plan, transcript, &options, summariser, &mut |sent| {
        drop(render(sent.conversation.entries()));
        last = sent.messages();
    });
    let kept = Transcript { messages: last, ..transcript.clone() };
    let again = transcript::read(transcript::write(&kept).as_bytes(), Some("trimtab"));
    assert!(again.is_ok_and(|again| again.transcripts[0].messages.len() == kept.messages.len()));
    assert!(trace.invariants.broken.is_empty(), "{:?}", trace.invariants.broken);
    let file = transcript.id.clone();
    let one = || ReplayResult { file: file.clone(), id: file.clone(), trace: trace.clone(), assertions: Vec::new() };
    for (width, unicode) in [(20, true), (33, false), (100, true)] {
        let look = TerminalStyle { width, color: unicode, unicode };
        drop(report::simulation(plan, &[one()], 0, None, true, look));
        drop(report::simulation(plan, &[one(), one()], 1, Some(1), true, look));
        trace.explained.iter().for_each(|explained| drop(report::explanation(explained, look)));
    }
    assert!(serde_json::to_string(&one().result()).is_ok());
}
