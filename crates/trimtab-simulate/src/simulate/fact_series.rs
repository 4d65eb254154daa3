//! Facts with given values: one value for each call, the last one for all calls after it.

use trimtab_base::quantity::{Decimal, Value};
use trimtab_language::check::Series;
use trimtab_language::fact::Fact;
use trimtab_run::run::{FactOverride, FactOverrides};

/// The values of facts, call by call.
#[derive(Clone, Debug, Default)]
pub struct FactSeries(pub Vec<Series>);

/// The values of a series at one call.
pub(super) struct CallOverrides<'a> {
    series: &'a [Series],
    call: usize,
    window: Option<u64>,
    reserve: u64,
}

impl FactSeries {
    pub(super) fn at(&self, call: usize, window: Option<u64>, reserve: u64) -> CallOverrides<'_> {
        CallOverrides { series: &self.0, call, window, reserve }
    }
}

impl CallOverrides<'_> {
    /// The value of a series at this call.
    fn of(&self, series: &Series) -> Option<FactOverride> {
        let value = series.values.get(self.call).or(series.values.last())?;
        Some(value.clone().map_or(FactOverride::Unknown, FactOverride::Value))
    }

    /// The value of a fact as it follows from that of another fact with the same base; unknown without a window.
    fn converted(&self, from: &'static Fact, value: &FactOverride, to: &'static Fact) -> FactOverride {
        let convert = |number: Decimal| {
            let source = from.source_value(number, self.window, self.reserve)?;
            to.derive(source, self.window, self.reserve)
        };
        match value {
            FactOverride::Value(Value::Number(number)) => {
                convert(*number).map_or(FactOverride::Unknown, |number| FactOverride::Value(Value::Number(number)))
            }
            _ => FactOverride::Unknown,
        }
    }
}

impl FactOverrides for CallOverrides<'_> {
    fn get(&self, fact: &'static Fact, arguments: &[Value]) -> Option<FactOverride> {
        let is_own = |one: &&Series| std::ptr::eq(one.reading.fact, fact) && one.reading.arguments == arguments;
        if let Some(own) = self.series.iter().find(is_own) {
            return self.of(own);
        }
        let other = self.series.iter().find(|one| fact.follows_from(one.reading.fact))?;
        Some(self.converted(other.reading.fact, &self.of(other)?, fact))
    }
}

#[cfg(test)]
mod tests {
    use trimtab_base::source::Span;
    use trimtab_language::check::Reading;
    use trimtab_language::fact::find;

    use super::*;

    fn series(name: &str, values: &[Option<&str>]) -> FactSeries {
        let fact = find(name).expect("a fact");
        let reading = Reading::new(fact, Vec::new(), Span::default());
        let number = |text: &&str| Value::Number(text.parse().expect("a number"));
        let values = values.iter().map(|value| value.as_ref().map(number)).collect();
        FactSeries(vec![Series { reading, values, span: Span::default() }])
    }

    fn value(series: &FactSeries, call: usize, window: Option<u64>, name: &str) -> String {
        let fact = find(name).expect("a fact");
        match series.at(call, window, 10).get(fact, &[]) {
            None => "-".to_owned(),
            Some(FactOverride::Unknown) => "unknown".to_owned(),
            Some(FactOverride::Value(value)) => value.format_bare(fact.ty),
        }
    }

    #[test]
    fn the_last_value_is_repeated() {
        let series = series("failures", &[Some("1"), Some("2")]);
        let all: Vec<_> = (0..4).map(|call| value(&series, call, None, "failures")).collect();
        assert_eq!(all, ["1", "2", "2", "2"]);
        assert_eq!(value(&series, 0, None, "repeats"), "-");
    }

    #[test]
    fn share_tokens_and_free_tokens_follow_from_one_another() {
        let cases = [
            ("context.ratio", "0.6", [("context.tokens", "600"), ("context.free", "390")]),
            ("context.tokens", "600", [("context.ratio", "60%"), ("context.free", "390")]),
            ("context.free", "390", [("context.ratio", "60%"), ("context.tokens", "600")]),
        ];
        for (given, text, expected) in cases {
            let series = series(given, &[Some(text)]);
            for (name, text) in expected {
                assert_eq!(value(&series, 0, Some(1000), name), text, "{name} from {given}");
                assert_eq!(value(&series, 0, Some(0), name), "unknown", "{name} from {given}");
            }
            assert_eq!(value(&series, 0, Some(1000), "reported.tokens"), "-");
        }
    }

    #[test]
    fn a_fact_set_to_unknown_differs_from_an_unset_fact() {
        let series = series("reported.tokens", &[None, Some("500")]);
        assert_eq!(value(&series, 0, Some(1000), "reported.tokens"), "unknown");
        assert_eq!(value(&series, 0, Some(1000), "reported.ratio"), "unknown");
        assert_eq!(value(&series, 1, Some(1000), "reported.ratio"), "50%");
    }
}
