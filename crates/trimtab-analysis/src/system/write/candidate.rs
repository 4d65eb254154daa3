//! Values of an option that may say what a policy says.

use std::rc::Rc;

use serde_json::{Value as Json, json};
use trimtab_base::quantity::Decimal;

use super::comparison::Form;
use crate::system::kind::Kind;
use crate::system::setting::Setting;

/// Pairs of numbers that show what an option changes. Several, since other options can be the smaller ones.
const PROBES: [[u64; 2]; 3] = [[7, 11], [1_003, 1_709], [120_007, 130_011]];

/// A number that no window reaches: a limit of tokens that does not limit.
const UNLIMITED: u64 = 1_000_000;

/// The values to try. `read` gives the policy with a value of the option. 0 often turns something off, and a large limit does not
/// limit. Of an option that takes anything, no value is tried: a part of it has an option of its own.
pub(super) fn values(setting: &Setting, read: impl Fn(Json) -> Option<Rc<Form>>, wanted: &Form) -> Vec<Json> {
    let mut values = of_kind(setting, &setting.kind, &read, wanted);
    if setting.kind != Kind::Anything && values.iter().all(Json::is_number) {
        values.push(json!(0));
    }
    if matches!(setting.kind, Kind::Whole("tokens", ..)) {
        values.push(json!(UNLIMITED));
    }
    values.dedup();
    values
}

/// The positions of a switch, and 0, which often turns off what an option does.
pub(super) fn positions(setting: &Setting) -> Vec<Json> {
    match setting.kind {
        Kind::Flag => vec![json!(true), json!(false)],
        Kind::Word(words) => words.iter().map(|word| json!(word)).collect(),
        Kind::Whole(_, 0, _) | Kind::Number => vec![json!(0)],
        _ => Vec::new(),
    }
}

fn of_kind(setting: &Setting, kind: &Kind, read: &impl Fn(Json) -> Option<Rc<Form>>, wanted: &Form) -> Vec<Json> {
    match kind {
        Kind::Flag => vec![json!(true), json!(false)],
        Kind::Word(words) => words.iter().map(|word| json!(word)).collect(),
        Kind::Whole(_, least, _) => PROBES
            .iter()
            .flat_map(|[low, high]| numbers(read, wanted, [low + least, high + least].map(Decimal::from)))
            .collect(),
        Kind::Signed(_) => numbers(read, wanted, [Decimal::from(120_007), Decimal::from(130_011)]),
        Kind::Share => numbers(read, wanted, [Decimal::new(37, 2), Decimal::new(61, 2)]),
        Kind::Percent => numbers(read, wanted, [Decimal::from(37), Decimal::from(61)]),
        Kind::Number => {
            let large = numbers(read, wanted, [Decimal::from(7), Decimal::from(9)]);
            [large, numbers(read, wanted, [Decimal::new(37, 2), Decimal::new(61, 2)])].concat()
        }
        Kind::Text => texts(setting, read, wanted),
        Kind::Names => lists(read, wanted),
        Kind::AnyOf(kinds) => kinds.iter().flat_map(|kind| of_kind(setting, kind, read, wanted)).collect(),
        Kind::Anything => Vec::new(),
    }
}

/// The places in which two policies differ: in the rule with this index, at this pointer.
fn changed(first: &Form, second: &Form) -> Vec<(usize, String)> {
    let pairs = first.values.iter().zip(&second.values).enumerate();
    pairs
        .flat_map(|(at, (first, second))| places(first, second, "").into_iter().map(move |place| (at, place)))
        .collect()
}

fn places(first: &Json, second: &Json, at: &str) -> Vec<String> {
    match (first, second) {
        _ if first == second => Vec::new(),
        (Json::Object(first), Json::Object(second)) => first
            .iter()
            .filter_map(|(key, value)| Some((key, value, second.get(key)?)))
            .flat_map(|(key, first, second)| {
                places(first, second, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")))
            })
            .collect(),
        (Json::Array(first), Json::Array(second))
            if first.len() == second.len() && !first.iter().all(Json::is_string) =>
        {
            let pairs = first.iter().zip(second).enumerate();
            pairs.flat_map(|(index, (first, second))| places(first, second, &format!("{at}/{index}"))).collect()
        }
        _ => vec![at.to_owned()],
    }
}

/// The values of a policy at a place, in whichever rule it stands.
fn at_place<'p>(policy: &'p Form, place: &'p str) -> impl Iterator<Item = &'p Json> {
    policy.values.iter().filter_map(move |rule| rule.pointer(place))
}

fn number(json: &Json) -> Option<Decimal> {
    match json {
        Json::String(text) => text.parse().ok(),
        Json::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// The most decimals that a number is written with.
const MOST_DECIMALS: u32 = 6;

/// The numbers with which the policy would have the wanted ones, taken to change in proportion to the option. A policy may have
/// them rounded, so that several numbers become the same one; the shortest of them is taken.
fn numbers(read: &impl Fn(Json) -> Option<Rc<Form>>, wanted: &Form, probes: [Decimal; 2]) -> Vec<Json> {
    let [low, high] = probes;
    let (Some(first), Some(second)) = (read(written(low)), read(written(high))) else { return Vec::new() };
    if low == high {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (rule, place) in changed(&first, &second) {
        let value = |form: &Form| form.values.get(rule).and_then(|json| json.pointer(&place)).and_then(number);
        let (Some(from), Some(to)) = (value(&first), value(&second)) else { continue };
        let Some(slope) = (to - from).checked_div(high - low).filter(|slope| !slope.is_zero()) else { continue };
        // 8 messages say nothing about 8 tokens.
        let unit = |rule: &Json| Some(rule.pointer(&format!("{}/unit", place.strip_suffix("/amount")?))?.clone());
        let own = first.values.get(rule).and_then(unit);
        let same = wanted.values.iter().filter(|rule| unit(rule) == own);
        for target in same.filter_map(|rule| rule.pointer(&place)).filter_map(number) {
            let solved = (target - from).checked_div(slope).and_then(|distance| distance.checked_add(low));
            let Some(solved) = solved.map(|solved| solved.round_dp(MOST_DECIMALS).normalize()) else { continue };
            let shorter = (0..solved.scale()).map(|decimals| solved.round_dp(decimals));
            let becomes = |number: &Decimal| read(written(*number)).and_then(|form| value(&form)) == Some(target);
            found.push(written(shorter.into_iter().find(becomes).unwrap_or(solved)));
        }
    }
    found.dedup();
    found
}

/// A number as JSON.
fn written(number: Decimal) -> Json {
    serde_json::from_str(&number.normalize().to_string()).unwrap_or(Json::Null)
}

/// The texts that the wanted policy has where the option's text stands; the type of an element of a list is its only text.
fn texts(setting: &Setting, read: &impl Fn(Json) -> Option<Rc<Form>>, wanted: &Form) -> Vec<Json> {
    let kind =
        setting.key.rsplit_once('[').and_then(|(_, rest)| rest.split_once(']')).filter(|(_, rest)| *rest == ".type");
    if let Some((kind, _)) = kind {
        return vec![json!(kind)];
    }
    let texts = at_changed(read, wanted, [json!("first"), json!("second")]);
    texts.into_iter().filter_map(single).collect()
}

/// A text, which may be the only piece of a template.
fn single(json: Json) -> Option<Json> {
    match json {
        Json::String(_) => Some(json),
        Json::Array(mut pieces) if pieces.len() == 1 => pieces.pop().filter(Json::is_string),
        _ => None,
    }
}

fn lists(read: &impl Fn(Json) -> Option<Rc<Form>>, wanted: &Form) -> Vec<Json> {
    let lists = at_changed(read, wanted, [json!(["first"]), json!(["second"])]);
    lists.into_iter().filter(Json::is_array).collect()
}

/// What the wanted policy has at the places that the option changes.
fn at_changed(read: &impl Fn(Json) -> Option<Rc<Form>>, wanted: &Form, probes: [Json; 2]) -> Vec<Json> {
    let [first, second] = probes.map(read);
    let (Some(first), Some(second)) = (first, second) else { return Vec::new() };
    changed(&first, &second).iter().flat_map(|(_, place)| at_place(wanted, place)).cloned().collect()
}
