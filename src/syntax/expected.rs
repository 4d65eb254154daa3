//! What was expected, in the author's words.
//!
//! In: a place where a stretch goes wrong and the rules that pest tried there. Out: one diagnostic.

use super::error;
use super::lexeme::{self, Lexeme, Shape};
use super::parse::Rule;
use super::slip;
use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{Span, line_start, slice, starting_at};

/// Words that start an item.
pub(super) const ITEMS: [&str; 7] = ["policy", "test", "let", "prompt", "use", "agent", "edition"];
/// Words that start a rule or something else in a policy.
pub(super) const RULES: [&str; 4] = ["rule", "sealed", "override", "disable"];
/// Words that start a clause.
pub const CLAUSES: [&str; 10] =
    ["when", "do", "on", "on_failure", "once", "until", "unless", "every", "cooldown", "limit"];
/// Words that start a statement of a test.
pub(super) const STATEMENTS: [&str; 2] = ["given", "expect"];
/// Reserved words that start nothing.
const OTHERS: [&str; 11] = ["extends", "before", "after", "then", "per", "and", "or", "not", "true", "false", "rule"];

/// Words of expressions, which some write in capitals.
const LOGIC: [&str; 3] = ["and", "or", "not"];

/// In what a stretch stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    File,
    Policy,
    PolicyHead,
    Rule,
    RuleHead,
    Test,
}

impl Place {
    /// The words that start something here.
    const fn words(self) -> &'static [&'static str] {
        match self {
            Self::File => &ITEMS,
            Self::Policy => &RULES,
            Self::Rule => &CLAUSES,
            Self::Test => &STATEMENTS,
            Self::PolicyHead | Self::RuleHead => &[],
        }
    }

    /// The words that may stand behind the first one and start something.
    const fn starts(self) -> &'static [&'static str] {
        match self {
            Self::PolicyHead => &["extends"],
            Self::RuleHead => &["before", "after"],
            _ => self.words(),
        }
    }

    /// What stands here, one of it.
    const fn noun(self) -> &'static str {
        match self {
            Self::File => "an item",
            Self::Policy => "a rule",
            Self::Rule => "a clause",
            Self::Test => "`given` or `expect`",
            Self::PolicyHead | Self::RuleHead => "`{`",
        }
    }

    /// What to do when something else stands here.
    const fn help(self) -> &'static str {
        match self {
            Self::File => "a file holds `edition`, `use`, `agent`, `let`, `prompt`, `policy` and `test`",
            Self::Policy => "a policy holds `rule NAME { … }` and `disable rule NAME \"why\"`",
            Self::Rule => "a rule holds clauses such as `on`, `when`, `do`, `once`, `every` and `cooldown`",
            Self::Test => "a test holds `given …` and `expect …`",
            Self::PolicyHead => "a policy begins `policy NAME \"what it is for\" extends BASE {`",
            Self::RuleHead => "a rule begins `rule NAME {`, with `before NAME` or `after NAME` if it must",
        }
    }
}

/// Whether a word is reserved.
pub(super) fn is_reserved(word: &str) -> bool {
    [&ITEMS[..], &RULES, &CLAUSES, &STATEMENTS, &OTHERS].iter().any(|words| words.contains(&word))
}

/// A place where a stretch goes wrong.
pub(super) struct Failure<'t> {
    /// The whole text.
    pub(super) text: &'t str,
    /// The stretch.
    pub(super) span: Span,
    /// How far parsing came.
    pub(super) at: usize,
    /// What pest tried there.
    pub(super) rules: Vec<Rule>,
    /// Whether it could have ended there.
    pub(super) complete: bool,
    /// In what the stretch stands.
    pub(super) place: Place,
}

impl Failure<'_> {
    /// What to tell the author, and whether it can be read as its first fix says.
    pub(super) fn diagnostic(&self) -> (Diagnostic, bool) {
        let first = lexeme::next(self.text, self.span.start as usize);
        // A word that is right here: what is wrong comes behind it.
        let begun = first.filter(|first| first.start >= self.at && self.place.words().contains(&first.text));
        let Some(found) = lexeme::next(self.text, begun.map_or(self.at, |word| word.end())) else {
            let end = self.text.trim_end().len();
            let span = Span::new(self.span.source, end, end);
            let words = self.words();
            return (error::expected(span, &words, "the end of the file", "the file ends here", self.help()), false);
        };
        let span = self.span_of(found);
        let sure = |finding| (finding, true);
        let unsure = |finding| (finding, false);
        self.outer(first, found)
            .map(unsure)
            .or_else(|| self.quote(found, span).map(sure))
            .or_else(|| slip::number(self.text, self.span, found).map(sure))
            .or_else(|| self.hyphen(found).map(sure))
            .or_else(|| self.foreign(found, span))
            .or_else(|| self.name(found, span).map(unsure))
            .or_else(|| self.misspelt(found))
            .unwrap_or_else(|| self.plain(found, span))
    }

    fn span_of(&self, one: Lexeme<'_>) -> Span {
        Span::new(self.span.source, one.start, one.end())
    }

    /// The stretch does not begin with a word of its place: it is misplaced, stray or misspelt.
    fn outer(&self, first: Option<Lexeme<'_>>, found: Lexeme<'_>) -> Option<Diagnostic> {
        let first = first.filter(|first| first.start == found.start)?;
        let span = self.span_of(first);
        match first.text {
            "}" | ")" | "]" => Some(error::stray(span, first.text)),
            word if self.place != Place::File && ITEMS.contains(&word) => Some(error::misplaced(span, word)),
            word if self.place != Place::Policy && RULES.contains(&word) => Some(error::misplaced(span, word)),
            word if self.place != Place::Rule && CLAUSES.contains(&word) => Some(error::misplaced(span, word)),
            _ => None,
        }
    }

    /// An open text, or one in quotes of another kind.
    fn quote(&self, found: Lexeme<'_>, span: Span) -> Option<Diagnostic> {
        match found.shape {
            Shape::OpenText => Some(error::open_text(span)),
            Shape::OpenBlock => Some(error::open_block(span)),
            _ => {
                let opening = found.text.chars().next()?;
                let closing = match opening {
                    '\'' => '\'',
                    '`' => '`',
                    '‘' | '’' => '’',
                    '“' | '”' => '”',
                    _ => return None,
                };
                let line = starting_at(self.text, found.start).lines().next()?;
                let start = found.start + opening.len_utf8();
                let inside = starting_at(line, opening.len_utf8()).split_once(closing).map(|(inside, _)| inside);
                let end = inside.map_or(start, |inside| start + inside.len() + closing.len_utf8());
                let inside = inside.map(|inside| (Span::new(span.source, start, start + inside.len()), inside));
                Some(error::quotes(Span::new(span.source, found.start, end), inside))
            }
        }
    }

    /// A sign of another language; a single `=` only where a comparison could stand. It can be read as what is written
    /// here, unless it may have stood for more than one thing.
    fn foreign(&self, found: Lexeme<'_>, span: Span) -> Option<(Diagnostic, bool)> {
        let compares = self.rules.contains(&Rule::tight) || self.rules.contains(&Rule::group);
        if found.text == "=" && !compares {
            return None;
        }
        let next = lexeme::next(self.text, found.end());
        let goes_on = next.is_some_and(|next| !is_reserved(next.text) && next.text != "}");
        match found.text {
            ";" if goes_on && self.first() == "do" => Some((error::semicolon(span), true)),
            ";" | "," if goes_on && self.place == Place::Rule => Some((error::separator(found.text, span), false)),
            sign => Some((error::foreign(sign, span, self.text)?, true)),
        }
    }

    /// A name with a hyphen, where one is given.
    fn hyphen(&self, found: Lexeme<'_>) -> Option<Diagnostic> {
        let from = self.span.start as usize;
        let mut words = lexeme::all(starting_at(self.text, from)).take_while(|one| from + one.start < found.start);
        let word = words.find(|one| one.shape == Shape::Word && from + one.end() > found.start)?;
        let is_name =
            found.text.starts_with('-') && matches!(self.place, Place::RuleHead | Place::PolicyHead | Place::File);
        let span = self.span_of(Lexeme { start: from + word.start, ..word });
        is_name.then(|| error::hyphen(span, word.text))
    }

    /// A reserved word, or something else that is no name, where a name must stand.
    fn name(&self, found: Lexeme<'_>, span: Span) -> Option<Diagnostic> {
        let only = self.rules.iter().all(|tried| matches!(tried, Rule::name));
        let wanted = only && !self.rules.is_empty();
        let inside = found.start < self.span.end as usize && self.place != Place::Rule;
        (wanted && inside && is_reserved(found.text)).then(|| error::reserved(span, found.text))
    }

    /// The word at the mistake, or the first on its line, is nearly one that starts something here.
    fn misspelt(&self, found: Lexeme<'_>) -> Option<(Diagnostic, bool)> {
        let line = line_start(self.text, found.start).max(self.span.start as usize);
        let leading = lexeme::next(self.text, line)?;
        // Where the clause at hand could not end, a word can start no other.
        let may_start = self.complete || found.start == self.span.start as usize || self.place.words().is_empty();
        // A word behind a number was taken for a unit, one behind an effect for one of its own.
        let from = self.span.start as usize;
        let before = lexeme::all(slice(self.text, from..found.start)).last();
        let before = before.map(|one| Lexeme { start: from + one.start, ..one }).filter(|_| self.place == Place::Rule);
        [Some(leading), Some(found).filter(|_| may_start), before].into_iter().flatten().find_map(|one| {
            if let Some(word) = LOGIC.iter().find(|word| word.eq_ignore_ascii_case(one.text) && **word != one.text) {
                return Some((error::misspelt(self.span_of(one), one.text, word, &format!("`{word}`")), true));
            }
            if one == found && self.rules.contains(&Rule::once_per) && nearest(one.text, ["per"]).is_some() {
                return Some((error::misspelt(self.span_of(one), one.text, "per", "`per`"), true));
            }
            let words = if one.start > self.span.start as usize { self.place.starts() } else { self.place.words() };
            let meant = slip::meant(one.text, words).filter(|_| one.shape == Shape::Word)?;
            let finding = error::misspelt(self.span_of(one), one.text, meant, self.place.noun());
            Some((finding, slip::fits(meant, lexeme::next(self.text, one.end()))))
        })
    }

    fn plain(&self, found: Lexeme<'_>, span: Span) -> (Diagnostic, bool) {
        let quoted = format!("`{}`", found.text.lines().next().unwrap_or_default());
        let names_block = self.place == Place::Policy
            && found.start == self.span.start as usize
            && found.shape == Shape::Word
            && lexeme::next(self.text, found.end()).is_some_and(|next| next.text == "{");
        let closes = matches!(found.text, ")" | "]");
        if closes && !self.wants_value() && self.complete {
            return (error::stray(span, found.text), true);
        }
        if names_block {
            return (error::no_rule_word(span, found.text), true);
        }
        let help = match found.text {
            "{" if self.place == Place::Rule => "leave it out: no braces stand in a rule",
            _ => self.help(),
        };
        (error::expected(span, &self.words(), &quoted, here(found), help), false)
    }

    /// The word that the stretch begins with.
    fn first(&self) -> &str {
        lexeme::next(self.text, self.span.start as usize).map_or("", |first| first.text)
    }

    fn help(&self) -> &'static str {
        let has = |rule| self.rules.contains(&rule);
        if has(Rule::closing_bracket) {
            "close the list with `]`, and write a comma between its entries"
        } else if has(Rule::closing_parenthesis) {
            "close with `)`, and write a comma between arguments"
        } else if self.wants_value() {
            "write a fact, a number with its unit, or a text"
        } else if has(Rule::removed) {
            "write the word of the clause that is removed, such as `no once`"
        } else {
            self.form().unwrap_or(self.place.help())
        }
    }

    /// How what the stretch begins with is written.
    fn form(&self) -> Option<&'static str> {
        Some(match self.first() {
            "edition" => "write `edition 2026`",
            "use" => "write `use \"PATH\"`",
            "let" => "write `let NAME = VALUE`",
            "prompt" => "write `prompt NAME \"\"\"…\"\"\"`",
            "agent" => "write `agent { … }`",
            "test" if self.place == Place::File => "write `test \"what it shows\" { … }`",
            "policy" => Place::PolicyHead.help(),
            "disable" => "write `disable rule NAME \"why\"`",
            "rule" | "sealed" | "override" => Place::RuleHead.help(),
            "on" if self.place == Place::Rule => "write `on` and the name of a phase, such as `on request`",
            "do" => "write `do` and an effect, with `then` before another",
            _ => return None,
        })
    }

    /// Whether an expression could begin here.
    fn wants_value(&self) -> bool {
        self.rules.iter().any(|tried| matches!(of(*tried, true, ""), ["a value"]) || *tried == Rule::group)
    }

    /// What was expected, in words.
    fn words(&self) -> Vec<&'static str> {
        let value = self.wants_value();
        let mut words: Vec<&'static str> = Vec::new();
        if value {
            words.push("a value");
        }
        if self.complete {
            words.push(self.place.noun());
        }
        for tried in &self.rules {
            for word in of(*tried, value, self.first()) {
                if !words.contains(word) {
                    words.push(word);
                }
            }
        }
        if words.is_empty() {
            words.push(if RULES.contains(&self.first()) { "`rule`" } else { self.place.noun() });
        }
        words
    }
}

/// What a token is.
fn here(found: Lexeme<'_>) -> &'static str {
    match found.shape {
        Shape::Word if CLAUSES.contains(&found.text) => "the next clause starts here",
        Shape::Word if ITEMS.contains(&found.text) => "the next item starts here",
        Shape::Word if RULES.contains(&found.text) => "the next rule starts here",
        Shape::Word if is_reserved(found.text) => "a reserved word",
        Shape::Word => "a word",
        Shape::Number => "a number",
        Shape::Text | Shape::OpenText | Shape::OpenBlock => "a text",
        Shape::Sign if found.text == "}" => "the block ends here",
        Shape::Sign => "this sign",
    }
}

/// A rule in the author's words; what belongs to any value is left out where a value is expected.
fn of(tried: Rule, value: bool, first: &str) -> &'static [&'static str] {
    match tried {
        Rule::word | Rule::number | Rule::text | Rule::block | Rule::list | Rule::group | Rule::truth | Rule::not
            if value =>
        {
            &[]
        }
        Rule::name | Rule::effects | Rule::effect if matches!(first, "do" | "on_failure") => &["the name of an effect"],
        Rule::name if first == "on" => &["the name of a phase"],
        Rule::name | Rule::list_name => &["a name"],
        Rule::when | Rule::unless | Rule::until | Rule::every | Rule::cooldown | Rule::limit | Rule::argument => {
            &["a value"]
        }
        Rule::once_per => &["`per`"],
        Rule::once_until => &["`until`"],
        Rule::word | Rule::free_word | Rule::on_failure => &["a word"],
        Rule::number => &["a number"],
        Rule::text | Rule::block => &["a text"],
        Rule::list => &["a list"],
        Rule::unit => &["a unit"],
        Rule::logic => &["`and`", "`or`"],
        Rule::tight | Rule::sign => &["a comparison"],
        Rule::comma => &["`,`"],
        Rule::equals => &["`=`"],
        Rule::opening => &["`{`"],
        Rule::closing => &["`}`"],
        Rule::closing_bracket => &["`]`"],
        Rule::closing_parenthesis => &["`)`"],
        Rule::base => &["`extends`"],
        Rule::order => &["`before`", "`after`"],
        Rule::removed => &["the word of a clause"],
        Rule::phase => &["the name of a phase"],
        Rule::range => &["`..`"],
        _ => &[],
    }
}
