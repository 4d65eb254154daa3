//! Estimates of tokens: the third system divides bytes by four; here, the counter estimates by the kind of characters.

use trimtab::conversation::Counter;
use trimtab::hook::ContextBudget;
use trimtab::model::TokenCounter;

use super::{Scene, assistant, user};

/// The third system estimates 25, 0 and 50 tokens.
#[test]
fn texts_are_estimated_by_their_characters() {
    let counter = TokenCounter::default();
    let texts = ["a".repeat(100), String::new(), "x".repeat(200)].map(|text| counter.text(&text));
    assert_eq!(texts, [13, 0, 26]);
    let words = "The quick brown fox jumps over the lazy dog. ".repeat(10);
    assert_eq!((counter.text(&words), words.len() / 4), (109, 112));
}

/// The third system estimates 10, 6 and 0 tokens, without schemas.
#[test]
fn declarations_are_estimated_with_their_schemas() {
    let counter = TokenCounter::default();
    let tools = |tools: &[(&str, &str)]| tools.iter().map(|(name, about)| counter.tool(name, about, "")).sum::<u64>();
    let two = tools(&[("tool_one", "does a thing"), ("tool_two", "does another")]);
    let one_described = tools(&[("tool_a", "describes one"), ("tool_b", "")]);
    assert_eq!((two, one_described, tools(&[])), (34, 32, 0));
    assert!(counter.tool("ls", "", "{\"type\":\"object\"}") > counter.tool("ls", "", ""));
}

/// The third system's budget of 100, 200 and 300 tokens, and its three sizes around the limit.
#[test]
fn the_parts_of_a_budget_are_added() {
    let budget = ContextBudget::new(100, 200, 300, Some(128_000));
    assert_eq!((budget.total_tokens, budget.window, budget.utilisation), (600, Some(128_000), Some(600.0 / 128_000.0)));
    let over = [115_200, 108_800, 64_000].map(|total| ContextBudget::new(0, 0, total, Some(128_000)).over_budget);
    assert_eq!(over, [true, false, false]);
}

/// The later version of the first system estimates 2,900 tokens: 25 for each text, and 4 for each message.
#[test]
fn a_hundred_messages_are_estimated_with_their_texts_and_an_overhead() {
    let counter = TokenCounter::default();
    let total = |text: &str| (0..100).map(|_| counter.message(&user(text))).sum::<u64>();
    assert_eq!((total(&"a".repeat(100)), counter.text(&"a".repeat(100)), counter.envelope()), (1700, 13, 4));
}

/// There, an empty chat and no tools are 0 tokens, a total is their sum, and two texts of 19 and 21 characters are 19.
#[test]
fn a_conversation_is_estimated_by_the_sum_of_its_messages() {
    let counter = TokenCounter::default();
    let mut scene = Scene::of("kind: progress");
    assert_eq!(scene.conversation().tokens(), 0);
    let two = [user("Where is the error?"), assistant("It is in the parser. ")];
    assert_eq!(two.each_ref().map(|message| message.plain_text().len()), [19, 21]);
    let sizes = two.each_ref().map(|message| counter.message(message));
    scene.push(two);
    assert_eq!((sizes, scene.conversation().tokens()), ([9, 10], 19));
}
