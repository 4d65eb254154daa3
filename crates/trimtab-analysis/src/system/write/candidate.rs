//! Candidate values of an option, which may bring the settings nearer to the wanted policy.

use std::rc::Rc;

use serde_json::{Value as Json, json};
use trimtab_base::quantity::Decimal;

use super::comparison::PolicyJson;
use crate::system::kind::Kind;
use crate::system::setting::Setting;

/// Pairs of values that show what an option changes. There are several, since another option with a smaller value may
/// hide the effect.
const PROBES: [[u64; 2]; 3] = [[7, 11], [1_003, 1_709], [120_007, 130_011]];

/// Pairs of percentages that show what an option changes. A system may raise a share, as hermes-agent raises those below 75%, and
/// in a small window those below 98%: all lower values then have the same effect.
const SHARE_PROBES: [[i64; 2]; 3] = [[37, 61], [83, 91], [98, 99]];

/// A number of tokens that is larger than most windows: as a limit, it has no effect.
const UNLIMITED: u64 = 1_000_000;

/// The values to try. `import_with` imports the settings with a value of the option. 0 often turns something off, a large
/// limit has no effect, and a share of 1 may mean something else than the shares below it. An option that takes anything
/// has no candidates: its parts are options of their own.
pub(super) fn values(
    setting: &Setting,
    import_with: impl Fn(Json) -> Option<Rc<PolicyJson>>,
    wanted: &PolicyJson,
) -> Vec<Json> {
    let mut values = of_kind(setting, &setting.kind, &import_with, wanted);
    if setting.kind != Kind::Anything && values.iter().all(Json::is_number) {
        values.push(json!(0));
    }
    if setting.kind == Kind::Share {
        values.push(json!(1));
    }
    if matches!(setting.kind, Kind::Whole("tokens", ..)) && !is_window(&import_with) {
        values.push(json!(UNLIMITED));
    }
    let mut unique = Vec::with_capacity(values.len());
    for value in values {
        if !unique.contains(&value) {
            unique.push(value);
        }
    }
    unique
}

/// Whether an option is the window of the model, which is no limit: settings must not name a window that the policy does
/// not name.
fn is_window(import_with: &impl Fn(Json) -> Option<Rc<PolicyJson>>) -> bool {
    let [first, second] = [UNLIMITED, UNLIMITED + 1].map(|tokens| import_with(json!(tokens)));
    first.zip(second).is_some_and(|(first, second)| first.window() != second.window())
}

/// The positions of a switch; for a number, 0, which often turns off what the option does; for a share, those at which a limit by
/// another option is reached earlier. hermes-agent takes 1 for 85%.
pub(super) fn positions(setting: &Setting) -> Vec<Json> {
    match setting.kind {
        Kind::Flag => vec![json!(true), json!(false)],
        Kind::Word(words) => words.iter().map(|word| json!(word)).collect(),
        Kind::Whole(_, 0, _) | Kind::Number => vec![json!(0)],
        Kind::Share => vec![json!(0.99), json!(1)],
        _ => Vec::new(),
    }
}

fn of_kind(
    setting: &Setting,
    kind: &Kind,
    import_with: &impl Fn(Json) -> Option<Rc<PolicyJson>>,
    wanted: &PolicyJson,
) -> Vec<Json> {
    match kind {
        Kind::Flag => vec![json!(true), json!(false)],
        Kind::Word(words) => words.iter().map(|word| json!(word)).collect(),
        Kind::Whole(_, least, _) => PROBES
            .iter()
            .flat_map(|[low, high]| numbers(import_with, wanted, [low + least, high + least].map(Decimal::from)))
            .collect(),
        Kind::Signed(_) => numbers(import_with, wanted, [Decimal::from(120_007), Decimal::from(130_011)]),
        Kind::Share => SHARE_PROBES
            .iter()
            .flat_map(|[low, high]| numbers(import_with, wanted, [low, high].map(|percent| Decimal::new(*percent, 2))))
            .collect(),
        Kind::Percent => numbers(import_with, wanted, [Decimal::from(37), Decimal::from(61)]),
        Kind::Number => {
            let large = numbers(import_with, wanted, [Decimal::from(7), Decimal::from(9)]);
            [large, numbers(import_with, wanted, [Decimal::new(37, 2), Decimal::new(61, 2)])].concat()
        }
        Kind::Text => texts(setting, import_with, wanted),
        Kind::Names => lists(import_with, wanted),
        Kind::AnyOf(kinds) => kinds.iter().flat_map(|kind| of_kind(setting, kind, import_with, wanted)).collect(),
        Kind::Anything => Vec::new(),
    }
}

/// The places in which two policies differ: the index of a rule, with a JSON pointer.
fn changed_places(first: &PolicyJson, second: &PolicyJson) -> Vec<(usize, String)> {
    let pairs = first.values.iter().zip(&second.values).enumerate();
    pairs
        .flat_map(|(rule, (first, second))| pointers(first, second, "").into_iter().map(move |place| (rule, place)))
        .collect()
}

/// The JSON pointers to the values in which two values differ; `parent` is the pointer to both.
fn pointers(first: &Json, second: &Json, parent: &str) -> Vec<String> {
    match (first, second) {
        _ if first == second => Vec::new(),
        (Json::Object(first), Json::Object(second)) => first
            .iter()
            .filter_map(|(key, value)| Some((key, value, second.get(key)?)))
            .flat_map(|(key, first, second)| {
                pointers(first, second, &format!("{parent}/{}", key.replace('~', "~0").replace('/', "~1")))
            })
            .collect(),
        (Json::Array(first), Json::Array(second))
            if first.len() == second.len() && !first.iter().all(Json::is_string) =>
        {
            let pairs = first.iter().zip(second).enumerate();
            pairs.flat_map(|(index, (first, second))| pointers(first, second, &format!("{parent}/{index}"))).collect()
        }
        _ => vec![parent.to_owned()],
    }
}

/// The values at a JSON pointer in all rules of a policy.
fn values_at<'p>(policy: &'p PolicyJson, place: &'p str) -> impl Iterator<Item = &'p Json> {
    policy.values.iter().filter_map(move |rule| rule.pointer(place))
}

fn number(json: &Json) -> Option<Decimal> {
    match json {
        Json::String(text) => text.parse().ok(),
        Json::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// The maximum number of decimals of a number in settings.
const MAX_DECIMALS: u32 = 6;

/// The values of a numeric option with which the policy would have the wanted numbers, if these change in proportion to
/// the option. The policy may have rounded numbers, so that several values of the option have the same effect: the
/// shortest is taken.
fn numbers(
    import_with: &impl Fn(Json) -> Option<Rc<PolicyJson>>,
    wanted: &PolicyJson,
    probes: [Decimal; 2],
) -> Vec<Json> {
    let [low, high] = probes;
    let (Some(first), Some(second)) = (import_with(number_json(low)), import_with(number_json(high))) else {
        return Vec::new();
    };
    if low == high {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (rule, place) in changed_places(&first, &second) {
        let value =
            |policy: &PolicyJson| policy.values.get(rule).and_then(|json| json.pointer(&place)).and_then(number);
        let (Some(from), Some(to)) = (value(&first), value(&second)) else { continue };
        let Some(slope) = (to - from).checked_div(high - low).filter(|slope| !slope.is_zero()) else { continue };
        // Only numbers with the same unit can be compared.
        let unit = |rule: &Json| Some(rule.pointer(&format!("{}/unit", place.strip_suffix("/amount")?))?.clone());
        let own_unit = first.values.get(rule).and_then(unit);
        let comparable = wanted.values.iter().filter(|rule| unit(rule) == own_unit);
        for target in comparable.filter_map(|rule| rule.pointer(&place)).filter_map(number) {
            let solved = (target - from).checked_div(slope).and_then(|distance| distance.checked_add(low));
            let Some(solved) = solved.map(|solved| solved.round_dp(MAX_DECIMALS).normalize()) else { continue };
            let shorter = (0..solved.scale()).map(|decimals| solved.round_dp(decimals));
            let has_target =
                |number: &Decimal| import_with(number_json(*number)).and_then(|policy| value(&policy)) == Some(target);
            found.push(number_json(shorter.into_iter().find(has_target).unwrap_or(solved)));
        }
    }
    found.dedup();
    found
}

/// A number as JSON.
fn number_json(number: Decimal) -> Json {
    serde_json::from_str(&number.normalize().to_string()).unwrap_or(Json::Null)
}

/// The texts of the wanted policy at the places that the option changes. An option in a list of typed elements is only
/// tried with the type in its key.
fn texts(setting: &Setting, import_with: &impl Fn(Json) -> Option<Rc<PolicyJson>>, wanted: &PolicyJson) -> Vec<Json> {
    let kind =
        setting.key.rsplit_once('[').and_then(|(_, rest)| rest.split_once(']')).filter(|(_, rest)| *rest == ".type");
    if let Some((kind, _)) = kind {
        return vec![json!(kind)];
    }
    let texts = wanted_values(import_with, wanted, [json!("first"), json!("second")]);
    texts.into_iter().filter_map(plain_text).collect()
}

/// A text, or the only piece of a template if that is a text.
fn plain_text(json: Json) -> Option<Json> {
    match json {
        Json::String(_) => Some(json),
        Json::Array(mut pieces) if pieces.len() == 1 => pieces.pop().filter(Json::is_string),
        _ => None,
    }
}

/// The lists of the wanted policy at the places that the option changes.
fn lists(import_with: &impl Fn(Json) -> Option<Rc<PolicyJson>>, wanted: &PolicyJson) -> Vec<Json> {
    let lists = wanted_values(import_with, wanted, [json!(["first"]), json!(["second"])]);
    lists.into_iter().filter(Json::is_array).collect()
}

/// The values of the wanted policy at the places that the option changes.
fn wanted_values(
    import_with: &impl Fn(Json) -> Option<Rc<PolicyJson>>,
    wanted: &PolicyJson,
    probes: [Json; 2],
) -> Vec<Json> {
    let [first, second] = probes.map(import_with);
    let (Some(first), Some(second)) = (first, second) else { return Vec::new() };
    changed_places(&first, &second).iter().flat_map(|(_, place)| values_at(wanted, place)).cloned().collect()
}
