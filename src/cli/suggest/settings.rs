//! Chooses options of a system.

use std::collections::BTreeMap;

use trimtab_analysis::recording::{Observations, SimulatedPolicy};
use trimtab_analysis::system::{self, AdjustedSettings, OptionValues, System};
use trimtab_base::quantity::Decimal;
use trimtab_base::source::Source;
use trimtab_report::report::{AdjustmentResult, SettingsSuggestion, SuggestionOutcome};

use super::replays::Replays;
use crate::cli::console::{Console, Failure};

/// The settings so far, and how they are simulated.
pub(super) struct Settings<'a> {
    pub(super) system: &'static System,
    /// The file that is changed; without one, the defaults of the system are.
    pub(super) file: Option<&'a Source>,
    pub(super) replays: &'a Replays<'a>,
    pub(super) console: &'a Console,
}

impl Settings<'_> {
    /// Simulates each value of each option alone, then adds those with the largest savings as long as each saves more than a
    /// replay may err.
    pub(super) fn suggest(&self, observed: &Observations) -> Result<SettingsSuggestion, Failure> {
        let so_far = self.adjusted(&OptionValues::default())?;
        let (before, mut results) = self.best_values(&so_far, observed)?;
        let (options, after) = self.add_saving_options(&mut results, &before)?;
        let values: BTreeMap<&str, &str> =
            so_far.rows.iter().map(|row| (row.option.as_str(), row.value.as_str())).collect();
        let value = |key: &str| values.get(key).copied().unwrap_or_default().to_owned();
        let text = after.as_ref().map(|_| self.adjusted(&options)).transpose()?.map(|settings| settings.text);
        let own = self.system.recordings.iter().filter_map(|format| observed.formats.get(format));
        Ok(SettingsSuggestion {
            system: self.system,
            file: self.file.map(|file| file.name().to_owned()),
            results,
            before,
            options: options.iter().map(|(key, json)| (key, json.clone(), value(key))).collect(),
            after,
            text,
            own_transcripts: own.sum(),
        })
    }

    /// The settings with these options.
    fn adjusted(&self, options: &OptionValues) -> Result<AdjustedSettings, Failure> {
        Ok(system::adjusted(self.system, self.file, options)?)
    }

    /// What the settings so far would have done, and each adjustment with the values that save most. Values that mean what the
    /// settings mean already are left out.
    fn best_values(
        &self,
        so_far: &AdjustedSettings,
        observed: &Observations,
    ) -> Result<(SimulatedPolicy, Vec<AdjustmentResult>), Failure> {
        let mut texts = vec![so_far.policy.clone()];
        let mut tried = Vec::new();
        for adjustment in self.system.adjustments {
            for options in adjustment.trials(observed.smallest_window) {
                let settings = self.adjusted(&options)?;
                if settings.policy != so_far.policy {
                    texts.push(settings.policy);
                    tried.push((adjustment, options));
                }
            }
        }
        let mut simulated = self.replays.simulate(&texts, self.console)?.into_iter();
        let before = simulated.next().unwrap_or_default();
        let mut results: Vec<AdjustmentResult> = Vec::new();
        for ((adjustment, options), with) in tried.into_iter().zip(simulated) {
            let alone = with.beyond(&before);
            let outcome = if with.tokens_saved == before.tokens_saved && with.cost_saved == before.cost_saved {
                SuggestionOutcome::NeverFires
            } else {
                SuggestionOutcome::SavesNothing
            };
            let result = AdjustmentResult { adjustment, options, alone, outcome };
            match results.last_mut().filter(|last| last.adjustment.name == adjustment.name) {
                // The first of equally good values.
                Some(last) if result.alone.net_saving() > last.alone.net_saving() => *last = result,
                Some(_) => {}
                None => results.push(result),
            }
        }
        Ok((before, results))
    }

    /// Keeps the options that save most, then further ones with which the settings save more than a replay may err.
    /// Returns the kept options and what the settings would have done with them, or `None` without any.
    fn add_saving_options(
        &self,
        results: &mut [AdjustmentResult],
        before: &SimulatedPolicy,
    ) -> Result<(OptionValues, Option<SimulatedPolicy>), Failure> {
        let mut order: Vec<usize> = (0..results.len()).collect();
        order.retain(|at| results[*at].alone.net_saving() > Decimal::ZERO);
        order.sort_by_key(|at| std::cmp::Reverse(results[*at].alone.net_saving()));
        let (mut kept, mut best): (OptionValues, Option<SimulatedPolicy>) = (OptionValues::default(), None);
        for at in order {
            let options = kept.with(&results[at].options, self.system);
            let policy = self.adjusted(&options)?.policy;
            let with = self.replays.simulate(&[policy], self.console)?.pop().unwrap_or_default();
            let without = best.as_ref().unwrap_or(before);
            let (net, error) = (with.net_saving(), with.error(Some(without)));
            let gain = net - without.net_saving();
            results[at].outcome = if gain > error {
                SuggestionOutcome::Kept
            } else if gain > Decimal::ZERO {
                SuggestionOutcome::WithinError { gain, error }
            } else {
                SuggestionOutcome::AddsNothing { with: net, without: without.net_saving() }
            };
            if results[at].outcome == SuggestionOutcome::Kept {
                (kept, best) = (options, Some(with));
            }
        }
        Ok((kept, best))
    }
}
