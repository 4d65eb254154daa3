//! The values of the options of a settings file.

use std::rc::Rc;

use smol_str::SmolStr;
use trimtab_base::diagnostic::{self, Diagnostic};
use trimtab_base::quantity::{Decimal, whole};
use trimtab_base::source::{Source, Span, slice};
use trimtab_syntax::syntax::yaml::node::{Entry, Node, Value};

use super::document::{KeyedValue, children, find, sections, split};
use super::error;
use super::kind::{Datum, Mismatch};
use super::row::Origin;
use super::setting::{DefaultValue, Options, Section, Setting};

/// The values of the options of a settings file, with the documented default where one is not written.
#[derive(Debug)]
pub struct Values<'n> {
    options: Options,
    root: Option<&'n Rc<Node>>,
    by_option: Vec<OptionValue>,
}

/// The value of an option.
#[derive(Debug)]
struct OptionValue {
    datum: Option<Datum>,
    origin: Origin,
    /// How many places write it.
    times: usize,
}

impl<'n> Values<'n> {
    /// Reads the values, and adds findings about errors in them.
    pub(super) fn read(
        options: Options,
        source: &Source,
        root: Option<&'n Rc<Node>>,
        findings: &mut Vec<Diagnostic>,
    ) -> Self {
        let values = options.settings.iter().map(|setting| {
            let places = root.map(|root| places(root, setting, source, findings)).unwrap_or_default();
            read(options, setting, &places, findings)
        });
        let by_option = values.collect();
        if let Some(root) = root {
            findings.extend(unknown_keys(options, root));
            findings.extend(misplaced(options, root));
        }
        Self { options, root, by_option }
    }

    /// The options.
    pub(super) const fn options(&self) -> Options {
        self.options
    }

    fn value(&self, setting: &Setting) -> Option<&OptionValue> {
        let at = self.options.settings.iter().position(|other| other.key == setting.key);
        debug_assert!(at.is_some(), "{} is not in the table of {}", setting.key, self.options.title);
        at.and_then(|at| self.by_option.get(at))
    }

    fn datum(&self, setting: &Setting) -> Option<&Datum> {
        self.value(setting)?.datum.as_ref()
    }

    /// Where the value of an option comes from.
    pub(super) fn origin(&self, setting: &Setting) -> Origin {
        self.value(setting).map_or(Origin::Unset, |value| value.origin)
    }

    /// How often an option is written.
    pub(super) fn times(&self, setting: &Setting) -> usize {
        self.value(setting).map_or(0, |value| value.times)
    }

    /// Whether an option is written.
    pub(super) fn is_written(&self, setting: &Setting) -> bool {
        matches!(self.origin(setting), Origin::Written(_))
    }

    /// Whether the file has anything at this path.
    pub(super) fn has(&self, path: &str) -> bool {
        self.root.is_some_and(|root| !find(root, path).is_empty())
    }

    /// The node that is written for an option of any kind.
    pub(super) fn node(&self, setting: &Setting) -> Option<Rc<Node>> {
        let root = self.root.filter(|_| self.is_written(setting))?;
        find(root, setting.key).into_iter().next().map(|place| place.node)
    }

    /// A truth value.
    pub(super) fn flag(&self, setting: &Setting) -> Option<bool> {
        match self.datum(setting)? {
            Datum::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    /// A number.
    pub(super) fn number(&self, setting: &Setting) -> Option<Decimal> {
        match self.datum(setting)? {
            Datum::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A whole number.
    pub(super) fn whole(&self, setting: &Setting) -> Option<u64> {
        self.number(setting).map(whole)
    }

    /// A whole number above 0.
    pub(super) fn positive(&self, setting: &Setting) -> Option<u64> {
        self.number(setting).filter(|number| *number > Decimal::ZERO).map(whole)
    }

    /// A word or a text.
    pub(super) fn text(&self, setting: &Setting) -> Option<&SmolStr> {
        match self.datum(setting)? {
            Datum::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The names of a list.
    pub(super) fn names(&self, setting: &Setting) -> Option<&[SmolStr]> {
        match self.datum(setting)? {
            Datum::Names(names) => Some(names),
            _ => None,
        }
    }

    /// A value for the table.
    pub(super) fn shown(&self, setting: &Setting) -> String {
        match (self.datum(setting), setting.default) {
            (Some(datum), _) => shown(datum),
            (None, DefaultValue::Computed(words)) => words.to_owned(),
            (None, _) => String::new(),
        }
    }
}

fn shown(datum: &Datum) -> String {
    const MAX_SHOWN: usize = 40;
    match datum {
        Datum::Flag(flag) => flag.to_string(),
        Datum::Number(number) => number.to_string(),
        Datum::Names(names) => format!("[{}]", names.join(", ")),
        Datum::Anything => String::new(),
        Datum::Text(text) => {
            let line = text.lines().next().unwrap_or_default();
            let cut = line.char_indices().nth(MAX_SHOWN).map_or(line.len(), |(at, _)| at);
            let more = if cut < text.len() { "…" } else { "" };
            format!("{}{more}", slice(line, 0..cut))
        }
    }
}

/// The places where an option is written. Its names in other versions are reported.
fn places(root: &Rc<Node>, setting: &Setting, source: &Source, findings: &mut Vec<Diagnostic>) -> Vec<KeyedValue> {
    let places = find(root, setting.key);
    for alias in setting.aliases {
        let aliased = find(root, alias);
        findings.extend(aliased.iter().map(|place| error::other_name(place.key, alias, setting.key, source)));
        if places.is_empty() && !aliased.is_empty() {
            return aliased;
        }
    }
    places
}

fn read(
    options: Options,
    setting: &'static Setting,
    places: &[KeyedValue],
    findings: &mut Vec<Diagnostic>,
) -> OptionValue {
    let as_string = section(options, setting.key).is_some_and(|section| section.has_strings);
    let mut first = None;
    for place in places {
        match setting.kind.read(&place.node, as_string) {
            Ok(datum) => first = first.or(Some((datum, place.node.span))),
            Err(Mismatch::Type) => {
                findings.push(error::wrong_type(place.node.span, setting, place.node.noun()));
            }
            Err(Mismatch::Range) => findings.push(error::out_of_range(place.node.span, setting)),
        }
    }
    match first {
        Some((datum, span)) => OptionValue { datum: Some(datum), origin: Origin::Written(span), times: places.len() },
        None => default_value(setting),
    }
}

/// The default value of an option.
fn default_value(setting: &Setting) -> OptionValue {
    let (datum, origin) = match setting.default {
        DefaultValue::Flag(flag) => (Some(Datum::Flag(flag)), Origin::Default),
        DefaultValue::Whole(number) => (Some(Datum::Number(Decimal::from(number))), Origin::Default),
        DefaultValue::Share(number) => (number.parse().ok().map(Datum::Number), Origin::Default),
        DefaultValue::Word(word) => (Some(Datum::Text(word.into())), Origin::Default),
        DefaultValue::Computed(_) => (None, Origin::Computed),
        DefaultValue::Unset => (None, Origin::Unset),
    };
    OptionValue { datum, origin, times: 0 }
}

/// The innermost section that an option is in.
fn section(options: Options, key: &str) -> Option<&'static Section> {
    let holds = |section: &&Section| inside(section.path, key).is_some();
    options.sections.iter().filter(holds).max_by_key(|section| section.path.len())
}

/// The rest of a key inside a section.
fn inside<'k>(section: &str, key: &'k str) -> Option<&'k str> {
    if section.is_empty() { Some(key) } else { key.strip_prefix(section)?.strip_prefix('.') }
}

/// Findings about unknown keys in the sections. Where keys of any name are allowed, only keys that resemble an option
/// count.
fn unknown_keys(options: Options, root: &Rc<Node>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for section in options.sections {
        let steps = |key: &'static str| inside(section.path, key)?.split(['.', '[']).next();
        let aliases = options.settings.iter().flat_map(|setting| setting.aliases).copied();
        let mut known: Vec<&str> = options.settings.iter().filter_map(|setting| steps(setting.key)).collect();
        known.dedup();
        let accepted: Vec<&str> =
            aliases.filter_map(steps).chain(section.others.into_iter().flatten().copied()).collect();
        for map in sections(root, section.path) {
            let is_unknown =
                |entry: &&Entry| ![&known, &accepted].iter().any(|keys| keys.contains(&entry.key.node.as_str()));
            for entry in map.entries().iter().filter(is_unknown) {
                findings.extend(unknown_key(section, entry, &known, options));
            }
        }
    }
    findings
}

/// Values where a map or a list with options is expected.
fn misplaced(options: Options, root: &Rc<Node>) -> Vec<Diagnostic> {
    let mut findings: Vec<Diagnostic> = Vec::new();
    for section in options.sections {
        let mut nodes = vec![Rc::clone(root)];
        let mut path = String::new();
        for step in section.path.split('.').chain([""]) {
            let maps = nodes.iter().filter(|node| !matches!(node.value, Value::Null | Value::Broken));
            let wrong = maps.filter(|node| !matches!(node.value, Value::Map(_)));
            findings.extend(wrong.map(|node| error::not_a_container(node, &path, "a map")));
            let (key, kind) = split(step);
            path += if path.is_empty() { "" } else { "." };
            path += key;
            let lists = kind.iter().flat_map(|_| nodes.iter().filter_map(|node| node.get(key)));
            let wrong = lists.filter(|node| !matches!(node.value, Value::List(_)));
            findings.extend(wrong.map(|node| error::not_a_container(node, &path, "a list")));
            nodes = nodes.iter().flat_map(|node| children(node, step)).map(|place| place.node).collect();
        }
    }
    findings.sort_by_key(|finding| finding.primary.span.start);
    findings.dedup_by_key(|finding| finding.primary.span);
    findings
}

fn unknown_key(section: &Section, entry: &Entry, known: &[&str], options: Options) -> Option<Diagnostic> {
    let nearest = diagnostic::nearest(&entry.key.node, known.iter().copied());
    let is_complete = section.others.is_some();
    (is_complete || nearest.is_some()).then(|| {
        let place = if section.path.is_empty() { options.title.to_owned() } else { format!("`{}`", section.path) };
        error::unknown_key(entry.key.span, &entry.key.node, &place, nearest, known, options)
    })
}

/// The span of the first option that is written, or else the start of the file.
pub(super) fn first_place(values: &Values<'_>, source: &Source) -> Span {
    let spans = values.by_option.iter().filter_map(|value| match value.origin {
        Origin::Written(span) => Some(span),
        _ => None,
    });
    spans.min().unwrap_or(Span::new(source.id(), 0, 0))
}
