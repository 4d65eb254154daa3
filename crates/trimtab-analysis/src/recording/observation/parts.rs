//! The calls of a recording by their window and by their model, as observations of their own.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::quantity::{Type, Value};
use trimtab_base::source::{SourceId, Span};
use trimtab_language::check::Reading;
use trimtab_language::fact::{FACTS, Topic};
use trimtab_simulate::simulate::Call;

use super::Observations;

/// The fact that says which model answers, to be observed at each call.
pub(super) fn model_reading() -> Option<Reading> {
    let fact = FACTS.iter().copied().find(|fact| fact.topic == Topic::Model && fact.ty == Type::Text)?;
    Some(Reading::new(fact, Vec::new(), Span::new(SourceId(0), 0, 0)))
}

/// What a recording holds of some of its calls.
pub(super) fn part(whole: &Observations, calls: &[&Call]) -> Observations {
    let sent: u128 = calls.iter().map(|call| u128::from(call.before)).sum();
    let content = whole.content.iter().map(|(kind, tokens)| (kind.clone(), tokens * sent / whole.sent.max(1)));
    Observations {
        transcripts: whole.transcripts,
        calls: calls.len(),
        sent,
        peak: calls.iter().map(|call| call.before).max().unwrap_or_default(),
        peak_share: calls.iter().filter_map(|call| call.recorded_ratio()).max(),
        smallest_window: calls.iter().filter_map(|call| call.window).min(),
        unknown_windows: usize::from(calls.iter().any(|call| call.window.is_none())),
        content: content.collect(),
        results: whole.results,
        ..Observations::default()
    }
}

/// The calls by their window.
pub(super) fn by_window(whole: &Observations, calls: &[Call]) -> BTreeMap<u64, Observations> {
    let mut windows: BTreeMap<u64, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        windows.entry(call.window.unwrap_or_default()).or_default().push(call);
    }
    // An unknown window is no size.
    windows.remove(&0);
    windows.into_iter().map(|(window, calls)| (window, part(whole, &calls))).collect()
}

/// The calls by the model that answers them.
pub(super) fn by_model(whole: &Observations, calls: &[Call]) -> BTreeMap<SmolStr, Observations> {
    let mut models: BTreeMap<SmolStr, Vec<&Call>> = BTreeMap::new();
    for call in calls {
        if let Some(Value::Text(model)) = call.values.last().and_then(Option::as_ref) {
            models.entry(model.clone()).or_default().push(call);
        }
    }
    models.into_iter().map(|(model, calls)| (model, part(whole, &calls))).collect()
}

/// Adds parts with the same key.
pub(super) fn add<K: Ord>(sums: &mut BTreeMap<K, Observations>, others: BTreeMap<K, Observations>) {
    for (key, other) in others {
        *sums.entry(key).or_default() += other;
    }
}
