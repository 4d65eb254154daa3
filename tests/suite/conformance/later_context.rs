//! What the fourth system and its later versions do to the context besides the window: compaction, stages, and loops.

use trimtab::conversation::{Message, Role};
use trimtab::phase::Phase;

use super::{Scene, assistant, call, err, long, ok, summary, system, user};

/// The rules of a policy, with a conversation of this size in a window of 1,000 tokens.
fn at(size: u64, rules: &str, messages: impl IntoIterator<Item = Message>) -> Scene {
    let policy = format!("edition 2026 policy p {{ {rules} }}");
    let mut scene = Scene::policy("p.trim", &policy).messages(messages);
    scene.state.meter.record_call(size, scene.state.views.size(&scene.conversation), true);
    scene
}

/// A prompt, a query, and as many calls with results of 300 characters.
fn session(calls: usize) -> Vec<Message> {
    let mut messages = vec![system("You are a test."), user("Go.")];
    for number in 1..=calls {
        let (id, tool) = (format!("c{number}"), if number == 1 { "skill" } else { "grep" });
        messages.extend([call(&id, tool, &format!("\"{number}\"")), ok(&id, &long(&format!("r{number}"), 300))]);
    }
    messages
}

/// The numbers of the results that are not as long as they were.
fn reduced(scene: &Scene) -> Vec<usize> {
    let results = (0..scene.len()).filter(|at| scene.roles()[*at] == Role::Tool).enumerate();
    results.filter(|(_, at)| scene.text(*at).chars().count() < 300).map(|(number, _)| number + 1).collect()
}

/// `compaction at 95%`: the conversation is at the limit or above it.
#[test]
fn a_compaction_at_95_percent_keeps_the_prompt_and_the_newest_message() {
    let rule = "rule compact { when context.ratio >= 95% do summarise older keep 1 message on_failure keep }";
    let turns = || [system("You are a test."), user(&long("one", 300)), assistant(&long("two", 300)), user("three")];
    at(949, rule, turns()).assert_idle_on_request();
    let mut scene = at(950, rule, turns()).answers([summary("Done: one and two.")]);
    assert!(scene.request().edited());
    assert_eq!(scene.len(), 3);
    assert_eq!((scene.text(0), scene.text(2)), ("You are a test.".to_owned(), "three".to_owned()));
    assert!(scene.text(1).contains("Done: one and two."));
}

/// A result at the end keeps its call, where the fourth system may send a result alone.
#[test]
fn a_compaction_keeps_the_call_of_the_newest_result() {
    let rule = "rule compact { when context.ratio >= 95% do summarise older keep 1 message on_failure keep }";
    let messages = [system("You are a test."), user(&long("one", 300)), call("c", "ls", "{}"), ok("c", "found")];
    let mut scene = at(950, rule, messages).answers([summary("Done: one.")]);
    assert!(scene.request().edited());
    assert_eq!(scene.roles(), [Role::System, Role::User, Role::Assistant, Role::Tool]);
    assert!(scene.text(1).contains("Done: one."));
}

/// `stages of the context`: a warning, two masks, and a summary.
#[test]
fn the_stages_of_a_filling_context_are_a_ladder_of_rules() {
    let rules = "rule warn { when context.ratio >= 70% do notify \"70%\" once }
                 rule compact { when context.ratio >= 99% do summarise older keep 5 messages on_failure keep }
                 rule mask_more { when context.ratio >= 90% do mask results keep 3 results except [skill] }
                 rule mask { when context.ratio >= 80% do mask results keep 6 results except [skill] }";
    let notices = |scene: &mut Scene| scene.request().signals.len();
    for (size, notes, masked) in [(699, 0, vec![]), (700, 1, vec![]), (799, 1, vec![]), (800, 1, vec![2, 3])] {
        let mut scene = at(size, rules, session(9));
        assert_eq!((notices(&mut scene), reduced(&scene)), (notes, masked), "{size}");
    }
    let mut scene = at(900, rules, session(9));
    assert_eq!((notices(&mut scene), reduced(&scene)), (1, vec![2, 3, 4, 5, 6]));
    let mut scene = at(990, rules, session(9)).answers([summary("Done.")]);
    scene.request();
    assert!(scene.text(1).contains("Done.") && scene.len() < 10, "{:?}", scene.lines());
}

/// `calibration after masking`: the size is what it was less what the mask has taken away.
#[test]
fn a_mask_lowers_the_size_that_later_rules_read() {
    let rules = "rule mask { when context.ratio >= 80% do mask results keep 0 results }
                 rule high { when context.ratio >= 80% do notify \"still high\" }
                 rule stale { when (reported.ratio ?? 0%) >= 80% do notify \"as reported\" }";
    let outcome = at(820, rules, session(5)).request();
    let notices: Vec<&str> = outcome.signals.iter().filter_map(|given| given.signal.notice()).collect();
    assert_eq!(notices, ["as reported"]);
}

/// `prune at 85%`: the oldest long results go first, until the context is small enough.
#[test]
fn the_oldest_long_results_are_pruned_until_the_context_is_small_enough() {
    let rule = "rule prune { when context.ratio >= 85% do mask results over 200 chars keep 1 result preview 0 chars down_to 75% }";
    at(849, rule, session(8)).assert_idle_on_request();
    let mut scene = at(850, rule, session(8));
    scene.request();
    let pruned = reduced(&scene);
    assert!((1..7).contains(&pruned.len()) && pruned.iter().copied().eq(1..=pruned.len()), "{pruned:?}");
}

/// `a window of 500 messages that keeps 50`
#[test]
fn too_many_messages_leave_the_newest_50() {
    let rule = "rule window { when context.messages >= 500 do drop older keep 50 messages }";
    let turns = |count: usize| (0..count).flat_map(|at| [user(&format!("q{at}")), assistant("r")]);
    at(100, rule, turns(249)).assert_idle_on_request();
    let mut scene = at(100, rule, turns(250));
    assert!(scene.request().edited());
    assert_eq!((scene.len(), scene.text(0)), (50, "q225".to_owned()));
}

/// `doom loop`: calls in a cycle of one to three, three times.
#[test]
fn a_cycle_of_up_to_three_calls_is_a_loop_at_its_third_time() {
    let rule = "rule doom { when cycles(period: 3, within: 20 calls) >= 3 do inject \"You go in circles.\" as user
                            once per cycles(period: 3, within: 20 calls) }";
    for period in 1..=3 {
        let turn = |at: usize| {
            let tool = ["read", "edit", "test"][at % period];
            [call("c", tool, "{}"), ok("c", "the same")]
        };
        let scene = |calls: usize| at(100, rule, std::iter::once(user("Go.")).chain((0..calls).flat_map(turn)));
        assert!(!scene(3 * period - 1).request().edited(), "{period}");
        let mut found = scene(3 * period);
        assert!(found.request().edited() && found.last() == "You go in circles.", "{period}");
    }
}

/// `HEAD result lines`: a long old result becomes one line with its beginning.
#[test]
fn old_results_become_one_line_each() {
    let rule = "rule lines { do mask results keep 0 results preview 0 chars placeholder \"✓ Success\" }";
    let mut scene = at(100, rule, session(2));
    scene.request();
    assert_eq!([scene.text(3), scene.text(5)], ["✓ Success", "✓ Success"]);
    assert_eq!(reduced(&scene), [1, 2]);
}

/// The third system logs a warning above 85 percent of a window of 128,000 tokens.
#[test]
fn a_context_above_85_percent_is_a_notice() {
    let notices = |size: u64| {
        let rule = "rule budget { on context_budget when context.ratio > 85% do notify \"{context.ratio} is used\" }";
        let mut scene = at(size, rule, session(1)).window(Some(128_000));
        scene.run(Phase::ContextBudget).signals.len()
    };
    assert_eq!([notices(108_800), notices(108_801)], [0, 1]);
}

/// Results of up to 200 characters stay as they are, and so do errors.
#[test]
fn only_long_old_results_become_one_line() {
    let sent = |result: Message, labels: &str| {
        let rule =
            format!("rule lines {{ do mask results over 200 chars keep 0 results placeholder \"✓ Success\"{labels} }}");
        let mut scene = at(100, &rule, [user("Go."), call("c", "ls", "{}"), result]);
        scene.request();
        scene.text(2)
    };
    assert_eq!(sent(ok("c", &long("r", 200)), ""), long("r", 200));
    assert_eq!(sent(ok("c", &long("r", 201)), ""), "✓ Success");
    assert_eq!(sent(err("c", &long("no", 300)), ""), long("no", 300));
    let line = " including errors";
    assert_eq!(sent(err("c", &long("no", 300)), line), "✓ Success");
}

/// A mask has no id of what it replaces; an offloaded result has one.
#[test]
fn a_pruned_result_is_a_fixed_text_and_an_offloaded_one_has_its_id() {
    let sent = |effect: &str| {
        let mut scene = at(100, &format!("rule r {{ do {effect} keep 0 results }}"), session(1));
        scene.request();
        scene.text(3)
    };
    assert_eq!(sent("mask results placeholder \"[pruned]\""), "[pruned]");
    let offloaded = sent("offload results placeholder \"[ref: tool result {id}]\"");
    assert!(offloaded.starts_with("[ref: tool result r"), "{offloaded}");
}

/// Three rules answer a cycle that goes on: a message, a notice to the host, and the end of the run.
#[test]
fn a_loop_that_goes_on_is_answered_in_three_stages() {
    let rules = "rule redirect { when cycles(period: 3, within: 20 calls) >= 3 do inject \"You go in circles.\" once }
                 rule tell { when cycles(period: 3, within: 20 calls) >= 4 do notify \"in circles\" once }
                 rule end { when cycles(period: 3, within: 20 calls) >= 5 do stop \"in circles\" }";
    let mut scene = at(100, rules, [user("Go.")]);
    let stages = (1..=5).map(|_| {
        scene.push([call("c", "test", "{}"), ok("c", "the same")]);
        let outcome = scene.next();
        let notices = outcome.signals.iter().filter_map(|given| given.signal.notice()).count();
        (outcome.edited(), notices, outcome.stop().is_some())
    });
    let quiet = (false, 0, false);
    assert_eq!(stages.collect::<Vec<_>>(), [quiet, quiet, (true, 0, false), (false, 1, false), (false, 0, true)]);
}
