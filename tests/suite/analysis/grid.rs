//! Grids of states: for each fact every boundary of the conditions with its neighbours, the ends and the middles; for
//! windows those at which a share equals a number of tokens. Impossible states are omitted.

use trimtab::check::{Condition, Operand, Reading, Relation, Test};
use trimtab::condition::{Assumptions, LEAST_WINDOW, Witness};
use trimtab::fact::{self, Fact, Facts};
use trimtab::quantity::{Decimal, Type, Unit, Value};

/// A fact with its arguments and its value.
type Told = (&'static Fact, Vec<Value>, Option<Value>);

/// A fact with its arguments and its value, of which none is its own.
type Valued<'a> = (&'a Fact, &'a [Value], Option<&'a Value>);

/// One combination of values of some facts.
type Choice = Vec<Told>;

pub(super) struct Grid {
    /// Whether some facts are related.
    bound: bool,
    windows: Vec<(Option<u64>, Vec<Vec<Choice>>)>,
}

/// A state: one choice for each dimension.
struct State<'a> {
    window: Option<u64>,
    chosen: Vec<&'a Choice>,
}

impl State<'_> {
    fn is_possible(&self) -> bool {
        let values = self.chosen.iter().flat_map(|choice| choice.iter());
        let values: Vec<_> =
            values.map(|(fact, arguments, value)| (*fact, arguments.as_slice(), value.as_ref())).collect();
        are_related_values_consistent(&values)
    }
}

impl Facts for State<'_> {
    fn value(&self, fact: &'static Fact, arguments: &[Value]) -> Option<Value> {
        let values = self.chosen.iter().flat_map(|choice| choice.iter());
        let mut matching = values.filter(|(other, given, _)| std::ptr::eq(*other, fact) && given == arguments);
        matching.next().and_then(|(_, _, value)| value.clone())
    }

    fn window(&self) -> Option<u64> {
        self.window
    }
}

/// Facts of which the first is never more than the second. These tables are the grid's own, so that a wrong relation in a
/// descriptor is found.
pub(crate) const AT_MOST: [[&str; 2]; 14] = [
    ["calls", "tools.calls"],
    ["tools.calls", "calls"],
    ["edits", "tools.calls"],
    ["tokens", "session.tokens"],
    ["since_compaction", "session.calls"],
    ["since_user_message", "session.calls"],
    ["context.largest", "context.tokens"],
    ["failures.tools", "failures"],
    ["failures.same", "failures"],
    ["since", "iteration"],
    ["budget.tokens", "session.tokens"],
    ["budget.calls", "session.calls"],
    ["iteration", "session.calls"],
    ["tools.used", "tools.calls"],
];

/// Facts of which the first is the second, or one more.
pub(crate) const SAME_OR_ONE_MORE: [[&str; 2]; 1] = [["budget.calls", "iteration"]];

/// Facts of which the first is nothing while the second is zero.
pub(crate) const NOTHING_WHILE_ZERO: [[&str; 2]; 4] = [
    ["edits", "files.changed"],
    ["tools.calls", "tools.used"],
    ["used_tool", "tools.used"],
    ["request.mentions", "request.words"],
];

/// Facts that do not shrink when more names are given, when they look further back, or when the session is counted instead of the
/// run.
pub(crate) const GROWS_WITH_ARGUMENTS: [&str; 12] = [
    "calls",
    "tokens",
    "edits",
    "files.changed",
    "tools.calls",
    "failures.total",
    "request.mentions",
    "tools.used",
    "used_tool",
    "misses",
    "fired",
    "failed",
];

/// Facts that are the same over the session where they are known in the run.
pub(crate) const SAME_OVER_SESSION: [&str; 1] = ["since"];

/// Facts that are all known or all unknown.
pub(crate) const KNOWN_TOGETHER: [&[&str]; 3] =
    [&["idle", "cache.warm"], &["result.text", "result.tokens", "result.error"], &["call.name", "call.arguments"]];

/// Facts of which the first is zero exactly while the second, about the same rule, is unknown.
pub(crate) const ZERO_WHILE_UNKNOWN: [[&str; 2]; 4] =
    [["edits", "edits.path"], ["compactions", "since_compaction"], ["fired", "since"], ["misses", "missed.tool"]];

/// Facts of which the first, if it compares nothing, is true exactly while the second, about the same rule, is zero; if it
/// compares facts, it is true then.
pub(crate) const TRUE_WHILE_ZERO: [[&str; 2]; 1] = [["changed", "fired"]];

/// Facts that are shares of one whole: they add up to 1, or all are 0.
pub(crate) const DISJOINT: [&str; 3] = ["share.persona", "share.tools", "share.history"];

/// Whether a fact is related to another one.
fn is_related(name: &str) -> bool {
    let pairs = AT_MOST.iter().chain(&ZERO_WHILE_UNKNOWN).chain(&TRUE_WHILE_ZERO).chain(&SAME_OR_ONE_MORE);
    let pairs = pairs.chain(&NOTHING_WHILE_ZERO).map(<[&str; 2]>::as_slice);
    pairs.chain(KNOWN_TOGETHER).chain([DISJOINT.as_slice(), &GROWS_WITH_ARGUMENTS]).any(|names| names.contains(&name))
}

impl Grid {
    pub(super) fn of(conditions: &[&Condition], assumptions: &Assumptions) -> Self {
        let mut tests = Vec::new();
        for condition in conditions {
            tests.extend(condition.tests());
        }
        let windows = windows(&tests, assumptions);
        let bound = tests.iter().any(|test| is_related(test.reading.fact.name));
        Self {
            bound,
            windows: windows.into_iter().map(|window| (window, dimensions(&tests, window, assumptions))).collect(),
        }
    }

    /// Visits every possible state until the callback returns false.
    pub(super) fn each(&self, go_on: &mut dyn FnMut(&dyn Facts) -> bool) {
        for (window, dimensions) in &self.windows {
            let mut at = vec![0; dimensions.len()];
            loop {
                let chosen: Vec<&Choice> = dimensions.iter().zip(&at).map(|(choices, at)| &choices[*at]).collect();
                let state = State { window: *window, chosen };
                if (!self.bound || state.is_possible()) && !go_on(&state) {
                    return;
                }
                let Some(next) = (0..at.len()).find(|&one| at[one] + 1 < dimensions[one].len()) else { break };
                at[next] += 1;
                at[..next].fill(0);
            }
        }
    }
}

/// The numbers in a test; shares are converted to tokens if the window is known.
fn numbers(test: &Test, window: Option<u64>) -> Vec<Decimal> {
    let is_share = test.reading.fact.share_of().is_some();
    let cut = |share: Decimal| window.map(|window| (share * Decimal::from(window)).trunc());
    let number = |value: &Value| match value {
        Value::Number(share) if is_share => cut(*share),
        Value::Number(number) => Some(*number),
        _ => None,
    };
    let mut all: Vec<Decimal> = test.reading.fallback.iter().filter_map(number).collect();
    match &test.relation {
        Relation::Compare(_, Operand::ShareOfWindow(share)) => all.extend(cut(*share)),
        Relation::Compare(_, Operand::Value(value)) => all.extend(number(value)),
        Relation::OneOf(values) => all.extend(values.iter().filter_map(number)),
        _ => {}
    }
    all
}

fn windows(tests: &[&Test], assumptions: &Assumptions) -> Vec<Option<u64>> {
    match assumptions.window {
        Some(0) => return vec![None],
        Some(window) => return vec![Some(window)],
        None => {}
    }
    let fixed = tests.iter().filter(|test| test.reading.fact.share_of().is_none());
    let tokens: Vec<Decimal> = fixed.flat_map(|test| numbers(test, None)).collect();
    let mut all: Vec<u64> = [LEAST_WINDOW, LEAST_WINDOW + 1, 12_345, 200_000, 1_000_000_000].into();
    let compared = tests.iter().filter(|test| test.reading.fact.name == "window");
    for number in compared.flat_map(|test| numbers(test, None)) {
        let near = trimtab::quantity::whole(number.max(Decimal::ONE));
        all.extend([near - 1, near, near + 1]);
    }
    for test in tests {
        let Relation::Compare(_, Operand::ShareOfWindow(share)) = &test.relation else { continue };
        for number in tokens.iter().filter(|number| !share.is_zero() && number.is_sign_positive()) {
            let near = trimtab::quantity::whole(number / share);
            all.extend([near, near + 1, near + 2]);
        }
    }
    all.retain(|window| *window >= LEAST_WINDOW);
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(Some).chain([None]).collect()
}

/// What determines a fact: the context, the last call's context, the newest calls, or only the fact itself.
fn subject(reading: &Reading) -> (&'static str, &[Value]) {
    match reading.fact.name {
        "context.ratio" | "context.free" => ("context.tokens", &[]),
        "reported.ratio" => ("reported.tokens", &[]),
        "repeats" => ("repeats", &reading.arguments[1..]),
        name => (name, &reading.arguments),
    }
}

fn dimensions(tests: &[&Test], window: Option<u64>, assumptions: &Assumptions) -> Vec<Vec<Choice>> {
    let mut done: Vec<(&str, &[Value])> = Vec::new();
    let mut all = Vec::new();
    for test in tests {
        let of = subject(&test.reading);
        if !done.contains(&of) {
            done.push(of);
            let alike: Vec<&Test> = tests.iter().filter(|test| subject(&test.reading) == of).copied().collect();
            all.push(choices(of.0, &alike, tests, window, assumptions));
        }
    }
    all
}

fn choices(
    name: &str,
    tests: &[&Test],
    every: &[&Test],
    window: Option<u64>,
    assumptions: &Assumptions,
) -> Vec<Choice> {
    let reading = &tests[0].reading;
    let is_value_possible = |value: Option<Value>| vec![(reading.fact, reading.arguments.clone(), value)];
    let mut all: Vec<Choice> = match (name, reading.fact.ty) {
        ("context.tokens" | "reported.tokens", _) => {
            let largest =
                every.iter().filter(|test| name == "context.tokens" && test.reading.fact.name == "context.largest");
            let tests: Vec<&Test> = tests.iter().chain(largest).copied().collect();
            sizes(&tests, window, assumptions)
                .into_iter()
                .map(|tokens| sized(name, tokens, window, assumptions))
                .collect()
        }
        ("window", _) => vec![is_value_possible(window.map(|window| Value::Number(window.into())))],
        ("repeats", _) => (0..=9).map(|alike| repeated(tests, alike)).collect(),
        (_, Type::Bool) => [true, false].map(|truth| is_value_possible(Some(Value::Bool(truth)))).into(),
        (_, Type::Number(unit)) => {
            let near = |test: &&&Test| is_compared(name, test.reading.fact.name);
            let mut numbers: Vec<Decimal> = every.iter().filter(near).flat_map(|test| numbers(test, window)).collect();
            if DISJOINT.contains(&name) {
                numbers.push(Decimal::ONE);
                numbers.extend(numbers.clone().into_iter().map(|number| Decimal::ONE - number));
            }
            let step = if is_fractional(unit) { Decimal::new(1, 4) } else { Decimal::ONE };
            let is_within = |number: &Decimal| match &reading.arguments[..] {
                [Value::Number(within), ..] if name == "occurrences" => number <= within,
                [_, Value::Number(within)] if name == "cycles" => number <= within,
                [Value::Text(within), ..] if name == "edits" => is_within_calls(within, *number),
                [_, _, Value::Text(within)] if name == "calls" => is_within_calls(within, *number),
                _ if DISJOINT.contains(&name) => *number <= Decimal::ONE,
                _ => true,
            };
            let mut numbers: Vec<Decimal> = around(numbers, step).into_iter().filter(is_within).collect();
            if let ("stall", [Value::Number(last)]) = (name, &reading.arguments[..]) {
                numbers = (0..trimtab::quantity::whole(*last)).map(|repeated| Decimal::from(repeated) / last).collect();
            }
            numbers.into_iter().map(|number| is_value_possible(Some(Value::Number(number)))).collect()
        }
        _ => texts(tests).into_iter().map(|text| is_value_possible(Some(Value::Text(text.into())))).collect(),
    };
    if reading.fact.is_optional() && name != "window" {
        let mut unknown = is_value_possible(None);
        if name == "reported.tokens" {
            unknown.extend(
                ["reported.tokens", "reported.ratio"].map(|name| (fact::find(name).unwrap(), Vec::new(), None)),
            );
        }
        all.push(unknown);
    }
    all
}

/// Whether a number of calls is among so many calls, if they are limited in that unit.
fn is_within_calls(within: &str, number: Decimal) -> bool {
    within.strip_suffix(" calls").is_none_or(|calls| number <= calls.parse().expect("a number"))
}

/// Whether the numbers of one fact are compared with those of another.
fn is_compared(name: &str, other: &str) -> bool {
    let is_in = |names: &[&str]| names.contains(&name) && names.contains(&other);
    name == other || is_in(&DISJOINT) || AT_MOST.iter().any(|pair| is_in(pair))
}

/// Numbers with their neighbours, the ends, and the middles.
fn around(numbers: Vec<Decimal>, step: Decimal) -> Vec<Decimal> {
    let mut marks: Vec<Decimal> = numbers.into_iter().chain([Decimal::ZERO]).collect();
    marks.sort_unstable();
    marks.dedup();
    let middles = marks.windows(2).map(|pair| {
        let middle = (pair[0] + pair[1]) / Decimal::TWO;
        if step == Decimal::ONE { middle.trunc() } else { middle }
    });
    let mut all: Vec<Decimal> = middles.collect();
    all.extend(marks.iter().flat_map(|mark| [mark - step, *mark, mark + step]));
    all.retain(|number| *number >= Decimal::ZERO);
    all.sort_unstable();
    all.dedup();
    all
}

/// The sizes of a context.
fn sizes(tests: &[&Test], window: Option<u64>, assumptions: &Assumptions) -> Vec<Decimal> {
    let of = |test: &&Test| {
        let numbers = numbers(test, window);
        match (test.reading.fact.name, window) {
            ("context.free", Some(window)) => {
                let whole = Decimal::from(window) - Decimal::from(assumptions.reserve.unwrap_or(0));
                numbers.into_iter().map(|free| whole - free).collect()
            }
            _ => numbers,
        }
    };
    // A context may be larger than the window.
    let beyond = window.map(|window| Decimal::from(window) * Decimal::TWO);
    around(tests.iter().flat_map(of).chain(beyond).collect(), Decimal::ONE)
}

/// The values of all facts about a context of this size.
fn sized(name: &str, tokens: Decimal, window: Option<u64>, assumptions: &Assumptions) -> Choice {
    let ratio = if name == "context.tokens" { "context.ratio" } else { "reported.ratio" };
    let share = window.map(|window| Value::Number(tokens / Decimal::from(window)));
    let free = window
        .map(|window| Value::Number(Decimal::from(window) - Decimal::from(assumptions.reserve.unwrap_or(0)) - tokens));
    let values = |name: &str, value| (fact::find(name).unwrap(), Vec::new(), value);
    let mut choice = vec![values(name, Some(Value::Number(tokens))), values(ratio, share)];
    if name == "context.tokens" {
        choice.push(values("context.free", free));
    }
    choice
}

/// The values of several readings for this number of identical calls.
fn repeated(tests: &[&Test], alike: u64) -> Choice {
    let one = |test: &&Test| {
        let Value::Number(within) = test.reading.arguments[0] else { unreachable!("a number of calls") };
        (test.reading.fact, test.reading.arguments.clone(), Some(Value::Number(within.min(Decimal::from(alike)))))
    };
    tests.iter().map(one).collect()
}

/// Every constant, and every concatenation of two and three of them.
fn texts(tests: &[&Test]) -> Vec<String> {
    let mut constants: Vec<String> = vec!["-".to_owned()];
    for test in tests {
        match &test.relation {
            Relation::Contains(part) => constants.push(part.to_string()),
            Relation::Compare(_, Operand::Value(Value::Text(text))) => constants.push(text.to_string()),
            Relation::OneOf(values) => constants.extend(values.iter().map(|value| value.format_bare(Type::Name))),
            _ => {}
        }
    }
    constants.sort_unstable();
    constants.dedup();
    let mut all = constants.clone();
    let joined = tests.iter().any(|test| matches!(test.relation, Relation::Contains(_)));
    for _ in 0..if joined { 2 } else { 0 } {
        let longer = all.iter().flat_map(|text| constants.iter().map(move |more| format!("{text}+{more}")));
        let longer: Vec<String> = longer.collect();
        all.extend(longer);
    }
    all
}

/// Whether the values of related facts agree.
fn are_related_values_consistent(values: &[Valued<'_>]) -> bool {
    let all = |name: &'static str| values.iter().filter(move |(fact, ..)| fact.name == name);
    let at_most = |[a, b]: [&'static str; 2]| {
        all(a).all(|few| {
            all(b).filter(|many| counts_the_same(few, many)).all(|many| match (few.2, many.2) {
                (Some(Value::Number(a)), Some(Value::Number(b))) => a <= b,
                _ => true,
            })
        })
    };
    let alike = |names: &[&str]| {
        let known: Vec<bool> =
            values.iter().filter(|(fact, ..)| names.contains(&fact.name)).map(|value| value.2.is_some()).collect();
        known.windows(2).all(|pair| pair[0] == pair[1])
    };
    let counted = |[count, other]: [&'static str; 2]| {
        all(count).all(|count| {
            let is_zero = count.2 == Some(&Value::whole(0));
            all(other).filter(|other| others(other).eq(others(count))).all(|other| {
                match (is_in_session(count), is_in_session(other)) {
                    (false, true) => other.2.is_some() || is_zero,
                    (true, false) => other.2.is_none() || !is_zero,
                    _ => other.2.is_none() == is_zero,
                }
            })
        })
    };
    let shares: Vec<Decimal> = values
        .iter()
        .filter_map(|(fact, _, value)| match value {
            Some(Value::Number(share)) if DISJOINT.contains(&fact.name) => Some(*share),
            _ => None,
        })
        .collect();
    let sum: Decimal = shares.iter().sum();
    let is_whole = shares.len() < DISJOINT.len() || sum.is_zero() || sum == Decimal::ONE;
    let is_disjoint = |at: usize| shares[at + 1..].iter().all(|other| shares[at] + other <= Decimal::ONE);
    is_whole
        && (0..shares.len()).all(is_disjoint)
        && is_changed_consistent(values)
        && are_counts_consistent(values)
        && are_same_over_session(values)
        && AT_MOST.into_iter().all(at_most)
        && KNOWN_TOGETHER.into_iter().all(alike)
        && ZERO_WHILE_UNKNOWN.into_iter().all(counted)
}

/// Whether two facts have equal arguments where parameters have one name, the second one has no other restriction, and it
/// remembers as far back.
fn counts_the_same(few: &Valued<'_>, many: &Valued<'_>) -> bool {
    let own = |name: &str| others(few).find(|(parameter, _)| *parameter == name).map(|(_, value)| value);
    let is_omitted = |value: &Value| matches!(value, Value::Text(names) if names.is_empty());
    is_in_session(many) >= is_in_session(few)
        && others(many).all(|(name, value)| own(name).map_or_else(|| is_omitted(value), |own| own == value))
}

/// Whether the session is counted.
fn is_in_session((fact, arguments, _): &Valued<'_>) -> bool {
    let mut named = fact.parameters.iter().zip(*arguments);
    named.any(|(parameter, value)| parameter.name == "in" && *value == Value::Text("session".into()))
}

/// The arguments with the names of their parameters, but for the run or the session.
fn others<'a>((fact, arguments, _): &Valued<'a>) -> impl Iterator<Item = (&'static str, &'a Value)> {
    let named = fact.parameters.iter().map(|parameter| parameter.name).zip(*arguments);
    named.filter(|(_, value)| !["run", "session"].map(|word| Value::Text(word.into())).contains(value))
}

/// Whether what is known in the run is the same over the session.
fn are_same_over_session(values: &[Valued<'_>]) -> bool {
    let same = values.iter().filter(|(fact, ..)| SAME_OVER_SESSION.contains(&fact.name));
    let all: Vec<_> = same.collect();
    all.iter().filter(|one| one.2.is_some() && !is_in_session(one)).all(|one| {
        let wider = all.iter().filter(|other| is_in_session(other) && others(other).eq(others(one)));
        wider.into_iter().all(|other| other.2 == one.2)
    })
}

/// Whether counts agree with each other that count the same things, or some of them.
fn are_counts_consistent(values: &[Valued<'_>]) -> bool {
    let all = |name: &'static str| values.iter().filter(move |(fact, ..)| fact.name == name);
    let amount = |value: Option<&Value>| match value {
        Some(Value::Number(number)) => *number,
        Some(Value::Bool(truth)) => Decimal::from(u8::from(*truth)),
        _ => unreachable!("a count, or whether there is one"),
    };
    let next = |[count, other]: [&'static str; 2]| {
        all(count).all(|count| {
            all(other).all(|other| [Decimal::ZERO, Decimal::ONE].contains(&(amount(count.2) - amount(other.2))))
        })
    };
    let nothing = |[count, other]: [&'static str; 2]| {
        all(other).filter(|other| amount(other.2).is_zero()).all(|other| {
            all(count).filter(|count| counts_the_same(count, other)).all(|count| amount(count.2).is_zero())
        })
    };
    let grows = |name: &'static str| {
        all(name).all(|few| {
            let wider = all(name).filter(|many| looks_at_more(many, few));
            wider.into_iter().all(|many| amount(few.2) <= amount(many.2))
        })
    };
    SAME_OR_ONE_MORE.into_iter().all(next)
        && NOTHING_WHILE_ZERO.into_iter().all(nothing)
        && GROWS_WITH_ARGUMENTS.into_iter().all(grows)
}

/// Whether every argument of a reading includes that of another reading of the fact.
fn looks_at_more(many: &Valued<'_>, few: &Valued<'_>) -> bool {
    many.0.parameters.iter().zip(many.1.iter().zip(few.1)).all(|(parameter, (many, few))| match parameter.name {
        "in" => many == few || *many == Value::Text("session".into()),
        "within" if matches!(many, Value::Text(_)) => is_longer(many, few),
        "of" | "any" => includes(many, few),
        // With fewer tools, what counts begins earlier.
        "after" => is_empty(many) || !is_empty(few) && includes(few, many),
        _ => many == few,
    })
}

fn is_empty(list: &Value) -> bool {
    matches!(list, Value::Text(list) if list.is_empty())
}

/// Whether one look back, such as `5 calls`, includes another; an empty one includes all.
fn is_longer(many: &Value, few: &Value) -> bool {
    let parts = |value: &Value| -> Option<(Decimal, String)> {
        let Value::Text(text) = value else { unreachable!("a look back") };
        let (amount, unit) = text.split_once(' ')?;
        Some((amount.parse().expect("a number"), unit.to_owned()))
    };
    match (parts(many), parts(few)) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some((many, unit)), Some((few, other))) => unit == other && many >= few,
    }
}

/// Whether one list of names of the generator includes another: of tools, or of texts that are letters.
fn includes(many: &Value, few: &Value) -> bool {
    let names = |list: &Value| -> Vec<String> {
        let Value::Text(list) = list else { unreachable!("a list of names") };
        list.split(|char: char| !(char.is_alphanumeric() || "_*".contains(char)))
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (many, few) = (names(many), names(few));
    many.is_empty() || !few.is_empty() && few.iter().all(|name| many.contains(name))
}

/// Whether what has changed agrees with what has fired, and with other comparisons of the same rule.
fn is_changed_consistent(values: &[Valued<'_>]) -> bool {
    let all = |name: &'static str| values.iter().filter(move |(fact, ..)| fact.name == name);
    let compared = |arguments: &[Value]| -> Vec<String> {
        let Value::Text(list) = &arguments[1] else { unreachable!("a list of facts") };
        list.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let [[changed, fired]] = TRUE_WHILE_ZERO;
    all(changed).all(|one| {
        let (_, arguments, value) = one;
        let is_changed = *value == Some(&Value::Bool(true));
        let is_session = is_in_session(one);
        let firings = all(fired).filter(|(_, rule, _)| rule[0] == arguments[0]);
        let others = all(changed).filter(|(_, other, _)| other[0] == arguments[0]);
        firings.into_iter().all(|firing| {
            let has_not_fired = firing.2 == Some(&Value::whole(0));
            let is_only_this = compared(arguments).is_empty();
            match (has_not_fired, is_session, is_in_session(firing)) {
                // It may have fired in another run.
                (true, true, false) | (false, false, true) => true,
                (true, ..) => is_changed,
                (false, ..) => !is_changed || !is_only_this,
            }
        }) && others.into_iter().all(|other| {
            let is_part = compared(arguments).iter().all(|name| compared(other.1).contains(name));
            let is_implied = is_part && is_session >= is_in_session(other);
            !is_implied || !is_changed || other.2 == Some(&Value::Bool(true))
        })
    })
}

/// Whether values of a unit need not be whole.
const fn is_fractional(unit: Unit) -> bool {
    matches!(unit, Unit::Money | Unit::Duration | Unit::Share)
}

/// Whether a run can reach a state.
pub(super) fn is_possible(state: &Witness, assumptions: &Assumptions) -> bool {
    let values: Vec<(&Fact, &[Value], Option<&Value>)> =
        state.values().map(|(reading, value)| (reading.fact, reading.arguments.as_slice(), value)).collect();
    let window = match assumptions.window {
        None => state.window.is_none_or(|window| window >= LEAST_WINDOW),
        Some(0) => state.window.is_none(),
        window => state.window == window,
    };
    window
        && are_related_values_consistent(&values)
        && values.iter().all(|value| is_value_possible(state, value, assumptions))
        && repeats(&values)
}

/// Whether the value of a fact agrees with the size of the context, the agent and its type.
fn is_value_possible(
    state: &Witness,
    (fact, arguments, value): &(&Fact, &[Value], Option<&Value>),
    assumptions: &Assumptions,
) -> bool {
    let Some(value) = value else {
        return fact.is_optional() && fact.name != "window"
            || (state.window.is_none() && NEED_WINDOW.contains(&fact.name));
    };
    let size = |name: &str| match state.value(fact::find(name).unwrap(), &[]) {
        Some(Value::Number(tokens)) => Some(tokens),
        _ => None,
    };
    let window = state.window.map(Decimal::from);
    match (fact.name, *value) {
        ("window", Value::Number(number)) => window == Some(*number),
        ("context.ratio", Value::Number(share)) => {
            size("context.tokens").zip(window).map(|(a, b)| a / b) == Some(*share)
        }
        ("reported.ratio", Value::Number(share)) => {
            size("reported.tokens").zip(window).map(|(a, b)| a / b) == Some(*share)
        }
        ("context.free", Value::Number(free)) => size("context.tokens").is_none_or(|tokens| {
            window.is_some_and(|window| window - Decimal::from(assumptions.reserve.unwrap_or(0)) - tokens == *free)
        }),
        ("stall", Value::Number(share)) => {
            let [Value::Number(last)] = arguments else { return false };
            (share * last).round_dp(9).is_integer() && *share < Decimal::ONE
        }
        (_, Value::Number(number)) => {
            let is_fractional = matches!(fact.ty, Type::Number(unit) if is_fractional(unit));
            fact.domain.contains(*number) && (is_fractional || number.is_integer())
        }
        _ => true,
    }
}

const NEED_WINDOW: [&str; 3] = ["context.ratio", "context.free", "window"];

/// Whether some number of identical calls gives the value of each reading.
fn repeats(values: &[Valued<'_>]) -> bool {
    let counted = |place: &str| -> Vec<(Decimal, Decimal)> {
        let here = values.iter().filter(|(fact, ..)| fact.name == "repeats");
        here.filter_map(|(_, arguments, value)| match (arguments, value) {
            ([Value::Number(within), Value::Text(at)], Some(Value::Number(count))) if at == place => {
                Some((*within, *count))
            }
            _ => None,
        })
        .collect()
    };
    ["context", "run"].iter().all(|place| {
        let counted = counted(place);
        (0u32..=20).any(|alike| counted.iter().all(|(within, count)| *within.min(&Decimal::from(alike)) == *count))
    })
}
