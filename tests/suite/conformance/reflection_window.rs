//! The reflection window of the fourth system: `retain last N interactions pin none`.

use std::sync::Arc;

use trimtab::conversation::{Message, Role};
use trimtab::simulate::{FailingSummariser, Options, replay};
use trimtab::transcript::Transcript;

use super::{Scene, assistant, call, ok, user};
use crate::laws;

/// A turn: a query, a reply with calls, and their results.
fn turn(number: usize, calls: usize) -> Vec<Message> {
    let mut messages = vec![user(&format!("Query {number}"))];
    let ids: Vec<String> = (0..calls).map(|at| format!("c{number}_{at}")).collect();
    let called: Vec<_> = ids.iter().map(|id| (id.as_str(), "read_file", "{}")).collect();
    messages.push(if calls == 0 { assistant(&format!("Resp {number}")) } else { super::calls(&called) });
    messages.extend(ids.iter().map(|id| ok(id, "content")));
    messages
}

/// What is sent after these messages.
fn sent(rules: &str, messages: Vec<Message>) -> Vec<Message> {
    let messages = messages.into_iter().chain([assistant("The reply.")]).map(Arc::new).collect();
    let transcript = Transcript { messages, window: Some(100_000), ..Transcript::default() };
    let plan = laws::plan(&format!("edition 2026 policy p {{ {rules} }}"));
    let mut last = Vec::new();
    replay(&plan, &transcript, &Options::default(), &mut FailingSummariser, &mut |sent| last = sent.messages());
    last.iter().map(|message| message.as_ref().clone()).collect()
}

fn window(last: usize, messages: Vec<Message>) -> Vec<Message> {
    sent(&format!("rule w {{ do retain last {last} interactions pin none }}"), messages)
}

fn turns(count: usize, calls: usize) -> Vec<Message> {
    (1..=count).flat_map(|number| turn(number, calls)).collect()
}

/// How many messages the code of the fourth system keeps: everything after the user message before the window.
fn with_orphans(last: usize, messages: &[Message]) -> usize {
    let users = (0..messages.len()).rev().filter(|at| messages[*at].role == Role::User);
    users.skip(last).map(|at| messages.len() - (at + 1)).next().unwrap_or(messages.len())
}

/// The documented example: 10 turns with a call each are 30 messages.
#[test]
fn the_last_five_interactions_are_fifteen_of_thirty_messages() {
    let all = turns(10, 1);
    assert_eq!(all.len(), 30);
    for (last, ours, theirs) in [(1, 3, 5), (3, 9, 11), (5, 15, 17), (9, 27, 29), (10, 30, 30), (11, 30, 30)] {
        let kept = window(last, all.clone());
        assert_eq!((kept.len(), with_orphans(last, &all)), (ours, theirs), "{last}");
        assert_eq!(kept[0].role, Role::User, "no orphan reply before the first query");
        assert_eq!(kept.last(), all.last());
    }
}

#[test]
fn the_first_query_of_the_window_is_the_oldest_of_them() {
    let kept = window(5, turns(10, 1));
    let queries: Vec<String> =
        kept.iter().filter(|message| message.role == Role::User).map(Message::plain_text).collect();
    assert_eq!(queries, ["Query 6", "Query 7", "Query 8", "Query 9", "Query 10"]);
}

/// 4, 5, 6 and 50 turns; none and two calls a turn.
#[test]
fn the_window_counts_interactions_whatever_they_contain() {
    let cases = [(4, 1, 12, 12), (5, 1, 15, 15), (6, 1, 15, 17), (50, 1, 15, 17), (10, 0, 10, 11), (10, 2, 20, 23)];
    for (count, calls, ours, theirs) in cases {
        let all = turns(count, calls);
        let kept = window(5, all.clone()).len();
        assert_eq!((kept, with_orphans(5, &all)), (ours, theirs), "{count} turns with {calls} calls");
    }
}

/// The query that waits for its reply is an interaction. A result that no request has contained is sent with it.
#[test]
fn the_open_query_is_one_of_the_interactions() {
    let mut messages = turns(10, 1);
    messages.push(user("Query 11"));
    let count = |last| (window(last, messages.clone()).len(), with_orphans(last, &messages));
    assert_eq!([count(5), count(3), count(1)], [(13, 15), (7, 9), (4, 3)]);
}

/// A compaction summary and system messages do not count, and are sent.
#[test]
fn system_messages_are_sent_and_are_no_interactions() {
    let mut messages = vec![Message::text(Role::System, "You are a test.")];
    messages.extend(turns(3, 1));
    messages.push(Message::text(Role::System, "[SUMMARY]"));
    messages.extend(turns(3, 1));
    let kept = window(2, messages);
    let roles: Vec<&str> = kept.iter().map(|message| message.role.word()).collect();
    assert_eq!(roles, ["system", "system", "user", "assistant", "tool", "user", "assistant", "tool"]);
}

/// A window of 0: the code of the fourth system sends the last reply and its result.
#[test]
fn a_window_of_no_interactions_is_an_error() {
    assert_eq!(with_orphans(0, &turns(10, 1)), 2);
    let text = "edition 2026 policy p { rule w { do retain last 0 interactions pin none } }";
    let compiled = trimtab::pipeline::compile("p.trim", text);
    let found: Vec<&str> = compiled.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(found, ["`last` of `retain` must be at least 1 interaction"]);
}

#[test]
fn a_negative_window_is_a_syntax_error() {
    assert_eq!(with_orphans(0, &turns(10, 1)), 2, "a negative window is the same there");
    let text = "edition 2026 policy p { rule w { do retain last -1 interactions } }";
    let found = trimtab::pipeline::compile("p.trim", text).diagnostics;
    let found: Vec<_> = found.iter().map(|one| (one.code.id, one.message.as_str())).collect();
    assert_eq!(found, [("E106", "`-1` is negative")]);
}

/// A turn may have several replies, of which each calls a tool; only queries count.
#[test]
fn a_turn_with_several_replies_is_one_interaction() {
    let reply = |id: String| [call(&id, "ls", "{}"), ok(&id, "content")];
    let turn = |number: usize| {
        let replies = (0..3).flat_map(move |at| reply(format!("c{number}_{at}")));
        std::iter::once(user(&format!("Query {number}"))).chain(replies)
    };
    let all: Vec<Message> = (1..=10).flat_map(turn).collect();
    let kept = window(5, all.clone());
    assert_eq!((all.len(), kept.len(), with_orphans(5, &all)), (70, 35, 41));
    assert_eq!(kept[0].plain_text(), "Query 6");
}

/// `window None` sends everything, as does a policy that disables the rule of another.
#[test]
fn a_window_can_be_disabled() {
    let text = "edition 2026
                policy base { rule w { do retain last 1 interactions pin none } }
                policy whole extends base { disable rule w \"the model needs all of it\" }";
    let all = turns(3, 1);
    let mut scene = Scene::policy("p.trim", text).messages(all.clone());
    scene.request();
    assert_eq!(scene.state.views.request(&scene.conversation).len(), all.len());
}

/// `window > history`
#[test]
fn a_window_larger_than_the_history_changes_nothing() {
    let all = turns(2, 1);
    assert_eq!(window(5, all.clone()), all);
}

/// Parallel calls and a message that arrives between a call and its result stay together with the call.
#[test]
fn a_window_never_separates_a_call_from_its_result() {
    let mut messages = vec![user("one"), call("c1", "bash", "{}"), user("two"), ok("c1", "late")];
    messages.extend([assistant("done"), user("three")]);
    let kept = window(2, messages.clone());
    assert_eq!(kept, messages, "the boundary moves before the call, and to the prompt with which a request can begin");
}

/// The window is adaptive by rules: short questions get less, implementation work gets more.
#[test]
fn rules_choose_the_window_by_the_request() {
    let rules = "rule usual { do retain last 5 interactions pin none }
                 rule short { when request.words < 5 do retain last 3 interactions pin none }
                 rule long { when request.mentions([refactor, implement, design]) and request.words >= 5
                             do retain last 7 interactions pin none }";
    let with = |query: &str| {
        let mut messages = turns(9, 0);
        messages.push(user(query));
        sent(rules, messages).iter().filter(|message| message.role == Role::User).count()
    };
    assert_eq!([with("fix it"), with("redesigned the parser and all of its tests")], [3, 7]);
    assert_eq!([with("please refactor"), with("what does this function return for zero")], [3, 5]);
    assert_eq!([with("what is this for"), with("what is this function for")], [3, 5], "four and five words");
}

/// The window shrinks to its minimum while the context is above the goal.
#[test]
fn the_window_shrinks_to_its_minimum_while_the_context_is_too_large() {
    let long = |number: usize| vec![user(&format!("Query {number}")), assistant(&"word ".repeat(100))];
    let messages: Vec<Message> = (1..=8).flat_map(long).collect();
    let count = |rule: &str| sent(&format!("rule w {{ do retain {rule} }}"), messages.clone()).len() / 2;
    assert_eq!(count("last 7 interactions min 3 down_to 90%"), 7);
    assert_eq!(count("last 10 interactions min 3 down_to 90%"), 8, "there are no more");
    let between = count("last 7 interactions min 3 down_to 350 tokens");
    assert!((3..7).contains(&between), "{between}");
    assert_eq!(count("last 7 interactions min 3 down_to 10 tokens"), 3);
    assert_eq!(count("last 7 interactions down_to 10 tokens"), 1);
}

/// Large results are trimmed first; the documented limit is 2,000 characters.
#[test]
fn large_results_are_trimmed_before_interactions_are_left_out() {
    let mut messages = turns(2, 1);
    messages.extend([user("Query 3"), call("big", "read_file", "{}"), ok("big", &"x".repeat(3000)), user("Query 4")]);
    let rules =
        "rule t { do trim results over 2000 chars to 2000 chars keep 0 messages placeholder \"... (truncated)\" }
                 rule w { do retain last 3 interactions pin none }";
    let kept = sent(rules, messages);
    let result = kept.iter().find_map(|message| message.results().find(|result| result.id == "big")).expect("a result");
    assert_eq!(result.text.chars().count(), 2000 + "... (truncated)".chars().count());
    assert!(result.text.ends_with("x... (truncated)"));
}

/// Unlike an edit, a window forgets nothing: a wider one later sends it all again.
#[test]
fn a_window_is_chosen_anew_for_each_request() {
    let mut scene = Scene::policy(
        "p.trim",
        "edition 2026 policy p { rule w { when iteration == 1 do retain last 1 interactions pin none } }",
    )
    .messages(turns(4, 1));
    scene.request();
    assert_eq!(scene.state.views.request(&scene.conversation).len(), 3);
    scene.state.views.end_request();
    scene.next();
    assert_eq!(scene.state.views.request(&scene.conversation).len(), 12);
}
