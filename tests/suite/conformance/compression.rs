//! Compression of large results when they arrive. The third system selects the parts of a result that match the arguments of
//! its call; here, a rule keeps its beginning and its end, or all of it outside the context.

use super::{Scene, assistant, call, calls, err, ok, user};

const HEADER: &str = "[the middle of this result is left out]";

/// What a request has of these results of `read`, in a window of 1000 tokens.
fn sent(rules: &str, results: &[(&str, &str, bool)]) -> (Scene, Vec<String>) {
    let mut scene = Scene::policy("x.trim", &format!("edition 2026 policy p {{ {rules} }}")).messages([user("go")]);
    let ids: Vec<String> = (0..results.len()).map(|at| format!("c{at}")).collect();
    let all: Vec<(&str, &str, &str)> = ids.iter().zip(results).map(|(id, one)| (id.as_str(), one.0, "{}")).collect();
    scene.push([calls(&all)]);
    scene.push(ids.iter().zip(results).map(|(id, (_, text, fails))| if *fails { err(id, text) } else { ok(id, text) }));
    scene.request();
    let texts = (2..scene.len()).map(|at| scene.text(at)).collect();
    (scene, texts)
}

/// One result under a rule that cuts the middle of what is longer than 500 characters.
fn cut(text: &str) -> String {
    let rule =
        format!("rule cut {{ do trim arrivals over 500 chars to 400 chars from middle placeholder \"{HEADER}\" }}");
    sent(&rule, &[("read", text, false)]).1.remove(0)
}

fn paragraphs(count: usize) -> String {
    (0..count).map(|at| format!("Paragraph {at} of the report says something about topic {at}.\n\n")).collect()
}

/// `below threshold unchanged`
#[test]
fn a_result_up_to_the_limit_is_sent_whole() {
    let text = "x".repeat(500);
    assert_eq!(cut(&text), text);
    assert_ne!(cut(&"x".repeat(501)), "x".repeat(501));
    assert_eq!(cut(&"é".repeat(500)), "é".repeat(500), "characters, not bytes");
}

/// `30 paragraphs, threshold 500`
#[test]
fn a_large_result_is_sent_shorter_and_says_so() {
    let (text, sent) = (paragraphs(30), cut(&paragraphs(30)));
    assert!(sent.contains(HEADER) && sent.chars().count() < text.chars().count(), "{sent}");
}

/// `{} args: boundary selection`
#[test]
fn the_beginning_and_the_end_of_a_large_result_are_kept() {
    let (text, sent) = (paragraphs(30), cut(&paragraphs(30)));
    let (head, tail) = sent.split_once(HEADER).expect("the marker");
    assert!(text.starts_with(head) && text.ends_with(tail), "{sent}");
    assert_eq!((head.chars().count() + tail.chars().count(), head.chars().count()), (400, 200));
}

/// `3 chunks of 10 allowed`
#[test]
fn a_result_that_would_not_get_shorter_is_sent_whole() {
    let rule = "rule cut { do trim arrivals over 100 chars to 2k chars from middle }";
    let text = paragraphs(3);
    assert!(text.len() > 100);
    assert_eq!(sent(rule, &[("read", &text, false)]).1, [text]);
}

/// `tool error`
#[test]
fn an_error_is_sent_whole() {
    let rule = "rule cut { do trim arrivals over 100 chars to 50 chars from middle }";
    let text = paragraphs(30);
    assert_eq!(sent(rule, &[("read", &text, true)]).1, [text]);
}

/// Chunks that match a query: nothing is selected by one, but nothing is lost either.
#[test]
fn a_part_that_is_not_sent_can_be_recalled() {
    let rule = "rule away { do offload arrivals over 500 chars preview 100 chars }";
    let text = paragraphs(15) + "Kubernetes schedules pod bc97d0.\n\n" + &paragraphs(15);
    let (scene, sent) = sent(rule, &[("read", &text, false)]);
    assert!(!sent[0].contains("bc97d0") && sent[0].len() < 300, "{}", sent[0]);
    let id = sent[0].split('"').nth(1).expect("an id");
    assert_eq!(scene.conversation.recall(id), Ok(text.as_str()));
}

/// `per-tool threshold`
#[test]
fn tools_have_limits_of_their_own() {
    let rules = "rule logs { do trim arrivals over 5k chars to 1k chars only [logs] }
                 rule others { do trim arrivals over 500 chars to 100 chars except [logs] }";
    let text = paragraphs(30);
    let found = sent(rules, &[("logs", &text, false), ("read", &text, false)]).1;
    assert_eq!((found[0] == text, found[1].chars().count()), (true, 100 + "… [trimmed]".chars().count()));
}

/// `per-tool max_chunks`
#[test]
fn more_is_kept_of_the_results_of_one_tool() {
    let rules = "rule logs { do trim arrivals over 500 chars to 900 chars only [logs] }
                 rule others { do trim arrivals over 500 chars to 100 chars except [logs] }";
    let text = paragraphs(30);
    let found = sent(rules, &[("logs", &text, false), ("read", &text, false)]).1;
    assert!(found[0].len() > found[1].len() && found[0].len() < text.len());
}

/// `boost 2 keeps more than the baseline`: here also as a rule, without a host that multiplies.
#[test]
fn more_is_kept_of_results_after_a_miss() {
    let rules = "rule baseline { when misses == 0 do trim arrivals over 500 chars to 300 chars }
                 rule boosted { when misses >= 1 do trim arrivals over 500 chars to 600 chars }";
    let text = paragraphs(30);
    let messages = [
        vec![user("go"), call("a", "read", "{}"), ok("a", &text), call("b", "read", "{}"), ok("b", &text)],
        vec![assistant("Done.")],
    ];
    let plan = crate::laws::plan(&format!("edition 2026 policy p {{ {rules} }}"));
    let messages = messages.concat().into_iter().map(std::sync::Arc::new).collect();
    let transcript = trimtab::transcript::Transcript { messages, ..Default::default() };
    let mut sizes = Vec::new();
    let options = trimtab::simulate::Options::default();
    trimtab::simulate::replay(&plan, &transcript, &options, &mut trimtab::simulate::FailingSummariser, &mut |sent| {
        let entries = sent.conversation.entries().iter();
        let results = entries.flat_map(|entry| entry.message().results());
        sizes.push(results.map(|result| result.text.chars().count()).collect::<Vec<_>>());
    });
    let marker = "… [trimmed]".chars().count();
    assert_eq!(sizes, [vec![], vec![300 + marker], vec![300 + marker, 600 + marker]]);
}

/// `the last 3000 bytes`
#[test]
fn the_end_of_a_text_can_be_kept() {
    let rule = "rule end { do trim arrivals over 3k chars to 3k chars from head placeholder \"[earlier output left out] \" \
                }";
    let text = format!("begin {}{}", "x".repeat(100), "y".repeat(3000));
    let expected = format!("[earlier output left out] {}", "y".repeat(3000));
    assert_eq!(sent(rule, &[("bash", &text, false)]).1, [expected]);
}
