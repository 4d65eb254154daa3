//! Comments that allow a finding: `# trimtab: allow(NAME, …) REASON`, at the end of a line or above what it covers,
//! and `# trimtab: file-allow(NAME, …) REASON` for the whole file. `until 2027-01-31` before the reason ends it.

use super::{Day, Subject};
use crate::diagnostic::{Diagnostic, TextEdit};
use crate::source::{Source, SourceFormat, Span, line_end, line_start, slice, starting_at, up_to};
use crate::syntax::tree::{Comment, File, Item, PolicyItem};

/// One comment that allows findings.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// The lints that it names, and where.
    pub names: Vec<(String, Span)>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds, and where that is written.
    pub until: Option<(Day, Span)>,
    /// Whether that day has gone.
    pub expired: bool,
    /// What it covers.
    pub covers: Span,
    /// The comment.
    pub span: Span,
    /// For each name, whether it has kept a finding back.
    pub used: Vec<bool>,
}

/// A comment for this tool that is none of the forms.
#[derive(Clone, Debug)]
pub struct MalformedSuppression {
    /// What is wrong.
    pub reason: String,
    /// The comment.
    pub span: Span,
}

/// The suppressions of a file.
#[derive(Debug)]
pub struct Suppressions<'a> {
    /// The file.
    pub subject: &'a Subject<'a>,
    /// Those that are understood, in order.
    pub all: Vec<Suppression>,
    /// Comments that are not.
    pub strays: Vec<MalformedSuppression>,
    /// Whether lints on evidence have spoken.
    pub with_evidence: bool,
}

impl<'a> Suppressions<'a> {
    /// Reads those of a file.
    pub fn read(subject: &'a Subject<'a>, today: Option<Day>, with_evidence: bool) -> Self {
        let mut read = Self { subject, all: Vec::new(), strays: Vec::new(), with_evidence };
        if !subject.settings.honors_suppressions {
            return read;
        }
        for comment in subject.comments {
            let text = subject.source.slice(comment.span);
            let Some(rest) = text.trim_start_matches(['#', ':', ' ']).strip_prefix("trimtab:") else { continue };
            match parse(rest, comment.span) {
                Ok((whole, mut one)) => {
                    one.expired = one.until.zip(today).is_some_and(|((until, _), today)| until < today);
                    one.covers = if whole { subject.source.span() } else { covered(subject, comment) };
                    read.all.push(one);
                }
                Err(reason) => read.strays.push(MalformedSuppression { reason, span: comment.span }),
            }
        }
        read
    }

    /// Parts findings into those that stand and those that are allowed, with the reason.
    pub(super) fn split(&mut self, found: Vec<Diagnostic>) -> (Vec<Diagnostic>, Vec<(Diagnostic, String)>) {
        let (mut standing, mut allowed) = (Vec::new(), Vec::new());
        for one in found {
            match self.all.iter_mut().find_map(|suppression| suppression.allows(&one)) {
                Some(reason) => allowed.push((one, reason)),
                None => standing.push(one),
            }
        }
        (standing, allowed)
    }

    /// The edit that takes a comment away, with its line when nothing else stands there.
    pub fn removal(&self, comment: Span) -> TextEdit {
        let text = self.subject.source.text();
        let line = line_start(text, comment.start as usize);
        let alone = slice(text, line..comment.start as usize).trim().is_empty();
        let start = if alone { line } else { up_to(text, comment.start as usize).trim_end_matches([' ', '\t']).len() };
        let end = comment.end as usize;
        let end = if alone && starting_at(text, end).starts_with('\n') { end + 1 } else { end };
        TextEdit { span: Span::new(comment.source, start, end), text: String::new() }
    }
}

impl Suppression {
    /// Whether it counts: it has a reason and has not expired.
    pub const fn counts(&self) -> bool {
        !self.reason.is_empty() && !self.expired
    }

    /// The reason, when it allows a finding; the name is then marked as used.
    fn allows(&mut self, finding: &Diagnostic) -> Option<String> {
        let span = finding.primary.span;
        let covers = self.covers.start <= span.start && span.start < self.covers.end.max(self.covers.start + 1);
        let named = self.names.iter().position(|(name, _)| name == finding.code.id).filter(|_| covers)?;
        if !self.counts() {
            return None;
        }
        self.used[named] = true;
        Some(self.reason.clone())
    }
}

/// What follows `trimtab:`; whether it covers the whole file.
fn parse(rest: &str, comment: Span) -> Result<(bool, Suppression), String> {
    let end = comment.end as usize;
    let at = |part: &str, inside: &str| {
        // `part` ends with the comment, `inside` is a slice of it.
        let offset = inside.as_ptr() as usize - part.as_ptr() as usize;
        let start = end - part.len() + offset;
        Span::new(comment.source, start, start + inside.len())
    };
    let word = rest.trim_start();
    let (whole, list) = if let Some(list) = word.strip_prefix("file-allow") {
        (true, list)
    } else if let Some(list) = word.strip_prefix("allow") {
        (false, list)
    } else {
        return Err("it says neither `allow(…)` nor `file-allow(…)`".to_owned());
    };
    let list = list.trim_start().strip_prefix('(').ok_or("the names of lints stand in parentheses: `allow(NAME) …`")?;
    let (names, behind) = list.split_once(')').ok_or("the closing parenthesis is missing")?;
    let names: Vec<(String, Span)> = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| (name.to_owned(), at(rest, name)))
        .collect();
    if names.is_empty() {
        return Err("it names no lint".to_owned());
    }
    let mut reason = behind.trim();
    let mut until = None;
    if let Some(dated) = reason.strip_prefix("until ") {
        let day = dated.split_whitespace().next().unwrap_or_default().trim_end_matches([':', ',', ';']);
        let parsed = date(day).ok_or_else(|| format!("`{day}` is no day such as `2027-01-31`"))?;
        until = Some((parsed, at(rest, day)));
        reason = starting_at(dated.trim_start(), day.len()).trim_start_matches([':', ',', ';']).trim();
    }
    let reason = reason.trim_start_matches([':', '-', '–', '—']).trim().to_owned();
    let used = vec![false; names.len()];
    Ok((whole, Suppression { names, reason, until, expired: false, covers: comment, span: comment, used }))
}

/// A day as written, when it is one.
fn date(text: &str) -> Option<Day> {
    let day: jiff::civil::Date = text.parse().ok()?;
    let part = |number: i8| u8::try_from(number).ok();
    Some((u16::try_from(day.year()).ok()?, part(day.month())?, part(day.day())?))
}

/// What a comment covers: its own line when something stands before it there, else what begins on the next line of code.
fn covered(subject: &Subject<'_>, comment: &Comment) -> Span {
    let (source, text) = (subject.source, subject.source.text());
    let start = comment.span.start as usize;
    let line = line_start(text, start);
    if !slice(text, line..start).trim().is_empty() {
        return Span::new(comment.span.source, line, start);
    }
    let Some(next) = next_code(source, comment.span.end as usize) else { return comment.span };
    let end = line_end(text, next);
    let line = Span::new(comment.span.source, next, end);
    if source.format() == SourceFormat::Yaml {
        return Span { end: Span::new(line.source, next, end_of_block(text, next)).end, ..line };
    }
    outermost(subject.file, line.start).map_or(line, |span| span.to(line))
}

/// Where the lines end that stand further in than the one that begins at an offset: a block of YAML.
fn end_of_block(text: &str, start: usize) -> usize {
    let depth = start - line_start(text, start);
    let mut end = start;
    for line in starting_at(text, start).split_inclusive('\n') {
        let code = line.trim_start();
        if end > start && !code.is_empty() && line.len() - code.len() <= depth {
            break;
        }
        end += line.len();
    }
    end
}

/// The first byte behind an offset that is neither white space nor in a comment.
fn next_code(source: &Source, from: usize) -> Option<usize> {
    let mut at = from;
    for line in starting_at(source.text(), from).split_inclusive('\n') {
        let code = line.trim_start();
        if !code.is_empty() && !code.starts_with('#') {
            return Some(at + line.len() - code.len());
        }
        at += line.len();
    }
    None
}

/// The largest item, rule, clause or statement that begins at an offset.
fn outermost(file: &File, start: u32) -> Option<Span> {
    let mut spans = Vec::new();
    for item in &file.items {
        match item {
            Item::Edition(one) => spans.push(one.span),
            Item::Use(one) => spans.push(one.span),
            Item::Agent(one) => spans.push(one.span),
            Item::Let(one) => spans.push(one.span),
            Item::Prompt(one) => spans.push(one.span),
            Item::Broken(one) => spans.push(one.span),
            Item::Test(test) => {
                spans.push(test.span);
                spans.extend(test.statements.iter().map(|one| one.span));
            }
            Item::Policy(policy) => {
                spans.push(policy.span);
                for one in &policy.items {
                    match one {
                        PolicyItem::Rule(rule) => {
                            spans.push(rule.span);
                            spans.extend(rule.clauses.iter().map(|clause| clause.span));
                        }
                        PolicyItem::Disable(one) => spans.push(one.span),
                        PolicyItem::Broken(one) => spans.push(one.span),
                    }
                }
            }
        }
    }
    spans.into_iter().filter(|span| span.start == start).max_by_key(|span| span.end)
}
