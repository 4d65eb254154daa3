//! Tests with given facts alone: a rule without guards fires exactly when its condition holds.

use proptest::prelude::*;
use trimtab::condition;
use trimtab::fact::{Fact, Facts};
use trimtab::pipeline;
use trimtab::plan;
use trimtab::quantity::{Decimal, Value, share_of};
use trimtab::simulate::{FactSeries, Options, dry_run};

const WINDOW: u64 = 100_000;

/// One iteration: a share of the window in percent, failures, and whether a tool exists.
type GivenValues = (u32, u32, bool);

/// The facts of one iteration.
struct GivenFacts(GivenValues, usize);

impl Facts for GivenFacts {
    fn value(&self, fact: &'static Fact, _: &[Value]) -> Option<Value> {
        let (percent, failures, tool) = self.0;
        let share = Decimal::new(percent.into(), 2);
        Some(match fact.name {
            "context.ratio" => Value::Number(share),
            "context.tokens" => Value::Number(share_of(WINDOW, share).into()),
            "failures" => Value::Number(failures.into()),
            "has_tool" => Value::Bool(tool),
            "iteration" => Value::whole(self.1),
            other => unreachable!("{other} is not read"),
        })
    }

    fn window(&self) -> Option<u64> {
        Some(WINDOW)
    }
}

fn test() -> impl Strategy<Value = String> {
    let operator = || prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
    prop_oneof![
        (operator(), 0..100u32).prop_map(|(operator, share)| format!("context.ratio {operator} {share}%")),
        (operator(), 0..100u32).prop_map(|(operator, tokens)| format!("context.tokens {operator} {tokens}k tokens")),
        (operator(), 0..5u32).prop_map(|(operator, count)| format!("failures {operator} {count}")),
        (operator(), 0..6u32).prop_map(|(operator, count)| format!("iteration {operator} {count}")),
        Just("has_tool(\"note\")".to_owned()),
    ]
}

fn condition() -> impl Strategy<Value = String> {
    test().prop_recursive(3, 12, 3, |inner| {
        let join = |word: &'static str| {
            prop::collection::vec(inner.clone(), 2..4).prop_map(move |parts| format!("({})", parts.join(word)))
        };
        prop_oneof![join(" and "), join(" or "), inner.clone().prop_map(|inner| format!("not ({inner})"))]
    })
}

fn series<T: ToString>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(", ")
}

proptest! {
    #![proptest_config(crate::generated::cases(200))]

    #[test]
    fn a_rule_without_guards_fires_exactly_when_its_condition_holds(
        condition in condition(),
        moments in prop::collection::vec((0..100u32, 0..5u32, any::<bool>()), 1..8),
    ) {
        let text = format!(
            "edition 2026 policy p {{ rule r {{ when {condition} do mask results }}
             rule reads {{ when failures > 9 and has_tool(\"note\") and context.ratio > 1% do notify \"\" }} }}
             test \"t\" {{ given window {WINDOW} tokens given context.ratio {} given failures {}
             given has_tool(\"note\") {} expect r never fires }}",
            series(moments.iter().map(|moment| format!("{}%", moment.0))),
            series(moments.iter().map(|moment| moment.1)),
            series(moments.iter().map(|moment| moment.2)),
        );
        let compiled = pipeline::compile("x.trim", &text);
        let checked = compiled.checked.unwrap_or_else(|| panic!("{text}\n{:#?}", compiled.diagnostics));
        let plan = plan::lower(&checked, None).unwrap();
        let given = &checked.tests[0].given;
        let options = Options { window: given.window, given: FactSeries(given.series.clone()), ..Options::default() };
        let trace = dry_run(&plan, given.length(), &options);
        let holds = |(at, moment): (usize, &GivenValues)| {
            condition::holds(&plan.rules[0].condition, &GivenFacts(*moment, at)).unwrap().then_some(at)
        };
        let expected: Vec<usize> = moments.iter().enumerate().filter_map(holds).collect();
        prop_assert_eq!(&trace.rules[0].calls, &expected, "{}", text);
    }
}
