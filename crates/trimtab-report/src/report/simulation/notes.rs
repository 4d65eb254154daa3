//! Notes on how the figures of one replay were obtained, and on events worth knowing.

use trimtab_base::source::sanitize::one_line;
use trimtab_language::plan::Plan;
use trimtab_simulate::simulate::{ModelCalls, ReasoningHandling, StablePrefix, Trace, WindowSource};

use super::wording::{OPEN_LOOP_NOTICE, is_chosen_window};
use super::{counter, events, harness, unknown};
use crate::report::number::{count, plural};
use crate::report::style::TerminalStyle;

/// What the recorded contexts of a live session are.
const LIVE_NOTICE: &str = "This session ran under a policy. Recorded contexts are shown without its edits.";

/// `prices` are the notes on prices.
pub(super) fn notes(plan: &Plan, trace: &Trace, prices: Vec<String>, style: TerminalStyle) -> String {
    let mut lines = vec![window_and_counter(trace)];
    lines.extend(counter::of_one(trace));
    lines.extend(prices);
    lines.extend(stable_prefix(trace));
    lines.extend(unknown::of_one(plan, trace));
    lines.extend(inferred_errors(trace));
    lines.extend(missing_history(trace));
    lines.extend(too_small_window(trace));
    lines.extend(trace.is_live.then(|| LIVE_NOTICE.to_owned()));
    lines.extend(harness::early_compaction(trace));
    lines.extend(reasoning(trace));
    lines.push(match trace.first_divergence {
        Some(call) => format!("{OPEN_LOOP_NOTICE} The first changed context is that of call {call}."),
        None => format!("{OPEN_LOOP_NOTICE} No context changed."),
    });
    lines.push(invariants(trace));
    lines.extend(events::events(trace));
    lines.iter().map(|line| style.wrap(line, 2)).collect()
}

/// What calls read from the cache behind the changes of the policy.
fn stable_prefix(trace: &Trace) -> Option<String> {
    let has_breaks = trace.money.breaks.iter().any(|one| one.rule.is_some() && one.tokens > 0);
    Some(match trace.money.stable_prefix.filter(|_| has_breaks)? {
        StablePrefix::Recorded(tokens) => format!(
            "Behind a change of the history, calls read {} tokens from the cache, as the recorded first calls did.",
            count(tokens)
        ),
        StablePrefix::Assumed => {
            "Behind a change of the history, calls are assumed to read the system prompt and the tools \
                                  from the cache, because no recorded call shows what they read."
                .to_owned()
        }
    })
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

fn too_small_window(trace: &Trace) -> Option<String> {
    let text = if is_chosen_window(trace) {
        "A recorded context is larger than this window: it was recorded with a larger window and is compared with this \
         one."
    } else {
        "A recorded context is larger than this window, so the window is wrong: set it with --window."
    };
    trace.exceeds_window().then(|| text.to_owned())
}

fn invariants(trace: &Trace) -> String {
    match trace.invariants.broken.as_slice() {
        [] => format!("{} checked, no invariant broken.", plural(trace.invariants.checked, "edit")),
        broken => {
            let each = broken.iter().map(|(call, one)| format!("call {call}: {one}"));
            format!("INVARIANTS BROKEN: {}", each.collect::<Vec<_>>().join(", "))
        }
    }
}

/// What becomes of the reasoning behind changes.
fn reasoning(trace: &Trace) -> Option<String> {
    let lost: u64 = trace.rules.iter().map(|rule| rule.money.reasoning_lost).sum();
    let handling = trace.reasoning.filter(|_| lost > 0)?;
    Some(match handling {
        ReasoningHandling::Drop => {
            format!("The provider drops {} tokens of reasoning behind changes (--reasoning drop).", count(lost))
        }
        ReasoningHandling::Strip => {
            format!("The host removes {} tokens of reasoning behind changes (--reasoning strip).", count(lost))
        }
        ReasoningHandling::Keep => format!(
            "The provider refuses {} with reasoning behind changes (--reasoning keep); the first is call {}.",
            plural(trace.refused.len(), "call"),
            trace.refused.first().copied().unwrap_or_default()
        ),
    })
}

/// The window, the counter and where they come from.
fn window_and_counter(trace: &Trace) -> String {
    let window = match trace.window {
        Some((0, source)) => {
            format!(
                "Window: 0 tokens ({}), so conditions on shares of it never hold; set it with --window",
                origin(source)
            )
        }
        Some((window, source)) => format!("Window: {} tokens ({})", count(window), origin(source)),
        None => "Window: unknown, so conditions on shares of it never hold; set it with --window".to_owned(),
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
