//! What the grammar expected at an offset, in the words of a message.

use super::grammar::Rule;
use super::keyword::{Keyword, Position};
use super::token::{Token, TokenKind};

/// What a region of text is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Context {
    File,
    Policy,
    PolicyHead,
    Rule,
    RuleHead,
    Test,
}

impl Context {
    /// What the keywords begin that may come first here; `None` in the heads of policies and rules.
    pub(super) const fn position(self) -> Option<Position> {
        match self {
            Self::File => Some(Position::Item),
            Self::Policy => Some(Position::PolicyItem),
            Self::Rule => Some(Position::Clause),
            Self::Test => Some(Position::Statement),
            Self::PolicyHead | Self::RuleHead => None,
        }
    }

    /// Whether a keyword may begin something here.
    pub(super) fn begins(self, word: &str) -> bool {
        self.position().is_some_and(|position| Keyword::begins(word, position))
    }

    /// The keywords that may begin something here, at the start of a region or later in it.
    pub(super) fn keywords(self, is_first: bool) -> impl Iterator<Item = Keyword> + Clone {
        let in_head: &[Keyword] = match self {
            Self::PolicyHead if !is_first => &[Keyword::Extends],
            Self::RuleHead if !is_first => &[Keyword::Before, Keyword::After],
            _ => &[],
        };
        self.position().into_iter().flat_map(Keyword::at).chain(in_head.iter().copied())
    }

    /// A noun for what is expected here.
    pub(super) const fn noun(self) -> &'static str {
        match self {
            Self::File => "an item",
            Self::Policy => "a rule",
            Self::Rule => "a clause",
            Self::Test => "`given` or `expect`",
            Self::PolicyHead | Self::RuleHead => "`{`",
        }
    }

    /// What may be written here.
    pub(super) const fn help(self) -> &'static str {
        match self {
            Self::File => "a file contains `edition`, `use`, `agent`, `let`, `prompt`, `policy` and `test`",
            Self::Policy => "a policy contains `rule NAME { … }` and `disable rule NAME \"reason\"`",
            Self::Rule => "a rule contains clauses such as `on`, `when`, `do`, `once`, `every` and `cooldown`",
            Self::Test => "a test contains `given …` and `expect …`",
            Self::PolicyHead => "write `policy NAME \"purpose\" extends BASE {`; purpose and base are optional",
            Self::RuleHead => "write `rule NAME {`, or `rule NAME before OTHER {` in a policy with a base",
        }
    }

    /// How the item or clause that begins with this word is written.
    pub(super) fn syntax_of(self, word: &str) -> Option<&'static str> {
        Some(match Keyword::from_text(word)? {
            Keyword::Edition => "write `edition 2026`",
            Keyword::Use => "write `use \"PATH\"`",
            Keyword::Let => "write `let NAME = VALUE`",
            Keyword::Prompt => "write `prompt NAME \"\"\"…\"\"\"`",
            Keyword::Agent => "write `agent { … }`",
            Keyword::Test if self == Self::File => "write `test \"what it shows\" { … }`",
            Keyword::Policy => Self::PolicyHead.help(),
            Keyword::Disable => "write `disable rule NAME \"reason\"`",
            Keyword::Rule | Keyword::Sealed | Keyword::Override => Self::RuleHead.help(),
            Keyword::On if self == Self::Rule => "write `on` and the name of a phase, such as `on request`",
            Keyword::Do => "write `do` and an effect, with `then` before another",
            _ => return None,
        })
    }
}

/// What a token is, for a label.
pub(super) fn label(token: Token<'_>) -> &'static str {
    let position = Keyword::from_text(token.text).map(Keyword::position);
    match (token.kind, position) {
        (TokenKind::Word, Some(Position::Clause)) => "the next clause starts here",
        (TokenKind::Word, Some(Position::Item)) => "the next item starts here",
        (TokenKind::Word, Some(Position::PolicyItem)) => "the next rule starts here",
        (TokenKind::Word, Some(_)) => "a reserved word",
        (TokenKind::Word, None) => "a word",
        (TokenKind::Number, _) => "a number",
        (TokenKind::Text | TokenKind::OpenText | TokenKind::OpenBlock, _) => "a text",
        (TokenKind::Symbol, _) if token.text == "}" => "the block ends here",
        (TokenKind::Symbol, _) => "unexpected symbol",
    }
}

/// Whether a rule of the grammar can begin an expression.
pub(super) fn begins_value(rule: Rule) -> bool {
    rule == Rule::group || matches!(words(rule, true, ""), ["a value"])
}

/// The words for a rule of the grammar. What can begin any value has none where a value is expected; `first` is the word
/// that the region begins with.
pub(super) fn words(rule: Rule, expects_value: bool, first: &str) -> &'static [&'static str] {
    match rule {
        Rule::word | Rule::number | Rule::text | Rule::block | Rule::list | Rule::group | Rule::truth | Rule::not
            if expects_value =>
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
        Rule::scope => &["`in`"],
        Rule::word | Rule::free_word | Rule::on_failure => &["a word"],
        Rule::number => &["a number"],
        Rule::text | Rule::block => &["a text"],
        Rule::list => &["a list"],
        Rule::unit => &["a unit"],
        Rule::logic => &["`and`", "`or`"],
        Rule::tight | Rule::comparison => &["a comparison"],
        Rule::comma => &["`,`"],
        Rule::equals => &["`=`"],
        Rule::opening => &["`{`"],
        Rule::closing => &["`}`"],
        Rule::closing_bracket => &["`]`"],
        Rule::closing_parenthesis => &["`)`"],
        Rule::base => &["`extends`"],
        Rule::order => &["`before`", "`after`"],
        Rule::removed => &["a clause keyword"],
        Rule::phase => &["the name of a phase"],
        Rule::range => &["`..`"],
        _ => &[],
    }
}
