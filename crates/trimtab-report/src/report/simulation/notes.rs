//! Notes on how the figures of one replay were obtained, and on events worth knowing.

use trimtab_base::source::sanitize::one_line;
use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::{ModelCalls, ReasoningHandling, StablePrefix, Trace, WindowSource};

use super::note_list::NoteList;
use super::tools::{declared_recall, tools_note};
use super::wording::{OPEN_LOOP_NOTICE, is_chosen_window};
use super::{counter, events, harness, pricing, unknown};
use crate::report::number::{count, plural};
use crate::report::replay_result::ReplayResult;

/// What the recorded contexts of a live session are.
const LIVE_NOTICE: &str = "This session ran under a policy. Recorded contexts are shown without its edits.";

pub(super) fn notes(plan: &Plan, replay: &ReplayResult) -> NoteList {
    let trace = &replay.trace;
    let replays = std::slice::from_ref(replay);
    let mut notes = NoteList::default();
    notes.show(bad_window(trace));
    notes.show(estimated_counts(trace));
    notes.show(counter::missing_overhead(trace));
    notes.show(pricing::notes(replays));
    notes.show(pricing::other_model(plan, replays));
    notes.show(assumed_prefix(trace));
    notes.show(unknown::of_one(trace, false));
    notes.show(unknown::of_all(plan, &[trace]));
    notes.show(tools_note(plan, [trace]));
    notes.show(declared_recall(plan, [trace]));
    notes.show(trace.is_live.then(|| LIVE_NOTICE.to_owned()));
    notes.show(harness::early_compaction(trace));
    notes.show(harness::harness_edits(replays));
    notes.show(refusals(trace));
    notes.show(broken_invariants(trace));
    notes.show(events::events(trace));
    notes.detail([window_and_counter(trace), counter::content_error(trace)]);
    notes.detail(unknown::of_one(trace, true));
    notes.detail(recorded_prefix(trace));
    notes.detail(inferred_errors(trace));
    notes.detail(missing_history(trace));
    notes.detail(larger_recorded_window(trace));
    notes.detail(lost_reasoning(trace));
    notes.detail([match trace.first_divergence {
        Some(call) => format!("{OPEN_LOOP_NOTICE} The first changed context is that of call {call}."),
        None => format!("{OPEN_LOOP_NOTICE} No context changed."),
    }]);
    notes.detail(kept_invariants(trace));
    notes.detail(events::details(trace));
    notes
}

/// A window that makes conditions on shares of it wrong, or never due.
fn bad_window(trace: &Trace) -> Option<String> {
    let text = match trace.window {
        None => "The window is unknown, so conditions on shares of it never hold: set it with --window.",
        Some((0, _)) => "The window has 0 tokens, so conditions on shares of it never hold: set it with --window.",
        Some(_) if trace.exceeds_window() && !is_chosen_window(trace) => {
            "A recorded context is larger than the window, so the window is wrong: set it with --window."
        }
        Some(_) => return None,
    };
    Some(text.to_owned())
}

/// A context that is larger than a window that was chosen for the replay.
fn larger_recorded_window(trace: &Trace) -> Option<String> {
    let is_larger = trace.exceeds_window() && is_chosen_window(trace);
    let text = "A recorded context is larger than this window: it was recorded with a larger window and is compared with this \
                one.";
    is_larger.then(|| text.to_owned())
}

fn estimated_counts(trace: &Trace) -> Option<String> {
    counter::is_estimated(&trace.counter).then(|| format!("Tokens are {}.", counter::method(&trace.counter)))
}

/// Whether the policy changes what the provider has cached, so that it matters what calls read after a change.
fn breaks_cache(trace: &Trace) -> bool {
    trace.money.breaks.iter().any(|one| one.rule.is_some() && one.tokens > 0)
}

/// What calls are assumed to read from the cache after the changes of the policy.
fn assumed_prefix(trace: &Trace) -> Option<String> {
    let is_assumed = breaks_cache(trace) && trace.money.stable_prefix == Some(StablePrefix::Assumed);
    let text = "After a change, the system prompt and the tools are assumed to be cached.";
    is_assumed.then(|| text.to_owned())
}

/// What calls read from the cache after the changes of the policy, as recorded calls show.
fn recorded_prefix(trace: &Trace) -> Option<String> {
    let Some(StablePrefix::Recorded(tokens)) = trace.money.stable_prefix.filter(|_| breaks_cache(trace)) else {
        return None;
    };
    Some(format!(
        "After a change of the history, calls read {} tokens from the cache, as the recorded first calls did.",
        count(tokens)
    ))
}

fn inferred_errors(trace: &Trace) -> Option<String> {
    let errors = trace.observed.inferred_errors;
    let results = plural(errors, "tool result");
    (errors > 0).then(|| format!("Errors of {results} are inferred from their text (--infer-errors)."))
}

fn missing_history(trace: &Trace) -> Option<String> {
    let text = "The recording begins in the middle of the session: the first contexts contain messages that it lacks.";
    trace.observed.missing_history.then(|| text.to_owned())
}

fn broken_invariants(trace: &Trace) -> Option<String> {
    let each = trace.invariants.broken.iter().map(|(call, one)| format!("call {call}: {one}"));
    let each = each.reduce(|all, one| format!("{all}, {one}"));
    each.map(|each| format!("INVARIANTS BROKEN: {each}"))
}

fn kept_invariants(trace: &Trace) -> Option<String> {
    let edits = plural(trace.invariants.checked, "edit");
    trace.invariants.broken.is_empty().then(|| format!("{edits} checked, no invariant broken."))
}

/// What becomes of the reasoning after changes, which the verdict counts.
fn lost_reasoning(trace: &Trace) -> Option<String> {
    let lost: u64 = trace.rules.iter().map(|rule| rule.money.reasoning_lost).sum();
    let (who, handling) = match trace.reasoning.filter(|_| lost > 0)? {
        ReasoningHandling::Drop => ("The provider drops", "--reasoning drop"),
        ReasoningHandling::Strip => ("The host removes", "--reasoning strip"),
        ReasoningHandling::Keep => return None,
    };
    Some(format!("{who} {} tokens of reasoning after changes ({handling}).", count(lost)))
}

/// The calls that the provider refuses because of the reasoning after changes.
fn refusals(trace: &Trace) -> Option<String> {
    let (first, calls) = (trace.refused.first()?, plural(trace.refused.len(), "call"));
    Some(format!("The provider refuses {calls} with invalid reasoning; the first is call {first}."))
}

/// The window, the counter and where they come from.
fn window_and_counter(trace: &Trace) -> String {
    let window = match trace.window {
        Some((window, source)) => format!("Window: {} tokens ({})", count(window), origin(source)),
        None => "Window: unknown".to_owned(),
    };
    format!("{window}{}. Tokens: {}.", other_windows(trace), counter::method(&trace.counter))
}

/// The windows of the other models of a session: `; 200,000 for 6 calls of claude-haiku-4-5`.
fn other_windows(trace: &Trace) -> String {
    let first = trace.window.map(|(window, _)| window);
    let others = trace.models.iter().filter(|one| one.window != first);
    let text = |one: &ModelCalls| {
        let window = one.window.map_or_else(|| "unknown".to_owned(), count);
        let model = one.model.as_ref().map(|model| format!(" of `{}`", one_line(model))).unwrap_or_default();
        format!("; {window} for {}{model}", plural(one.calls, "call"))
    };
    others.map(text).collect()
}

fn origin(source: WindowSource) -> &'static str {
    match source {
        WindowSource::Flag => "from --window",
        WindowSource::Policy => "from the policy's `agent` block",
        WindowSource::Profile => "from the project's profile",
        WindowSource::Recording => "from the recording",
        WindowSource::Model => "from the model table",
        WindowSource::LongModelId => "the long window of the model table, because the model id ends with `[1m]`",
        WindowSource::LongContext => {
            "the long window of the model table, because a recorded context exceeds the standard one"
        }
    }
}
