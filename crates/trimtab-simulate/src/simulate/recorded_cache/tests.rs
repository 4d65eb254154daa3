use std::sync::Arc;

use proptest::prelude::*;
use trimtab_base::conversation::{Cleared, HarnessEdits, HeadChange, Message, Part, Role};

use super::*;

/// A session of which each call follows the one before after some seconds.
#[derive(Debug, Default)]
struct Session {
    transcript: Transcript,
    seconds: i64,
}

impl Session {
    fn new(model: &str) -> Self {
        let transcript = Transcript { model: Some(model.into()), ..Transcript::default() };
        Self { transcript, seconds: 0 }
    }

    fn push(mut self, message: Message) -> Self {
        self.transcript.messages.push(Arc::new(message));
        self
    }

    fn at(&self) -> Option<SmolStr> {
        let start: jiff::Timestamp = "2026-03-02T09:00:00Z".parse().expect("a time");
        Some(start.saturating_add(jiff::SignedDuration::from_secs(self.seconds)).expect("a time").to_string().into())
    }

    /// A call after so many seconds with this usage: uncached, read, written.
    fn call(self, after: i64, usage: [u64; 3]) -> Self {
        self.reply(after, usage, |reply| reply)
    }

    fn reply(mut self, after: i64, [input, cache_read, cache_write]: [u64; 3], with: fn(Message) -> Message) -> Self {
        self.seconds += after;
        let usage = Some(Usage { input, cache_read, cache_write, output: 10, ..Usage::default() });
        let at = self.at();
        self.push(with(Message { usage, at, ..Message::text(Role::Assistant, "done") }))
    }

    fn cache(&self) -> RecordedCache {
        RecordedCache::of(&self.transcript, &Models::default())
    }

    /// The causes of the breaks, with the tokens that were billed again.
    fn breaks(&self) -> Vec<(CacheCause, u64)> {
        self.cache().breaks.iter().map(|one| (one.cause, one.tokens)).collect()
    }
}

const CLAUDE: &str = "claude-sonnet-4-5";

#[test]
fn a_session_that_reads_what_it_wrote_has_no_breaks() {
    let session = Session::new(CLAUDE).call(0, [5, 0, 20_000]).call(60, [5, 20_000, 3_000]).call(60, [5, 23_000, 900]);
    let cache = session.cache();
    assert!(cache.breaks.is_empty());
    assert_eq!(cache.due, CacheDue { calls: 2, tokens: 43_000, read: 43_000, remainder: 0 });
    let family = CacheReliability { calls: 2, tokens: 43_000, ..CacheReliability::default() };
    assert_eq!(cache.families, BTreeMap::from([("claude".into(), family)]));
}

#[test]
fn a_pause_beyond_the_lifetime_of_the_entry_explains_a_break() {
    let after = |pause, usage| Session::new(CLAUDE).call(0, [5, 0, 20_000]).call(pause, usage).breaks();
    assert_eq!(after(300, [5, 0, 21_000]), [(CacheCause::Lifetime, 20_000)]);
    assert_eq!(after(299, [5, 0, 21_000]), [(CacheCause::Unexplained, 20_000)]);
    // What other sessions use has not expired.
    assert_eq!(after(600, [5, 12_000, 9_000]), [(CacheCause::Lifetime, 8_000)]);
}

#[test]
fn an_entry_that_is_kept_for_an_hour_has_not_expired_after_five_minutes() {
    let hourly = |mut message: Message| {
        message.usage = message.usage.map(|usage| Usage { hour_write: usage.cache_write, ..usage });
        message
    };
    let session = |pause| Session::new(CLAUDE).reply(0, [5, 0, 20_000], hourly).call(pause, [5, 0, 21_000]).breaks();
    assert_eq!(session(3_599), [(CacheCause::Unexplained, 20_000)]);
    assert_eq!(session(3_600), [(CacheCause::Lifetime, 20_000)]);
}

#[test]
fn the_time_of_the_input_is_the_time_of_the_call() {
    let mut session = Session::new(CLAUDE).call(0, [5, 0, 20_000]);
    session.seconds = 290;
    let at = session.at();
    let session = session.push(Message { at, ..Message::text(Role::User, "go on") });
    // The reply took 20 seconds.
    assert_eq!(session.call(20, [5, 0, 21_000]).breaks(), [(CacheCause::Unexplained, 20_000)]);
}

#[test]
fn another_model_has_not_seen_the_conversation() {
    let other = |reply: Message| Message { model: Some("claude-haiku-4-5".into()), ..reply };
    let session = Session::new(CLAUDE).call(0, [5, 0, 20_000]).reply(9, [5, 0, 21_000], other);
    assert_eq!(session.breaks(), [(CacheCause::Model, 20_000)]);
    // The same model in another spelling has.
    let spelled = |reply: Message| Message { model: Some("anthropic/claude-sonnet-4.5".into()), ..reply };
    let session = Session::new(CLAUDE).call(0, [5, 0, 20_000]).reply(9, [5, 0, 21_000], spelled);
    assert_eq!(session.breaks(), [(CacheCause::Unexplained, 20_000)]);
}

#[test]
fn changes_ahead_of_the_messages_explain_a_break() {
    let changed = |tools, prompt| {
        let edits = HarnessEdits { changed: HeadChange { tools, prompt }, ..HarnessEdits::default() };
        let message = Message { harness_edits: Some(Box::new(edits)), ..Message::text(Role::User, "go on") };
        Session::new(CLAUDE).call(0, [5, 0, 20_000]).push(message).call(9, [5, 0, 21_000]).breaks()
    };
    assert_eq!(changed(true, true), [(CacheCause::Tools, 20_000)]);
    assert_eq!(changed(false, true), [(CacheCause::Prompt, 20_000)]);
    assert_eq!(changed(false, false), [(CacheCause::Unexplained, 20_000)]);
}

#[test]
fn another_reasoning_effort_explains_a_break_if_nothing_before_it_does() {
    let low = |reply: Message| Message { effort: Some("low".into()), ..reply };
    let high = |reply: Message| Message { effort: Some("high".into()), ..reply };
    let unknown = |reply: Message| reply;
    let after = |seconds: i64, with: fn(Message) -> Message, message: Message| {
        let session = Session::new(CLAUDE).reply(0, [5, 0, 20_000], low).push(message);
        session.reply(seconds, [5, 0, 21_000], with).breaks()
    };
    let words = || Message::text(Role::User, "go on");
    assert_eq!(after(9, high, words()), [(CacheCause::Effort, 20_000)]);
    assert_eq!(after(9, low, words()), [(CacheCause::Unexplained, 20_000)]);
    assert_eq!(after(9, unknown, words()), [(CacheCause::Unexplained, 20_000)]);
    // What is found earlier comes first.
    assert_eq!(after(600, high, words())[0].0, CacheCause::Lifetime);
    let other: fn(Message) -> Message =
        |reply| Message { effort: Some("high".into()), model: Some("claude-haiku-4-5".into()), ..reply };
    assert_eq!(after(9, other, words())[0].0, CacheCause::Model);
    let changed = |tools, prompt| {
        let edits = HarnessEdits { changed: HeadChange { tools, prompt }, ..HarnessEdits::default() };
        Message { harness_edits: Some(Box::new(edits)), ..words() }
    };
    assert_eq!(after(9, high, changed(true, false))[0].0, CacheCause::Tools);
    assert_eq!(after(9, high, changed(false, true))[0].0, CacheCause::Prompt);
    assert_eq!(after(9, high, Message { resets: true, ..words() })[0].0, CacheCause::History);
    // A recording without times says nothing of the lifetime, but of the effort.
    let untimed: fn(Message) -> Message = |reply| Message { effort: Some("high".into()), at: None, ..reply };
    let low_untimed = |reply: Message| Message { effort: Some("low".into()), at: None, ..reply };
    let session = Session::new(CLAUDE).reply(0, [5, 0, 20_000], low_untimed).reply(9, [5, 0, 21_000], untimed);
    assert_eq!(session.breaks(), [(CacheCause::Effort, 20_000)]);
}

#[test]
fn another_reasoning_effort_comes_before_reasoning_that_the_provider_drops() {
    let reasoned = |reply: Message| {
        let reasoning = Part::new(trimtab_base::conversation::Body::Thinking { text: "hm".into(), signature: None });
        Message { parts: vec![reasoning], effort: Some("low".into()), ..reply }
    };
    let session = Session::new("claude-sonnet-4").reply(0, [5, 0, 20_000], reasoned);
    let session = session.push(Message::text(Role::User, "and now?"));
    let high = |reply: Message| Message { effort: Some("high".into()), ..reply };
    assert_eq!(session.reply(9, [5, 4_000, 17_000], high).breaks(), [(CacheCause::Effort, 16_000)]);
}

/// The tokens of the only break, which has this cause.
fn the_only(breaks: &[(CacheCause, u64)], cause: CacheCause) -> u64 {
    let tokens: Vec<u64> = breaks.iter().filter(|one| one.0 == cause).map(|one| one.1).collect();
    assert_eq!((breaks.len(), tokens.len()), (1, 1), "{breaks:?}");
    tokens[0]
}

#[test]
fn a_compaction_bills_again_only_what_it_kept() {
    let words = "word ".repeat(8_000);
    let kept = Message { kept: true, ..Message::text(Role::User, words.as_str()) };
    let summary = Message { resets: true, ..Message::text(Role::User, words.as_str()) };
    let before = || Session::new(CLAUDE).call(0, [5, 0, 90_000]);
    let without = before().push(summary.clone()).call(9, [5, 0, 20_000]).breaks();
    let with = before().push(summary).push(kept).call(9, [5, 0, 30_000]).breaks();
    let [without, with] = [without, with].map(|breaks| the_only(&breaks, CacheCause::History));
    assert!(with > without + 5_000 && with <= 30_000, "{without} {with}");
}

#[test]
fn cleared_results_are_not_billed_again() {
    let cleared = Some(Cleared { results: vec!["a".into()], tokens: None });
    let edits = HarnessEdits { cleared, ..HarnessEdits::default() };
    let message = Message { harness_edits: Some(Box::new(edits)), ..Message::text(Role::User, "go on") };
    let session = Session::new(CLAUDE).call(0, [5, 0, 90_000]).push(message).call(9, [5, 12_000, 30_000]);
    let tokens = the_only(&session.breaks(), CacheCause::History);
    assert!((29_000..=30_005).contains(&tokens), "{tokens}");
}

#[test]
fn a_request_that_is_smaller_than_what_was_cached_cannot_begin_with_it() {
    let session = Session::new(CLAUDE).call(0, [5, 0, 90_000]).call(9, [5, 12_000, 30_000]);
    assert_eq!(session.breaks()[0].0, CacheCause::History);
}

#[test]
fn without_times_the_lifetime_is_not_ruled_out() {
    let untimed = |reply: Message| Message { at: None, ..reply };
    let session = Session::new(CLAUDE).reply(0, [5, 0, 20_000], untimed).reply(9, [5, 0, 21_000], untimed);
    assert_eq!(session.breaks(), [(CacheCause::Untimed, 20_000)]);
    assert!(session.cache().families.is_empty());
}

#[test]
fn a_provider_that_does_not_count_writes_keeps_the_whole_context_in_steps() {
    let session = Session::new("gpt-5").call(0, [10_000, 0, 0]).call(9, [4_000, 9_984, 0]).call(9, [14_100, 0, 0]);
    assert_eq!(session.breaks(), [(CacheCause::Unexplained, 13_952)]);
    let family = session.cache().families["gpt"];
    assert_eq!((family.calls, family.missed_calls), (2, 1));
    assert_eq!((family.tokens, family.missed_tokens), (9_984 + 13_952, 13_952));
}

#[test]
fn a_model_that_drops_reasoning_breaks_the_cache_when_a_person_writes() {
    let reasoned = |reply: Message| {
        let reasoning = Part::new(trimtab_base::conversation::Body::Thinking { text: "hm".into(), signature: None });
        Message { parts: [reasoning].into_iter().chain(reply.parts.clone()).collect(), ..reply }
    };
    let person = Message::text(Role::User, "and now?");
    let session = |model: &str| {
        let first = Session::new(model).reply(0, [5, 0, 20_000], reasoned);
        first.push(person.clone()).call(9, [5, 4_000, 17_000]).breaks()
    };
    assert_eq!(session("claude-sonnet-4"), [(CacheCause::Reasoning, 16_000)]);
    assert_eq!(session("claude-opus-4-6"), [(CacheCause::Unexplained, 16_000)]);
}

#[test]
fn a_request_is_smaller_by_the_reasoning_that_was_dropped() {
    let reasoned = |reply: Message| {
        let reasoning = Part::new(trimtab_base::conversation::Body::Thinking { text: "hm".into(), signature: None });
        let usage = reply.usage.map(|usage| Usage { output: 6_000, ..usage });
        Message { parts: [reasoning].into_iter().chain(reply.parts.clone()).collect(), usage, ..reply }
    };
    let person = Message::text(Role::User, "and now?");
    let session = |input: u64| {
        let first = Session::new("gpt-5").reply(0, [20_000, 0, 0], reasoned).reply(5, [26_000, 0, 0], reasoned);
        first.push(person.clone()).call(9, [input, 1_920, 0]).breaks().pop().map(|(cause, _)| cause)
    };
    assert_eq!(session(13_000), Some(CacheCause::Reasoning));
    // More is missing than the replies had.
    assert_eq!(session(9_000), Some(CacheCause::History));
}

#[test]
fn a_break_costs_the_difference_between_writing_and_reading() {
    let session = Session::new(CLAUDE).call(0, [5, 0, 20_000]).call(9, [1_005, 0, 20_000]);
    // A million tokens cost $3.75 to write and $0.30 to read.
    assert_eq!(session.cache().breaks[0].cost, Some(Decimal::new(69, 3)));
    let unknown = Session::new("my-own").call(0, [5, 0, 20_000]).call(9, [5, 0, 21_000]);
    assert_eq!(unknown.cache().breaks[0].cost, None);
}

#[test]
fn small_shortfalls_are_no_breaks() {
    let session = Session::new(CLAUDE).call(0, [5, 0, 20_000]).call(9, [5, 18_500, 3_000]);
    let cache = session.cache();
    assert!(cache.breaks.is_empty());
    assert_eq!((cache.due.read, cache.due.remainder), (18_500, 1_500));
}

#[test]
fn calls_without_usage_leave_what_the_call_before_had_left() {
    let bare = |reply: Message| Message { usage: None, ..reply };
    let session = Session::new(CLAUDE).call(0, [5, 0, 20_000]).reply(200, [0; 3], bare).call(200, [5, 0, 21_000]);
    // The cache was used in between.
    assert_eq!(session.breaks(), [(CacheCause::Unexplained, 20_000)]);
}

fn calls() -> impl Strategy<Value = Session> {
    let usage = [0_u64..40_000, 0..200_000, 0..200_000];
    let call = (0_i64..4_000, usage, 0_u8..9, proptest::bool::ANY);
    let models = proptest::sample::select(vec![CLAUDE, "claude-sonnet-4", "gpt-5", "my-own"]);
    (models, proptest::collection::vec(call, 0..12)).prop_map(|(model, calls)| {
        let mut session = Session::new(model);
        for (after, usage, event, is_timed) in calls {
            let changed = HeadChange { tools: event == 1, prompt: event == 2 };
            let cleared = (event == 3).then(|| Cleared { results: vec!["a".into()], tokens: None });
            let edits = HarnessEdits { cleared, changed, ..HarnessEdits::default() };
            let message = Message { resets: event == 4, ..Message::text(Role::User, "some words") };
            session = session.push(Message { harness_edits: Some(Box::new(edits)), ..message });
            let with = match (event, is_timed) {
                (5, _) => |reply| Message { model: Some("claude-haiku-4-5".into()), ..reply },
                (6, _) => |reply| Message { usage: None, ..reply },
                (7, _) => |reply| Message { effort: Some("high".into()), ..reply },
                (8, _) => |reply| Message { effort: Some("low".into()), ..reply },
                (_, false) => |reply| Message { at: None, ..reply },
                _ => |reply: Message| reply,
            };
            session = session.reply(after, usage, with);
        }
        session
    })
}

proptest! {
    #[test]
    fn what_is_billed_again_is_what_a_cache_that_had_not_broken_would_have_read_in_addition(session in calls()) {
        let cache = session.cache();
        let again: u64 = cache.breaks.iter().map(|one| one.tokens).sum();
        prop_assert_eq!(cache.due.tokens, cache.due.read + again + cache.due.remainder);
        for one in &cache.breaks {
            let replies = session.transcript.messages.iter().filter(|message| message.is_reply());
            let usage = replies.clone().nth(one.call).and_then(|reply| reply.usage).expect("a call with usage");
            prop_assert!(one.tokens <= usage.input + usage.cache_write, "{:?}", one);
            prop_assert!(one.cost.is_none_or(|cost| !cost.is_sign_negative()), "{:?}", one);
        }
        let unexplained = cache.breaks.iter().filter(|one| one.cause == CacheCause::Unexplained);
        let missed: usize = cache.families.values().map(|family| family.missed_calls).sum();
        prop_assert_eq!(unexplained.clone().count(), missed);
        let missed: u64 = cache.families.values().map(|family| family.missed_tokens).sum();
        prop_assert_eq!(unexplained.map(|one| one.tokens).sum::<u64>(), missed);
    }

    #[test]
    fn a_recording_without_cached_usage_has_no_causes(session in calls(), keeps_input in proptest::bool::ANY) {
        let mut transcript = session.transcript;
        for message in &mut transcript.messages {
            let message = Arc::make_mut(message);
            let uncached = |usage: Usage| Usage { input: usage.context(), ..Usage::default() };
            message.usage = message.usage.filter(|_| keeps_input).map(uncached);
        }
        prop_assert_eq!(RecordedCache::of(&transcript, &Models::default()), RecordedCache::default());
    }
}
