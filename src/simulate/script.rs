//! Facts that are told: a value a call, the last one stays.

use crate::check::Series;
use crate::fact::Fact;
use crate::quantity::{Decimal, Value, share_of};
use crate::run::{FactOverride, FactOverrides};

/// Series of facts.
#[derive(Clone, Debug, Default)]
pub struct Script(pub Vec<Series>);

/// What a script tells at one call.
pub(super) struct Line<'a> {
    series: &'a [Series],
    call: usize,
    window: Option<u64>,
    reserve: u64,
}

impl Script {
    pub(super) fn at(&self, call: usize, window: Option<u64>, reserve: u64) -> Line<'_> {
        Line { series: &self.0, call, window: window.filter(|&window| window > 0), reserve }
    }
}

impl Line<'_> {
    /// What is told of a fact by its own series.
    fn own(&self, name: &str, arguments: &[Value]) -> Option<FactOverride> {
        let is_it = |one: &&Series| one.reading.fact.name == name && one.reading.arguments == arguments;
        let series = self.series.iter().find(is_it)?;
        let value = series.values.get(self.call).or(series.values.last())?;
        Some(value.clone().map_or(FactOverride::Unknown, FactOverride::Value))
    }

    /// Tokens that follow from a share, or from what is free.
    fn tokens(&self, share: &str, free: Option<&str>) -> Option<FactOverride> {
        if let Some(told) = self.own(share, &[]) {
            let tokens = |share| Some(Decimal::from(share_of(self.window?, share)));
            return Some(made(&told, tokens));
        }
        let told = self.own(free?, &[])?;
        Some(made(&told, |free| {
            let used = Decimal::from(self.window?) - Decimal::from(self.reserve) - free;
            Some(used.max(Decimal::ZERO))
        }))
    }

    /// A share that follows from tokens.
    fn share(&self, told: Option<FactOverride>) -> Option<FactOverride> {
        Some(made(&told?, |tokens| Some(tokens / Decimal::from(self.window?))))
    }

    /// What is free, as it follows from tokens.
    fn free(&self, told: Option<FactOverride>) -> Option<FactOverride> {
        let free = |tokens| Some(Decimal::from(self.window?) - Decimal::from(self.reserve) - tokens);
        Some(made(&told?, free))
    }
}

/// What follows from something that is told; unknown when that is, or when nothing follows.
fn made(told: &FactOverride, follows: impl FnOnce(Decimal) -> Option<Decimal>) -> FactOverride {
    match told {
        FactOverride::Value(Value::Number(number)) => {
            follows(*number).map_or(FactOverride::Unknown, |number| FactOverride::Value(Value::Number(number)))
        }
        _ => FactOverride::Unknown,
    }
}

impl FactOverrides for Line<'_> {
    fn get(&self, fact: &'static Fact, arguments: &[Value]) -> Option<FactOverride> {
        if self.series.is_empty() {
            return None;
        }
        let own = self.own(fact.name, arguments);
        if own.is_some() {
            return own;
        }
        let context = || self.own("context.tokens", &[]).or_else(|| self.tokens("context.ratio", Some("context.free")));
        match fact.name {
            "context.tokens" => self.tokens("context.ratio", Some("context.free")),
            "context.ratio" => self.share(context()),
            "context.free" => self.free(context()),
            "reported.tokens" => self.tokens("reported.ratio", None),
            "reported.ratio" => self.share(self.own("reported.tokens", &[])),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Reading;
    use crate::fact::find;
    use crate::source::Span;

    fn script(name: &str, values: &[Option<&str>]) -> Script {
        let fact = find(name).expect("a fact");
        let reading = Reading { fact, arguments: Vec::new(), fallback: None, span: Span::default() };
        let number = |text: &&str| Value::Number(text.parse().expect("a number"));
        let values = values.iter().map(|value| value.as_ref().map(number)).collect();
        Script(vec![Series { reading, values, span: Span::default() }])
    }

    fn told(script: &Script, call: usize, window: Option<u64>, name: &str) -> String {
        let fact = find(name).expect("a fact");
        match script.at(call, window, 10).get(fact, &[]) {
            None => "-".to_owned(),
            Some(FactOverride::Unknown) => "unknown".to_owned(),
            Some(FactOverride::Value(value)) => value.format_bare(fact.ty),
        }
    }

    #[test]
    fn the_last_value_stays() {
        let script = script("failures", &[Some("1"), Some("2")]);
        let all: Vec<_> = (0..4).map(|call| told(&script, call, None, "failures")).collect();
        assert_eq!(all, ["1", "2", "2", "2"]);
        assert_eq!(told(&script, 0, None, "repeats"), "-");
    }

    #[test]
    fn share_tokens_and_what_is_free_follow_from_one_another() {
        let cases = [
            ("context.ratio", "0.6", [("context.tokens", "600"), ("context.free", "390")]),
            ("context.tokens", "600", [("context.ratio", "60%"), ("context.free", "390")]),
            ("context.free", "390", [("context.ratio", "60%"), ("context.tokens", "600")]),
        ];
        for (given, value, expected) in cases {
            let script = script(given, &[Some(value)]);
            for (name, text) in expected {
                assert_eq!(told(&script, 0, Some(1000), name), text, "{name} from {given}");
            }
            assert_eq!(told(&script, 0, Some(1000), "reported.tokens"), "-");
        }
    }

    #[test]
    fn told_to_be_unknown_is_not_the_same_as_not_told() {
        let script = script("reported.tokens", &[None, Some("500")]);
        assert_eq!(told(&script, 0, Some(1000), "reported.tokens"), "unknown");
        assert_eq!(told(&script, 0, Some(1000), "reported.ratio"), "unknown");
        assert_eq!(told(&script, 1, Some(1000), "reported.ratio"), "50%");
    }
}
