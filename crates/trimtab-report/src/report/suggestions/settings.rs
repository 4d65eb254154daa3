//! The settings of a system that would have helped.

use serde_json::Value as Json;
use trimtab_analysis::recording::SimulatedPolicy;
use trimtab_analysis::system::{Adjustment, HARNESS, OptionValues, System};
use trimtab_base::quantity::Decimal;

use super::{
    OPTIONS, SuggestionOutcome, SuggestionReport, interval, needed_later, objective, priced_calls, reason, saving,
};
use crate::report::listing::{Column, Section};
use crate::report::number::plural;
use crate::report::simulation::OPEN_LOOP_NOTICE;

/// The settings of a system that would have helped, and what they would have done.
#[derive(Clone, Debug)]
pub struct SettingsSuggestion {
    /// The system.
    pub system: &'static System,
    /// The file that is changed; without one, the defaults of the system are.
    pub file: Option<String>,
    /// What the system can do about large contexts, and whether that helps.
    pub results: Vec<AdjustmentResult>,
    /// What the settings of the file, or the defaults, would have done.
    pub before: SimulatedPolicy,
    /// What they would have done with the kept options, or `None` without kept options.
    pub after: Option<SimulatedPolicy>,
    /// The kept options, each with its value so far in words.
    pub options: Vec<(&'static str, Json, String)>,
    /// The text of the settings with the kept options.
    pub text: Option<String>,
    /// How many of the transcripts the system recorded itself, so that its settings applied while it did.
    pub own_transcripts: usize,
}

/// Something that a system can do, with the values that save most.
#[derive(Clone, Debug)]
pub struct AdjustmentResult {
    /// What it does.
    pub adjustment: &'static Adjustment,
    /// The options and their best values.
    pub options: OptionValues,
    /// What they alone would have done beyond the settings so far.
    pub alone: SimulatedPolicy,
    /// Whether the settings contain them, and why not.
    pub outcome: SuggestionOutcome,
}

impl SettingsSuggestion {
    /// Returns what the kept options do beyond the settings so far, or `None` without any.
    pub(in crate::report) fn gain(&self) -> Option<SimulatedPolicy> {
        self.after.as_ref().map(|after| after.beyond(&self.before))
    }

    /// Returns what a policy outside the system would save beyond its settings, or `None` if it would save nothing
    /// more. What the system does by itself is in its own recordings already.
    pub(in crate::report) fn policy_saves_more(&self, report: &SuggestionReport<'_>) -> Option<SimulatedPolicy> {
        let own = 2 * self.own_transcripts > report.observed.transcripts;
        let reference = match self.gain() {
            Some(gain) if own => gain,
            None if own => SimulatedPolicy::default(),
            _ => self.after.as_ref().unwrap_or(&self.before).clone(),
        };
        let more = report.simulated?.beyond(&reference);
        (more.saving() > Decimal::ZERO).then_some(more)
    }

    pub(super) fn sections(&self, report: &SuggestionReport<'_>) -> Vec<Section> {
        std::iter::once(self.answer(report)).chain(self.results.iter().map(AdjustmentResult::section)).collect()
    }

    pub(super) fn objective(&self) -> Option<String> {
        self.results.first().map(|result| objective(&result.alone, "Options"))
    }

    /// What the options are compared with.
    fn so_far(&self) -> String {
        let defaults = || format!("its defaults ({HARNESS}{})", self.system.name);
        self.file.as_ref().map_or_else(defaults, |file| format!("the settings in {file}"))
    }

    fn answer(&self, report: &SuggestionReport<'_>) -> Section {
        let (title, so_far) = (self.system.title, self.so_far());
        let more = match self.policy_saves_more(report) {
            Some(more) => format!(
                "Beyond that, a policy in the proxy or in hooks {}; `trimtab suggest` without `--for` prints it.",
                saving(&more)
            ),
            None => "No policy that `trimtab suggest` finds would save more in the proxy or in hooks.".to_owned(),
        };
        let Some((after, gain)) = self.after.as_ref().zip(self.gain()) else {
            let written = report.written.map(|file| format!("{file} was not written."));
            return Section {
                title: format!("No option of {title} would save anything beyond {so_far}, so there are no settings."),
                notes: std::iter::once(more).chain(written).collect(),
                ..Section::default()
            };
        };
        let row = |(key, value, before): &(&str, Json, String)| vec![(*key).to_owned(), shown(value), before.clone()];
        let needed = gain.rules.first().map(needed_later).filter(|text| !text.is_empty());
        let needed =
            needed.map(|text| format!("{}.", text.trim_start_matches("; ").replace("it removes", "they remove")));
        let priced = priced_calls(&gain).map(|priced| format!(", {priced}")).unwrap_or_default();
        let written = report.written.map(|file| format!("The settings are in {file}."));
        let notes = written.into_iter().chain([self.recorded(after, report)]).chain(needed).chain(interval(&gain));
        Section {
            title: format!("With these settings, {title} {} beyond {so_far}{priced}.", saving(&gain)),
            columns: vec![Column::name("option"), Column::name("value"), Column::text("so far")],
            rows: self.options.iter().map(row).collect(),
            notes: notes.chain([more, OPEN_LOOP_NOTICE.to_owned()]).collect(),
            ..Section::default()
        }
    }

    /// What the settings save of what was recorded, and by which system that was.
    fn recorded(&self, after: &SimulatedPolicy, report: &SuggestionReport<'_>) -> String {
        let (title, all) = (self.system.title, report.observed.transcripts);
        let saved = saving(after);
        match self.own_transcripts {
            0 => format!("Compared with the recordings, which {title} did not write, it {saved}."),
            own if own == all => {
                format!("Compared with the recordings, which {title} wrote with settings of its own, it {saved}.")
            }
            own => format!(
                "Compared with the recordings, of which {title} wrote {own} of {}, it {saved}.",
                plural(all, "transcript")
            ),
        }
    }
}

impl AdjustmentResult {
    fn section(&self) -> Section {
        let left_out = reason(self.outcome, &self.alone, OPTIONS)
            .map_or_else(String::new, |reason| format!(": left out, {reason}"));
        let options = self.options.iter().map(|(key, value)| format!("`{key} = {}`", shown(value)));
        let needed = self.alone.rules.first().map(needed_later).unwrap_or_default();
        let changes = self.outcome != SuggestionOutcome::NeverFires;
        let effect = changes.then(|| format!("Alone it {} beyond the settings so far{needed}.", saving(&self.alone)));
        Section {
            title: format!("{}{left_out}", self.adjustment.name),
            notes: std::iter::once(self.adjustment.summary.to_owned()).chain(options).chain(effect).collect(),
            ..Section::default()
        }
    }
}

/// A value as it is written.
fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
