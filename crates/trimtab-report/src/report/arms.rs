//! How the arms of an experiment differ: a table for each arm but the first.

use rust_decimal::prelude::FromPrimitive;
use trimtab_analysis::experiment::{
    ArmComparison, ArmMeasure, Compared, Conclusion, Difference, MIN_UNITS, MeasureComparison,
};
use trimtab_base::quantity::{Decimal, percent};

use super::amount::{dollars, signed_dollars};
use super::listing::{Column, Listing, Section};
use super::number::{plural, whole};
use super::replay_result::ReplayError;
use super::result::ArmsResult;

/// The comparison in a table for each arm. What is said first is about the measure with this name.
pub fn arms(comparison: &ArmComparison, measure: &str, margin: f64, unread: &[ReplayError]) -> Listing {
    let mut sections = vec![Section { notes: verdicts(comparison, measure, margin), ..Section::default() }];
    let others = comparison.arms.iter().skip(1).map(|(name, _)| name);
    sections.extend(others.filter_map(|name| section(comparison, name)));
    let result = ArmsResult::of(comparison, margin, unread);
    Listing::new(sections, &result, &result.measures)
}

/// What the measure says about each arm.
fn verdicts(comparison: &ArmComparison, measure: &str, margin: f64) -> Vec<String> {
    let arm = |(name, units): &(String, usize)| format!("{name} {}", whole(*units));
    let all = comparison.arms.iter().map(|(_, units)| units).sum();
    let counts = comparison.arms.iter().map(arm).collect::<Vec<_>>().join(", ");
    let mut notes = vec![format!("{} in {}: {counts}.", plural(all, "unit"), plural(comparison.arms.len(), "arm"))];
    match comparison.measures.iter().find(|known| known.measure.name == measure) {
        Some(MeasureComparison { measure, arms }) => {
            let baseline = comparison.arms.first().map_or("", |(name, _)| name.as_str());
            notes.extend(arms.iter().map(|arm| verdict(measure, baseline, arm, margin)));
            notes.push(
                "The intervals hold at every look, so an experiment may be stopped at any of them. Choose the measure and \
                 the margin before you look."
                    .to_owned(),
            );
        }
        None => notes.push(format!("The measure `{measure}` is not known for every arm.")),
    }
    notes
}

/// `cost: tidy has less than none, $0.52 instead of $0.81 (-36%, -52% to -20%).`
fn verdict(measure: &ArmMeasure, baseline: &str, arm: &Compared, margin: f64) -> String {
    let Difference { baseline: before, mean, .. } = arm.difference;
    let figures = format!("{} instead of {}", figure(mean, measure), figure(before, measure));
    let interval = interval(&arm.difference).map(|range| format!(", {range}")).unwrap_or_default();
    let figures = format!("{figures} ({}{interval})", change(&arm.difference));
    let (name, other) = (measure.name, &arm.arm);
    let margin = percent(decimal(margin));
    match arm.conclusion {
        Conclusion::Lower => format!("{name}: {other} has less than {baseline}, {figures}."),
        Conclusion::Higher => format!("{name}: {other} has more than {baseline}, {figures}."),
        Conclusion::Alike => {
            format!("{name}: {other} and {baseline} differ by at most {margin}, {figures}.")
        }
        Conclusion::Open(needed) => {
            let needed = match needed {
                Some(units) => {
                    format!("about {} in each arm would tell a difference of {margin}", plural(units, "unit"))
                }
                None => format!("a difference of {margin} is out of reach"),
            };
            format!("{name}: it is open whether {other} and {baseline} differ, {figures}; {needed}.")
        }
        Conclusion::TooFew => {
            format!("{name}: {figures}; there is no interval before each arm has {}.", plural(MIN_UNITS, "unit"))
        }
    }
}

/// The measures of an arm beside the first one.
fn section(comparison: &ArmComparison, arm: &str) -> Option<Section> {
    let rows: Vec<Vec<String>> = comparison
        .measures
        .iter()
        .filter_map(|MeasureComparison { measure, arms }| {
            let compared = arms.iter().find(|compared| compared.arm == arm)?;
            Some(row(measure, compared))
        })
        .collect();
    let names = ["first arm", "this arm", "change", "interval"].map(Column::number);
    let columns =
        std::iter::once(Column::name("mean of a unit")).chain(names).chain([Column::text("result")]).collect();
    let baseline = comparison.arms.first()?.0.as_str();
    let title = format!("{arm} beside {baseline}");
    (!rows.is_empty()).then(|| Section { title, columns, rows, ..Section::default() })
}

fn row(measure: &ArmMeasure, arm: &Compared) -> Vec<String> {
    let Difference { baseline, mean, .. } = arm.difference;
    vec![
        measure.name.to_owned(),
        figure(baseline, measure),
        figure(mean, measure),
        change(&arm.difference),
        interval(&arm.difference).unwrap_or_default(),
        arm.conclusion.word().replace('_', " "),
    ]
}

/// A mean with as many places as matter.
fn figure(value: f64, measure: &ArmMeasure) -> String {
    let value = decimal(value);
    match measure.is_money {
        true if value.is_sign_negative() => signed_dollars(value),
        true => dollars(value),
        false if value.abs() < Decimal::from(100) => value.round_dp(2).normalize().to_string(),
        false => super::number::sum(u128::try_from(value.round()).unwrap_or(0)),
    }
}

/// The difference as a share of the mean of the first arm.
fn change(difference: &Difference) -> String {
    share(difference.mean - difference.baseline, difference.baseline).unwrap_or_else(|| "-".to_owned())
}

fn interval(difference: &Difference) -> Option<String> {
    let (low, high) = difference.interval?;
    Some(format!("{} to {}", share(low, difference.baseline)?, share(high, difference.baseline)?))
}

fn share(part: f64, of: f64) -> Option<String> {
    let share = decimal(part).checked_div(decimal(of.abs()))?;
    let sign = if share.is_sign_positive() && !share.is_zero() { "+" } else { "" };
    Some(format!("{sign}{}", percent(share)))
}

/// A number with six places, which tells more than any figure is exact.
fn decimal(value: f64) -> Decimal {
    Decimal::from_f64(value).unwrap_or_default().round_dp(6)
}
