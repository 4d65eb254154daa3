//! The reserved words of the language.
//!
//! Each is listed once here. The grammar has to spell them too; the tests below compare it with this table.
//! `no`, `in`, `of`, `contains` and `by` are not reserved: they are keywords only in certain places.

use super::tree::ClauseKind;

/// A reserved word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the word that it is named after")]
pub enum Keyword {
    Edition,
    Use,
    Agent,
    Let,
    Prompt,
    Policy,
    Test,
    Rule,
    Sealed,
    Override,
    Disable,
    Given,
    Expect,
    On,
    When,
    Unless,
    Confirm,
    Do,
    OnFailure,
    Once,
    Until,
    Every,
    Cooldown,
    Limit,
    Extends,
    Before,
    After,
    Then,
    Per,
    And,
    Or,
    Not,
    True,
    False,
}

/// Whether a text can be the name of a definition.
pub fn is_name(text: &str) -> bool {
    let is_letter = |char: char| char.is_ascii_alphabetic() || char == '_';
    text.starts_with(is_letter)
        && text.chars().all(|char| is_letter(char) || char.is_ascii_digit())
        && !Keyword::is_reserved(text)
}

/// What a keyword begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// An item of a file, such as `policy`.
    Item,
    /// An item of a policy, such as `rule`.
    PolicyItem,
    /// A statement of a test: `given` or `expect`.
    Statement,
    /// A clause of a rule, such as `when`.
    Clause,
    /// Part of a clause or of a head, such as `then` or `extends`.
    Part,
    /// Nothing: it is an operator or a value of an expression.
    Expression,
}

/// All keywords, in the order of the enum.
const KEYWORDS: [(Keyword, &str, Position); 34] = [
    (Keyword::Edition, "edition", Position::Item),
    (Keyword::Use, "use", Position::Item),
    (Keyword::Agent, "agent", Position::Item),
    (Keyword::Let, "let", Position::Item),
    (Keyword::Prompt, "prompt", Position::Item),
    (Keyword::Policy, "policy", Position::Item),
    (Keyword::Test, "test", Position::Item),
    (Keyword::Rule, "rule", Position::PolicyItem),
    (Keyword::Sealed, "sealed", Position::PolicyItem),
    (Keyword::Override, "override", Position::PolicyItem),
    (Keyword::Disable, "disable", Position::PolicyItem),
    (Keyword::Given, "given", Position::Statement),
    (Keyword::Expect, "expect", Position::Statement),
    (Keyword::On, "on", Position::Clause),
    (Keyword::When, "when", Position::Clause),
    (Keyword::Unless, "unless", Position::Clause),
    (Keyword::Confirm, "confirm", Position::Clause),
    (Keyword::Do, "do", Position::Clause),
    (Keyword::OnFailure, "on_failure", Position::Clause),
    (Keyword::Once, "once", Position::Clause),
    (Keyword::Until, "until", Position::Clause),
    (Keyword::Every, "every", Position::Clause),
    (Keyword::Cooldown, "cooldown", Position::Clause),
    (Keyword::Limit, "limit", Position::Clause),
    (Keyword::Extends, "extends", Position::Part),
    (Keyword::Before, "before", Position::Part),
    (Keyword::After, "after", Position::Part),
    (Keyword::Then, "then", Position::Part),
    (Keyword::Per, "per", Position::Part),
    (Keyword::And, "and", Position::Expression),
    (Keyword::Or, "or", Position::Expression),
    (Keyword::Not, "not", Position::Expression),
    (Keyword::True, "true", Position::Expression),
    (Keyword::False, "false", Position::Expression),
];

impl Keyword {
    /// The word as it is written.
    pub const fn text(self) -> &'static str {
        KEYWORDS[self as usize].1
    }

    /// What the word begins.
    pub const fn position(self) -> Position {
        KEYWORDS[self as usize].2
    }

    /// The keyword that is written like this.
    pub fn from_text(text: &str) -> Option<Self> {
        KEYWORDS.iter().find(|(_, word, _)| *word == text).map(|(keyword, ..)| *keyword)
    }

    /// Whether a word is reserved, so that it cannot be a name.
    pub fn is_reserved(text: &str) -> bool {
        Self::from_text(text).is_some()
    }

    /// Whether a text is a keyword that begins this.
    pub fn begins(text: &str, position: Position) -> bool {
        Self::from_text(text).is_some_and(|keyword| keyword.position() == position)
    }

    /// Whether the name of a definition comes right after the keyword.
    pub(super) const fn defines_name(self) -> bool {
        matches!(self, Self::Policy | Self::Rule | Self::Let | Self::Prompt)
    }

    /// All keywords.
    pub fn all() -> impl Iterator<Item = Self> {
        KEYWORDS.iter().map(|(keyword, ..)| *keyword)
    }

    /// The keywords that begin this.
    pub fn at(position: Position) -> impl Iterator<Item = Self> + Clone {
        KEYWORDS.iter().filter(move |(.., at)| *at == position).map(|(keyword, ..)| *keyword)
    }

    /// The words that begin this.
    pub fn texts(position: Position) -> impl Iterator<Item = &'static str> + Clone {
        Self::at(position).map(Self::text)
    }
}

impl ClauseKind {
    /// The keyword of the clause; `None` for `no` and for a broken clause.
    pub const fn keyword(&self) -> Option<Keyword> {
        Some(match self {
            Self::On(_) => Keyword::On,
            Self::When(_) => Keyword::When,
            Self::Unless(_) => Keyword::Unless,
            Self::Confirm(_) => Keyword::Confirm,
            Self::Do(_) => Keyword::Do,
            Self::OnFailure(..) => Keyword::OnFailure,
            Self::Once | Self::OncePer(_) | Self::OnceUntil(_) => Keyword::Once,
            Self::Until(_) => Keyword::Until,
            Self::Every(_) => Keyword::Every,
            Self::Cooldown(_) => Keyword::Cooldown,
            Self::Limit(_) => Keyword::Limit,
            Self::No(_) | Self::Broken(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const GRAMMAR: &str = include_str!("../../../../grammar/policy.pest");

    /// The texts of all keywords.
    fn texts() -> impl Iterator<Item = &'static str> {
        Keyword::all().map(Keyword::text)
    }

    /// The definition of a rule of the grammar.
    fn definition(rule: &str) -> &'static str {
        let (_, rest) = GRAMMAR.split_once(&format!("\n{rule} = ")).expect("the grammar has this rule");
        let lines = rest.split("\n}\n").next().expect("a definition");
        if lines.starts_with("_{\n") { lines } else { lines.lines().next().expect("a line") }
    }

    /// The words whose `…_word` rules a definition names.
    fn named_words(rule: &str) -> BTreeSet<&'static str> {
        let parts = definition(rule).split(|char: char| !(char.is_alphanumeric() || char == '_'));
        parts.filter_map(|part| part.strip_suffix("_word")).collect()
    }

    /// The texts in quotes on a line.
    fn quoted(line: &str) -> impl Iterator<Item = &str> {
        line.split('"').skip(1).step_by(2)
    }

    #[test]
    fn keywords_are_in_the_order_of_the_enum_and_listed_once() {
        assert!(KEYWORDS.iter().enumerate().all(|(at, (keyword, ..))| *keyword as usize == at));
        assert_eq!(texts().collect::<BTreeSet<_>>().len(), KEYWORDS.len());
    }

    #[test]
    fn the_grammar_has_a_word_rule_for_each_keyword() {
        let rules = GRAMMAR.lines().filter_map(|line| line.split_once("_word = _{ \""));
        let words: Vec<(&str, &str)> = rules.map(|(name, rest)| (name, rest.split('"').next().unwrap_or(""))).collect();
        assert!(words.iter().all(|(name, word)| name == word), "{words:?}");
        let words: Vec<&str> = words.into_iter().map(|(_, word)| word).collect();
        assert_eq!(words.len(), KEYWORDS.len());
        assert_eq!(words.into_iter().collect::<BTreeSet<_>>(), texts().collect());
    }

    #[test]
    fn the_grammar_reserves_exactly_the_keywords() {
        let lines = definition("reserved").lines().filter(|line| line.contains(" ~ ") && line.contains('"'));
        let words = lines.flat_map(|line| {
            let mut parts = quoted(line);
            let first = parts.next().unwrap_or_default();
            parts.map(move |rest| format!("{first}{rest}"))
        });
        assert_eq!(words.collect::<BTreeSet<_>>(), texts().map(str::to_owned).collect());
    }

    #[test]
    fn the_grammar_lets_each_keyword_begin_what_the_table_says() {
        let cases = [
            ("starts_item", Position::Item),
            ("starts_rule", Position::PolicyItem),
            ("starts_statement", Position::Statement),
            ("clause_word", Position::Clause),
            ("proper_clause", Position::Clause),
        ];
        for (rule, position) in cases {
            let expected: BTreeSet<&str> = Keyword::texts(position).collect();
            assert_eq!(named_words(rule), expected, "{rule}");
        }
    }
}
