//! What filled the contexts of recordings, which rules would have helped, and the policy of these rules.

mod json;
mod no_policy;
mod settings;

use trimtab_analysis::recording::{ContentKind, Observations, Purpose, SimulatedPolicy, SimulatedRule, Suggestion};
use trimtab_base::quantity::{Decimal, grouped, percent, percent_of};

use super::amount::{dollars, signed_dollars, with_sign};
use super::listing::{Column, Listing, Section};
use super::number::{part_of, plural, signed, sum, times, whole};
use super::partial_sum::PartialSum;
use super::replay_result::ReplayError;
use super::simulation::OPEN_LOOP_NOTICE;
pub use settings::{AdjustmentResult, SettingsSuggestion};

/// Everything that a report on suggestions shows.
#[derive(Clone, Copy, Debug)]
pub struct SuggestionReport<'a> {
    /// What the recordings hold.
    pub observed: &'a Observations,
    /// The suggestions that address something in them, in the order of the rules.
    pub results: &'a [SuggestionResult],
    /// What the policy of the kept rules would have done, or `None` without kept rules.
    pub simulated: Option<&'a SimulatedPolicy>,
    /// The text of that policy.
    pub policy: Option<&'a str>,
    /// The settings of a system that are suggested in its place, if that is wanted.
    pub settings: Option<&'a SettingsSuggestion>,
    /// The file that the policy is written to; without one, the report shows its text.
    pub written: Option<&'a str>,
    /// The recordings that could not be read.
    pub errors: &'a [ReplayError],
}

/// A suggestion and what its best variant would have done.
#[derive(Clone, Debug)]
pub struct SuggestionResult {
    /// The suggestion.
    pub suggestion: &'static Suggestion,
    /// The name of the rule.
    pub rule: String,
    /// Whether the rule is for some of the calls, and another one for the others.
    pub is_part: bool,
    /// What it addresses, as a sentence with figures.
    pub observed: String,
    /// The clauses of the best variant.
    pub clauses: String,
    /// What a policy of this rule alone would have done.
    pub alone: SimulatedPolicy,
    /// Whether the policy contains the rule, and why not.
    pub outcome: SuggestionOutcome,
}

/// Whether the suggested policy contains a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuggestionOutcome {
    /// It does.
    Kept,
    /// The rule never fires on these recordings.
    NeverFires,
    /// The rule alone saves nothing, or less than the calls that need what it removes would cost.
    SavesNothing,
    /// The other rules save as much without it: the net saving of the policy with the rule and without.
    AddsNothing {
        /// With the rule.
        with: Decimal,
        /// Without it.
        without: Decimal,
    },
    /// What the rule saves beyond the other rules may be an error of the replays.
    WithinError {
        /// What it saves beyond them.
        gain: Decimal,
        /// How much less that may be: the part of a nominal 80% interval below the gain.
        error: Decimal,
    },
    /// The rule never fires beside the other rules.
    NeverFiresWithOthers,
    /// Rules with thresholds of their own for parts of the calls save more: the net saving of those rules and of this one.
    SplitUp {
        /// With a rule for each part.
        with: Decimal,
        /// With this rule for all calls.
        without: Decimal,
    },
}

impl SuggestionOutcome {
    /// The word in machine-readable output.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::NeverFires => "never_fires",
            Self::SavesNothing => "saves_nothing",
            Self::AddsNothing { .. } => "adds_nothing",
            Self::WithinError { .. } => "within_error",
            Self::NeverFiresWithOthers => "never_fires_with_others",
            Self::SplitUp { .. } => "split_up",
        }
    }
}

/// The report.
pub fn suggestions(report: &SuggestionReport<'_>) -> Listing {
    // The answer first, then what it rests on, and the policy itself last, where a terminal ends.
    let (mut sections, objective, text) = if let Some(settings) = report.settings {
        (settings.sections(report), settings.objective(), settings.text.as_deref())
    } else {
        let sections = std::iter::once(policy(report)).chain(report.results.iter().map(finding));
        let first = report.results.first().map(|result| &result.alone);
        (sections.collect(), first.map(|alone| objective(alone, "Rules")), report.policy)
    };
    let content = content(report.observed);
    let notes = content.notes.into_iter().chain(missing_history(report.observed)).chain(objective);
    sections.push(Section { notes: notes.collect(), ..content });
    if let Some(text) = text.filter(|_| report.written.is_none()) {
        sections.push(Section { policy: text.to_owned(), ..Section::default() });
    }
    json::listing(report, sections)
}

/// Most kinds of content that are listed.
const MAX_KINDS: usize = 12;

/// What is unknown because recordings begin in the middle of a session.
fn missing_history(observed: &Observations) -> Option<String> {
    let partial = plural(observed.partial, "transcript");
    let verb = if observed.partial == 1 { "begins" } else { "begin" };
    let text = format!("{partial} {verb} in the middle of the session, so messages of the first contexts are unknown.");
    (observed.partial > 0).then_some(text)
}

/// What the calls sent.
fn content(observed: &Observations) -> Section {
    let title = format!(
        "{} in {} sent {} tokens.",
        plural(observed.calls, "model call"),
        plural(observed.transcripts, "transcript"),
        sum(observed.sent),
    );
    let ranked = ranked(observed);
    let rest: u128 = ranked.iter().skip(MAX_KINDS).map(|(_, tokens)| tokens).sum();
    let more = ranked.len().saturating_sub(MAX_KINDS);
    let listed = ranked.into_iter().take(MAX_KINDS);
    let rows = listed.map(|(kind, tokens)| vec![name(kind), part_of(tokens, observed.sent)]);
    let rest = (more > 0).then(|| {
        format!("And {} more with {}; --format json lists them all", whole(more), part_of(rest, observed.sent))
    });
    Section {
        title,
        columns: vec![Column::text("content"), Column::number("tokens sent")],
        rows: rows.collect(),
        notes: rest.into_iter().collect(),
        ..Section::default()
    }
}

/// The kinds of content, those with the most tokens first.
pub(super) fn ranked(observed: &Observations) -> Vec<(&ContentKind, u128)> {
    let mut kinds: Vec<(&ContentKind, u128)> = observed.content.iter().map(|(kind, tokens)| (kind, *tokens)).collect();
    kinds.sort_by_key(|(_, tokens)| std::cmp::Reverse(*tokens));
    kinds
}

fn name(kind: &ContentKind) -> String {
    match kind {
        ContentKind::Result(Some(tool)) => format!("results of {tool}"),
        ContentKind::Result(None) => "results of unknown tools".to_owned(),
        kind => kind.words().to_owned(),
    }
}

/// A suggestion with what was observed and what its rule alone would have done.
fn finding(result: &SuggestionResult) -> Section {
    let outcome =
        reason(result.outcome, &result.alone, RULES).map_or_else(String::new, |reason| format!(": left out, {reason}"));
    let rule = result.alone.rules.first().cloned().unwrap_or_default();
    // That it never fires is said above.
    let effect = (rule.fired > 0)
        .then(|| format!("Alone it fires {} and {}{}.", times(rule.fired), saving(&result.alone), needed_later(&rule)));
    let clauses = result.clauses.lines().map(|line| format!("`{line}`"));
    let is_message = result.suggestion.purpose == Purpose::Message;
    let message =
        is_message.then(|| "A message saves nothing in a replay: the recorded replies do not change.".to_owned());
    Section {
        title: format!("{}{outcome}", result.rule),
        notes: std::iter::once(result.observed.clone()).chain(clauses).chain(effect).chain(message).collect(),
        ..Section::default()
    }
}

/// The words for what is left out: rules of a policy, or options of a system.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReasonWords {
    /// That it has no effect.
    no_effect: &'static str,
    others: &'static str,
    whole: &'static str,
}

/// The words for rules.
pub(super) const RULES: ReasonWords =
    ReasonWords { no_effect: "it never fires", others: "the other rules", whole: "the policy" };

/// The words for options.
pub(super) const OPTIONS: ReasonWords =
    ReasonWords { no_effect: "it changes nothing", others: "the other options", whole: "the system" };

/// Returns why something is left out, in terms of what is chosen by, or `None` if it is kept.
pub(super) fn reason(outcome: SuggestionOutcome, alone: &SimulatedPolicy, words: ReasonWords) -> Option<String> {
    let ReasonWords { no_effect, others, whole } = words;
    let amount = |amount: Decimal| objective_amount(alone, amount);
    let signed = |sum: Decimal| with_sign(sum, "", amount);
    Some(match outcome {
        SuggestionOutcome::Kept => return None,
        SuggestionOutcome::NeverFires => no_effect.to_owned(),
        SuggestionOutcome::SavesNothing if alone.saving() < Decimal::ZERO => {
            format!("it costs {} more", amount(-alone.saving()))
        }
        SuggestionOutcome::SavesNothing if alone.needed_later() > 0 => format!(
            "it saves {}, and the {} that need what it removes would cost {}",
            amount(alone.saving()),
            plural(alone.needed_later(), "later call"),
            amount(alone.losses()),
        ),
        SuggestionOutcome::SavesNothing => "it saves nothing".to_owned(),
        SuggestionOutcome::AddsNothing { with, without } if with == without => {
            format!("it saves nothing beyond {others}")
        }
        SuggestionOutcome::AddsNothing { with, without } => {
            format!("with it {whole} saves {} net of losses, and {} without", signed(with), signed(without))
        }
        SuggestionOutcome::WithinError { gain, error } => {
            format!("it saves {} more, and errors of replays may be {}", amount(gain), amount(error))
        }
        SuggestionOutcome::NeverFiresWithOthers => format!("it never fires beside {others}"),
        SuggestionOutcome::SplitUp { with, without } => format!(
            "one rule for all calls saves {} net of losses, and rules with thresholds of their own {}",
            signed(without),
            signed(with),
        ),
    })
}

/// An amount of what the rules are chosen by: `$0.12`, `1,234 tokens`.
fn objective_amount(policy: &SimulatedPolicy, amount: Decimal) -> String {
    if policy.decides_by_cost() { dollars(amount) } else { format!("{} tokens", grouped(amount.round())) }
}

/// What rules, or options, are chosen by, in a sentence.
fn objective(alone: &SimulatedPolicy, what: &str) -> String {
    let priced = priced_calls(alone);
    let (saved, other) = match (alone.decides_by_cost(), priced) {
        (true, None) => ("cost saved".to_owned(), ""),
        (true, Some(priced)) => (format!("cost saved ({priced})"), ""),
        (false, priced) => {
            let priced = priced.unwrap_or_default();
            (
                format!("number of tokens saved, since fewer than half of the tokens have a price ({priced})"),
                " in tokens",
            )
        }
    };
    let one = if what == "Rules" { "a rule removes" } else { "they remove" };
    format!(
        "{what} are chosen by the {saved}, less the losses{other}: each later call that needs what {one} counts as one more \
         call of the mean size."
    )
}

/// Returns how many of the recorded calls are priced, or `None` if all are.
fn priced_calls(simulated: &SimulatedPolicy) -> Option<String> {
    PartialSum::of_calls(simulated.recorded_cost, simulated.priced).priced("call")
}

/// What the suggested policy saves, and of which calls: `saves 12,345 tokens (1.2%) and $0.10 (3.4%), 2 of 3 calls priced`.
pub fn total_saving(simulated: &SimulatedPolicy) -> String {
    let priced = priced_calls(simulated).map(|priced| format!(", {priced}")).unwrap_or_default();
    saving(simulated) + &priced
}

/// What a policy saves: `saves 12,345 tokens (1.2%) and $0.10 (3.4%)`.
fn saving(simulated: &SimulatedPolicy) -> String {
    let word = |is_negative: bool| if is_negative { "adds" } else { "saves" };
    let adds = simulated.tokens_saved < 0;
    let tokens = simulated.tokens_saved.unsigned_abs();
    let text = format!("{} {} tokens ({})", word(adds), sum(tokens), percent_of(tokens, simulated.recorded_tokens));
    if !simulated.priced.is_known() {
        return text;
    }
    let cost = simulated.cost_saved;
    if cost.is_zero() {
        return format!("{text} at the same cost");
    }
    let share = cost.abs().checked_div(simulated.recorded_cost).unwrap_or_default();
    let amount = format!("{} ({})", dollars(cost.abs()), percent(share));
    if adds == cost.is_sign_negative() {
        format!("{text} and {amount}")
    } else {
        format!("{text}, but {} {amount}", word(cost.is_sign_negative()))
    }
}

/// Returns between which values the saving is expected: `80% interval of the saving: 650,283 to 861,817 tokens and
/// $0.346 to $0.468.`, or `None` if it is certain.
fn interval(simulated: &SimulatedPolicy) -> Option<String> {
    let [tokens, cost] = simulated.intervals();
    let tokens = tokens.map(|tokens| grouped(tokens.round()));
    let cost = cost.map(signed_dollars);
    let text = |[low, high]: [String; 2], unit: &str| (low != high).then(|| format!("{low} to {high}{unit}"));
    let cost = text(cost, "").filter(|_| simulated.priced.is_known());
    let parts: Vec<String> = text(tokens, " tokens").into_iter().chain(cost).collect();
    (!parts.is_empty()).then(|| format!("80% interval of the saving: {}.", parts.join(" and ")))
}

fn needed_later(rule: &SimulatedRule) -> String {
    match rule.needed_later {
        0 => String::new(),
        1 => "; 1 later call needs what it removes".to_owned(),
        calls => format!("; {} later calls need what it removes", whole(calls)),
    }
}

/// What the policy would have done, rule by rule.
fn policy(report: &SuggestionReport<'_>) -> Section {
    let Some(simulated) = report.simulated else { return no_policy::section(report) };
    let kept = || report.results.iter().filter(|result| result.outcome == SuggestionOutcome::Kept);
    let saves =
        simulated.net_saving() > Decimal::ZERO || kept().any(|result| result.suggestion.purpose == Purpose::Saving);
    let sends = kept().any(|result| result.suggestion.purpose == Purpose::Message);
    let masks = kept().any(|result| result.suggestion.purpose == Purpose::Precaution);
    let rows = kept().zip(&simulated.rules).map(|(result, rule)| {
        let costs = [rule.cost_saved, rule.cost_caused].map(signed_dollars);
        let costs = if simulated.priced.is_known() { costs.to_vec() } else { Vec::new() };
        let mut row = vec![result.rule.clone(), whole(rule.fired), signed(rule.tokens_saved)];
        row.extend(costs);
        row.push(whole(rule.needed_later));
        row
    });
    let mut columns = vec![Column::name("rule"), Column::number("fired"), Column::number("tokens saved")];
    if simulated.priced.is_known() {
        columns.extend([Column::number("cost saved"), Column::number("cost caused")]);
    }
    columns.push(Column::number("needed later"));
    let written = report.written.map(|file| format!("The policy is in {file}."));
    let purpose = (!saves).then(|| {
        let purpose = match (sends, masks) {
            (true, false) => "only sends messages",
            (true, true) => "sends messages, and is a precaution for longer sessions",
            (false, _) => "is a precaution for longer sessions",
        };
        format!("No rule would have saved anything; this policy {purpose}.")
    });
    let notes = written.into_iter().chain(purpose).chain(interval(simulated)).chain([OPEN_LOOP_NOTICE.to_owned()]);
    let title = format!("The suggested policy {}.", total_saving(simulated));
    Section { title, columns, rows: rows.collect(), notes: notes.collect(), ..Section::default() }
}
