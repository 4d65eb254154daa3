//! Comments that suppress findings: `# trimtab: allow(NAME, …) REASON` at the end of a line or above the code it covers,
//! and `# trimtab: file-allow(NAME, …) REASON` for the whole file. With `until 2027-01-31` before the reason, the
//! suppression expires after that date.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use trimtab_base::diagnostic::{Diagnostic, TextEdit};
use trimtab_base::source::{Source, SourceFormat, Span, line_end, line_start, slice, starting_at, up_to};
use trimtab_syntax::syntax::tree::{Comment, File, Item, PolicyItem};

use super::subject::Subject;

/// A day as year, month and day.
pub type Day = (u16, u8, u8);

/// A comment that suppresses findings.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// The names of the suppressed lints, with their places.
    pub names: Vec<(String, Span)>,
    /// The reason; empty if none is given.
    pub reason: String,
    /// The last day on which it applies, with the place of the date.
    pub until: Option<(Day, Span)>,
    /// Whether that day has passed.
    pub expired: bool,
    /// The code it covers.
    pub covers: Span,
    /// The comment.
    pub span: Span,
    /// For each name, whether it has suppressed a finding.
    pub used: Vec<bool>,
}

/// A `trimtab:` comment that is not a valid suppression.
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
    /// The valid suppressions, in order.
    pub all: Vec<Suppression>,
    /// Malformed suppressions.
    pub malformed: Vec<MalformedSuppression>,
    /// The names of the lints that have run.
    pub lints_run: &'a [&'static str],
}

impl<'a> Suppressions<'a> {
    /// No suppressions.
    pub(super) const fn none(subject: &'a Subject<'a>, lints_run: &'a [&'static str]) -> Self {
        Self { subject, all: Vec::new(), malformed: Vec::new(), lints_run }
    }

    /// Reads the suppressions of a file.
    pub(super) fn read(subject: &'a Subject<'a>, lints_run: &'a [&'static str], today: Option<Day>) -> Self {
        let mut read = Self::none(subject, lints_run);
        let outermost = OnceCell::new();
        for comment in subject.comments {
            let text = subject.source.slice(comment.span);
            let Some(rest) = text.trim_start_matches(['#', ':', ' ']).strip_prefix("trimtab:") else { continue };
            match parse(rest, comment.span) {
                Ok((is_for_file, mut suppression)) => {
                    suppression.expired = suppression.until.zip(today).is_some_and(|((until, _), today)| until < today);
                    suppression.covers = if is_for_file {
                        subject.source.span()
                    } else {
                        covered(subject, comment, outermost.get_or_init(|| self::outermost(subject.file)))
                    };
                    read.all.push(suppression);
                }
                Err(reason) => read.malformed.push(MalformedSuppression { reason, span: comment.span }),
            }
        }
        read
    }

    /// Splits findings into reported and suppressed ones, the latter with the reason of the suppression.
    pub(super) fn split(&mut self, findings: Vec<Diagnostic>) -> (Vec<Diagnostic>, Vec<(Diagnostic, String)>) {
        let matches = matching_names(&self.all, &findings);
        let (mut reported, mut suppressed) = (Vec::new(), Vec::new());
        for (finding, name) in findings.into_iter().zip(matches) {
            match name {
                Some(name) => {
                    let suppression = &mut self.all[name.suppression];
                    suppression.used[name.position] = true;
                    suppressed.push((finding, suppression.reason.clone()));
                }
                None => reported.push(finding),
            }
        }
        (reported, suppressed)
    }

    /// The edit that removes a comment, with its line if that contains nothing else.
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

/// A name in a suppression, by the index of the suppression and the position of the name in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct NameIndex {
    suppression: usize,
    position: usize,
}

/// For each finding, the first name that suppresses it. A sweep over both in source order: O(n log n) instead of
/// findings × suppressions.
fn matching_names(all: &[Suppression], findings: &[Diagnostic]) -> Vec<Option<NameIndex>> {
    let mut names: HashMap<&str, Vec<NameIndex>> = HashMap::new();
    for (index, suppression) in all.iter().enumerate().filter(|(_, suppression)| suppression.applies()) {
        for (position, (name, _)) in suppression.names.iter().enumerate() {
            names.entry(name).or_default().push(NameIndex { suppression: index, position });
        }
    }
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|&index| (findings[index].code.id, findings[index].primary.span.start));
    let mut matches = vec![None; findings.len()];
    for same_lint in order.chunk_by(|&first, &second| findings[first].code.id == findings[second].code.id) {
        let Some(mut waiting) = names.remove(findings[same_lint[0]].code.id) else { continue };
        waiting.sort_by_key(|name| std::cmp::Reverse(all[name.suppression].covers.start));
        // The names whose covered text begins before the finding, without some whose text ends before it.
        let mut open: BTreeSet<NameIndex> = BTreeSet::new();
        for &index in same_lint {
            let offset = findings[index].primary.span.start;
            while let Some(next) = waiting.pop_if(|name| all[name.suppression].covers.start <= offset) {
                open.insert(next);
            }
            while let Some(first) = open.first().filter(|name| !all[name.suppression].covers_offset(offset)).copied() {
                open.remove(&first);
            }
            matches[index] = open.first().copied();
        }
    }
    matches
}

impl Suppression {
    /// Whether it applies: it has a reason and has not expired.
    pub const fn applies(&self) -> bool {
        !self.reason.is_empty() && !self.expired
    }

    /// Whether the covered text contains `offset`, at or before which it must start.
    fn covers_offset(&self, offset: u32) -> bool {
        offset < self.covers.end.max(self.covers.start + 1)
    }
}

/// Parses the text after `trimtab:`. Returns whether the suppression covers the whole file, and the suppression.
fn parse(rest: &str, comment: Span) -> Result<(bool, Suppression), String> {
    let end = comment.end as usize;
    // The span of `inside`, a slice of `part`, which ends where the comment ends.
    let span_of = |part: &str, inside: &str| {
        let offset = inside.as_ptr() as usize - part.as_ptr() as usize;
        let start = end - part.len() + offset;
        Span::new(comment.source, start, start + inside.len())
    };
    let word = rest.trim_start();
    let (is_for_file, list) = if let Some(list) = word.strip_prefix("file-allow") {
        (true, list)
    } else if let Some(list) = word.strip_prefix("allow") {
        (false, list)
    } else {
        return Err("expected `allow(…)` or `file-allow(…)`".to_owned());
    };
    let list =
        list.trim_start().strip_prefix('(').ok_or("expected the names of lints in parentheses: `allow(NAME) …`")?;
    let (names, after) = list.split_once(')').ok_or("the closing parenthesis is missing")?;
    let names: Vec<(String, Span)> = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(|name| (name.to_owned(), span_of(rest, name)))
        .collect();
    if names.is_empty() {
        return Err("expected the name of a lint".to_owned());
    }
    let mut reason = after.trim();
    let mut until = None;
    if let Some(dated) = reason.strip_prefix("until ") {
        let day = dated.split_whitespace().next().unwrap_or_default().trim_end_matches([':', ',', ';']);
        let parsed = date(day).ok_or_else(|| format!("`{day}` is not a date such as `2027-01-31`"))?;
        until = Some((parsed, span_of(rest, day)));
        reason = starting_at(dated.trim_start(), day.len()).trim_start_matches([':', ',', ';']).trim();
    }
    let reason = reason.trim_start_matches([':', '-', '–', '—']).trim().to_owned();
    let used = vec![false; names.len()];
    Ok((is_for_file, Suppression { names, reason, until, expired: false, covers: comment, span: comment, used }))
}

/// The date in a text, if it is one.
fn date(text: &str) -> Option<Day> {
    let day: jiff::civil::Date = text.parse().ok()?;
    let part = |number: i8| u8::try_from(number).ok();
    Some((u16::try_from(day.year()).ok()?, part(day.month())?, part(day.day())?))
}

/// The code that a comment covers: its own line if there is code before it, else what begins on the next line of code.
fn covered(subject: &Subject<'_>, comment: &Comment, outermost: &HashMap<u32, Span>) -> Span {
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
    outermost.get(&line.start).map_or(line, |span| span.to(line))
}

/// The end of the YAML block that starts at an offset: its first line and the lines that are indented deeper.
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

/// The first byte after an offset that is neither whitespace nor in a comment.
fn next_code(source: &Source, from: usize) -> Option<usize> {
    let mut offset = from;
    for line in starting_at(source.text(), from).split_inclusive('\n') {
        let code = line.trim_start();
        if !code.is_empty() && !code.starts_with('#') {
            return Some(offset + line.len() - code.len());
        }
        offset += line.len();
    }
    None
}

/// The largest item, rule, clause or statement that starts at each offset.
fn outermost(file: &File) -> HashMap<u32, Span> {
    let mut spans = Vec::new();
    for item in &file.items {
        match item {
            Item::Edition(edition) => spans.push(edition.span),
            Item::Use(import) => spans.push(import.span),
            Item::Agent(agent) => spans.push(agent.span),
            Item::Let(constant) => spans.push(constant.span),
            Item::Prompt(prompt) => spans.push(prompt.span),
            Item::Broken(broken) => spans.push(broken.span),
            Item::Test(test) => {
                spans.push(test.span);
                spans.extend(test.statements.iter().map(|statement| statement.span));
            }
            Item::Policy(policy) => {
                spans.push(policy.span);
                for item in &policy.items {
                    match item {
                        PolicyItem::Rule(rule) => {
                            spans.push(rule.span);
                            spans.extend(rule.clauses.iter().map(|clause| clause.span));
                        }
                        PolicyItem::Disable(disable) => spans.push(disable.span),
                        PolicyItem::Broken(broken) => spans.push(broken.span),
                    }
                }
            }
        }
    }
    let mut outermost: HashMap<u32, Span> = HashMap::new();
    for span in spans {
        outermost.entry(span.start).and_modify(|longest| longest.end = longest.end.max(span.end)).or_insert(span);
    }
    outermost
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trimtab_base::diagnostic::{Code, Severity};
    use trimtab_base::source::SourceId;

    use super::*;

    const fn code(id: &'static str) -> Code {
        Code { id, severity: Severity::Warning, title: "", why: "", wrong: "", right: "" }
    }

    static CODES: [Code; 3] = [code("a"), code("b"), code("c")];

    fn suppression() -> impl Strategy<Value = Suppression> {
        (prop::collection::vec(0usize..3, 1..4), 0usize..40, 0usize..40, any::<bool>(), "[x]{0,1}").prop_map(
            |(names, start, length, expired, reason)| {
                let covers = Span::new(SourceId::default(), start, start + length);
                let names: Vec<_> = names.into_iter().map(|name| (CODES[name].id.to_owned(), covers)).collect();
                let used = vec![false; names.len()];
                Suppression { names, reason, until: None, expired, covers, span: covers, used }
            },
        )
    }

    proptest! {
        #[test]
        fn the_first_suppression_that_covers_a_finding_suppresses_it(
            all in prop::collection::vec(suppression(), 0..9),
            findings in prop::collection::vec((0usize..3, 0usize..80), 0..12),
        ) {
            let span = |start: usize| Span::new(SourceId::default(), start, start + 1);
            let findings: Vec<Diagnostic> = findings
                .into_iter()
                .map(|(code, start)| Diagnostic::new(&CODES[code], span(start), "", ""))
                .collect();
            let first = |finding: &Diagnostic| {
                let offset = finding.primary.span.start;
                all.iter().enumerate().find_map(|(index, suppression)| {
                    let position = suppression.names.iter().position(|(name, _)| name == finding.code.id)?;
                    let covers = suppression.covers.start <= offset && suppression.covers_offset(offset);
                    (suppression.applies() && covers).then_some(NameIndex { suppression: index, position })
                })
            };
            prop_assert_eq!(matching_names(&all, &findings), findings.iter().map(first).collect::<Vec<_>>());
        }
    }
}
