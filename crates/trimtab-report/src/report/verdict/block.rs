//! The verdict as it is shown: a title, a heading and lines.

use std::cmp::Ordering;

use serde::Serialize;
use trimtab_base::quantity::{Decimal, percent, signed_percent};
use trimtab_language::fact::Topic;
use trimtab_language::plan::Plan;

use super::figures::{Caveats, Changes, Range, VerdictFigures};
use super::outcome::VerdictOutcome;
use crate::report::amount::dollars;
use crate::report::number::{count, plural};
use crate::report::partial_sum::PartialSum;

/// A transcript with at least this share of the saving is named.
const HALF: Decimal = Decimal::from_parts(5, 0, 0, false, 1);

/// What a verdict is about.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Subject<'a> {
    /// The policy.
    pub(in super::super) policy: &'a str,
    /// The recording, if it is only one.
    pub(in super::super) recording: Option<&'a str>,
    /// The files that could not be read.
    pub(in super::super) unread: usize,
    /// Whether the window has a reserve.
    pub(in super::super) has_reserve: bool,
    /// Whether the policy asks which tools are declared.
    pub(in super::super) reads_tools: bool,
}

/// The verdict as every output format shows it.
#[derive(Clone, Debug, Serialize)]
pub(in super::super) struct VerdictBlock {
    /// What it is about: `coding_agent, 919 transcripts, 10,434 calls`.
    pub(in super::super) title: String,
    /// The outcome in words, without a full stop.
    pub(in super::super) heading: String,
    /// The most important first.
    pub(in super::super) lines: Vec<VerdictLine>,
}

/// A line of a verdict.
#[derive(Clone, Debug, Default, Serialize)]
pub(in super::super) struct VerdictLine {
    /// What it is about: `cost`.
    pub(in super::super) label: &'static str,
    /// As recorded and with the policy: `$318.90 → $299.54`.
    pub(in super::super) figures: String,
    /// The change with its interval: `-6.1% (-7.0% to -4.8%)`; may be empty.
    pub(in super::super) change: String,
    /// Whether the change is good.
    pub(in super::super) tone: Tone,
    /// What else is to be known; may be empty.
    pub(in super::super) note: String,
    /// Whether the outcome is about the amount of this line, such as `cost`.
    #[serde(skip)]
    pub(in super::super) is_compared: bool,
    /// Whether the line comes before the costs, because a saving does not outweigh it.
    #[serde(skip)]
    pub(super) comes_first: bool,
}

/// Whether a change is good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in super::super) enum Tone {
    Good,
    Bad,
    #[default]
    Neutral,
}

impl Tone {
    /// The tone of a figure of which less is better.
    fn of<T: Ord>(recorded: &T, policy: &T) -> Self {
        match policy.cmp(recorded) {
            Ordering::Less => Self::Good,
            Ordering::Greater => Self::Bad,
            Ordering::Equal => Self::Neutral,
        }
    }

    /// The same, but neutral if the change is shown as 0%.
    fn of_change(recorded: Decimal, policy: Decimal) -> Self {
        let share = (policy - recorded).checked_div(recorded).map(signed_percent);
        if share.as_deref() == Some("0%") { Self::Neutral } else { Self::of(&recorded, &policy) }
    }
}

impl<'a> Subject<'a> {
    /// A policy on several recordings, all of which were read.
    pub(in super::super) fn of(plan: &'a Plan) -> Self {
        let mut readings = plan.rules.iter().flat_map(trimtab_language::check::Rule::readings);
        Self {
            policy: &plan.policy,
            recording: None,
            unread: 0,
            has_reserve: plan.agent.reserve.is_some_and(|reserve| reserve > 0),
            reads_tools: readings.any(|reading| reading.fact.topic == Topic::DeclaredTools),
        }
    }
}

/// A number and its noun.
fn counted(number: u64, noun: &str) -> String {
    plural(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// A figure as recorded and with the policy; one figure if both are formatted the same.
fn pair(recorded: String, policy: &str) -> String {
    if recorded == policy { recorded } else { format!("{recorded} → {policy}") }
}

/// By how much a figure changes, and between which values that is expected; empty if the change rounds to 0%.
fn change<T: Copy>(range: Range<T>, number: impl Fn(T) -> Decimal) -> String {
    let recorded = number(range.recorded);
    let share = |value: T| (number(value) - recorded).checked_div(recorded).map(signed_percent);
    let all = [range.policy, range.low, range.high].map(share);
    match all.map(Option::unwrap_or_default) {
        [share, low, high] if low != high => format!("{share} ({low} to {high})"),
        [share, ..] if share == "0%" => String::new(),
        [share, ..] => share,
    }
}

impl VerdictBlock {
    /// The verdict of these figures.
    pub(in super::super) fn of(subject: Subject<'_>, figures: &VerdictFigures) -> Self {
        let transcripts = counted(figures.transcript_count(), "transcript");
        let unread = (subject.unread > 0).then(|| format!("{} not read", plural(subject.unread, "file")));
        let on = subject.recording.map_or(transcripts, str::to_owned);
        let parts = [Some(subject.policy.to_owned()), Some(on), Some(counted(figures.calls, "call")), unread];
        let outcome = VerdictOutcome::of(figures);
        let lines = [
            over_window(figures, subject.has_reserve),
            stops(figures),
            cost(figures),
            tokens(figures),
            changes(figures, subject.recording.is_some()),
            reasoning(figures),
            needed_later(figures),
            saves_most(figures),
            hurts(figures),
            Some(accuracy(figures, subject)),
        ];
        let lines = if outcome == VerdictOutcome::NoCalls { Vec::new() } else { lines.into_iter().flatten().collect() };
        Self {
            title: parts.into_iter().flatten().collect::<Vec<_>>().join(", "),
            heading: outcome.heading(figures, counted),
            lines,
        }
    }
}

fn over_window(figures: &VerdictFigures, has_reserve: bool) -> Option<VerdictLine> {
    let (recorded, policy) = figures.over_window.recorded.zip(figures.over_window.policy)?;
    let calls = if (recorded, policy) == (0, 0) {
        "0 calls".to_owned()
    } else {
        format!("{}{}", pair(count(recorded), &count(policy)), if policy == 1 { " call" } else { " calls" })
    };
    let unknown = figures.caveats.window_unknown;
    let notes = [
        has_reserve.then(|| "window minus the reserve".to_owned()),
        (unknown > 0).then(|| format!("window unknown in {}", counted(unknown, "transcript"))),
    ];
    Some(VerdictLine {
        label: "over the window",
        figures: calls,
        tone: Tone::of(&recorded, &policy),
        comes_first: (recorded, policy) != (0, 0),
        note: notes.into_iter().flatten().collect::<Vec<_>>().join(", "),
        ..VerdictLine::default()
    })
}

fn stops(figures: &VerdictFigures) -> Option<VerdictLine> {
    let stopped = figures.stopped;
    let cost = stopped.cost.0.map(|cost| format!(", which cost {}", dollars(cost))).unwrap_or_default();
    (stopped.sessions > 0).then(|| VerdictLine {
        label: "stops",
        figures: format!("{} of {}", count(stopped.sessions), counted(figures.transcript_count(), "transcript")),
        comes_first: true,
        note: format!("{} of {} not made{cost}", count(stopped.calls), counted(figures.calls, "call")),
        ..VerdictLine::default()
    })
}

/// Where cost and tokens are compared, if not at all calls.
fn scope_note(figures: &VerdictFigures) -> Option<String> {
    (figures.stopped.calls > 0).then(|| "of the calls made".to_owned())
}

fn cost(figures: &VerdictFigures) -> Option<VerdictLine> {
    let priced = figures.priced;
    let unpriced_note = match priced.all_sessions {
        1 => PartialSum::new(Decimal::ZERO, priced.calls, priced.all_calls).priced("call"),
        all => PartialSum::new(Decimal::ZERO, priced.sessions, all).priced("transcript"),
    };
    let Range { recorded, policy, low, high } = figures.cost;
    let known = recorded.0.zip(policy.0).zip(low.0.zip(high.0));
    let Some(((recorded, policy), (low, high))) = known else {
        let figures = "unknown".to_owned();
        return Some(VerdictLine {
            label: "cost",
            figures,
            note: unpriced_note.unwrap_or_default(),
            ..VerdictLine::default()
        });
    };
    if recorded.is_zero() && policy.is_zero() {
        return None;
    }
    let shown = pair(dollars(recorded), &dollars(policy));
    let range = Range { recorded, policy, low, high };
    Some(VerdictLine {
        label: "cost",
        figures: shown,
        change: change(range, |amount| amount),
        tone: Tone::of_change(recorded, policy),
        is_compared: true,
        comes_first: false,
        note: unpriced_note.into_iter().chain(scope_note(figures)).collect::<Vec<_>>().join(", "),
    })
}

fn tokens(figures: &VerdictFigures) -> Option<VerdictLine> {
    let range = figures.tokens;
    Some(VerdictLine {
        label: "tokens sent",
        figures: pair(count(range.recorded), &count(range.policy)),
        change: change(range, Decimal::from),
        tone: Tone::of_change(range.recorded.into(), range.policy.into()),
        is_compared: true,
        comes_first: false,
        note: scope_note(figures).unwrap_or_default(),
    })
}

fn changes(figures: &VerdictFigures, is_one: bool) -> Option<VerdictLine> {
    let Changes { sessions, cheaper, more_expensive, unpriced, stopped } = figures.changes;
    if is_one || sessions == 0 {
        return None;
    }
    let same = [cheaper, more_expensive, unpriced, stopped].into_iter().fold(sessions, u64::saturating_sub);
    let kinds = [
        (cheaper, "cheaper"),
        (more_expensive, "more expensive"),
        (same, "about the same"),
        (stopped, "stopped"),
        (unpriced, "without a price"),
    ];
    let kinds = kinds.into_iter().filter(|(number, _)| *number > 0);
    let kinds: Vec<String> = kinds.map(|(number, kind)| format!("{} {kind}", count(number))).collect();
    let all = counted(figures.transcript_count(), "transcript");
    let figures = format!("{} of {all}: {}", count(sessions), kinds.join(", "));
    Some(VerdictLine { label: "changed", figures, ..VerdictLine::default() })
}

fn reasoning(figures: &VerdictFigures) -> Option<VerdictLine> {
    let lost = figures.reasoning_lost;
    (lost > 0).then(|| VerdictLine {
        label: "reasoning lost",
        figures: format!("{} tokens", count(lost)),
        tone: Tone::Bad,
        ..VerdictLine::default()
    })
}

fn needed_later(figures: &VerdictFigures) -> Option<VerdictLine> {
    let (all, repeated) = (figures.needed_later, figures.repeated_calls);
    if figures.changes.sessions == 0 {
        return None;
    }
    let quoted = all.saturating_sub(repeated);
    let kinds = [(repeated, "repeated"), (quoted, "quoted")].into_iter().filter(|(number, _)| *number > 0);
    let kinds: Vec<String> = kinds.map(|(number, kind)| format!("{} {kind}", count(number))).collect();
    let (text, tone) = match all {
        0 => ("0 tool calls".to_owned(), Tone::Neutral),
        _ => (format!("{}: {}", counted(all, "tool call"), kinds.join(", ")), Tone::Bad),
    };
    Some(VerdictLine { label: "needed later", figures: text, tone, ..VerdictLine::default() })
}

/// The transcript with most of the saving, if one has it.
fn saves_most(figures: &VerdictFigures) -> Option<VerdictLine> {
    let most = figures.saves_most.as_ref().filter(|_| figures.transcript_count() > 1)?;
    let (saved, whole) = most.cost.0.zip(figures.cost.recorded.less(figures.cost.policy).0)?;
    let share = saved.checked_div(whole).filter(|share| *share >= HALF)?;
    // The others together cost more than they save.
    let part =
        if share > Decimal::ONE { "more than the whole".to_owned() } else { format!("{} of the", percent(share)) };
    let text = format!("{} -{}, {part} saving", most.id, dollars(saved));
    Some(VerdictLine { label: "saves most", figures: text, ..VerdictLine::default() })
}

fn hurts(figures: &VerdictFigures) -> Option<VerdictLine> {
    let most = figures.hurts_most.as_ref().filter(|_| figures.transcript_count() > 1)?;
    let figures = format!("{} +{}", most.id, dollars(most.cost.0?));
    Some(VerdictLine { label: "hurts most", figures, tone: Tone::Bad, ..VerdictLine::default() })
}

/// What the figures rest on.
fn accuracy(figures: &VerdictFigures, subject: Subject<'_>) -> VerdictLine {
    let caveats = figures.caveats;
    let Caveats { window_unknown, tools_assumed, history_missing, .. } = caveats;
    let is_one = subject.recording.is_some();
    let of = |number: u64, what: &str| {
        let more = if is_one { String::new() } else { format!(" in {}", counted(number, "transcript")) };
        (number > 0).then(|| format!("{what}{more}"))
    };
    let error = caveats.mean_error().map(|error| format!("sizes of removed content ±{}", percent(error)));
    let has_intervals = figures.tokens.low != figures.tokens.high;
    // The line `over the window` says so if there is one.
    let window = of(if figures.over_window.recorded.is_some() { 0 } else { window_unknown }, "window unknown");
    let tools = of(if subject.reads_tools { tools_assumed } else { 0 }, "tools assumed");
    let all = [
        Some("replies as recorded".to_owned()),
        has_intervals.then(|| "80% intervals".to_owned()),
        error,
        window,
        tools,
        of(history_missing, "beginning not recorded"),
    ];
    let figures = all.into_iter().flatten().collect::<Vec<_>>().join("; ");
    VerdictLine { label: "accuracy", figures, ..VerdictLine::default() }
}
