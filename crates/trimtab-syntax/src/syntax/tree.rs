//! The syntax tree of a policy file: shapes and spans without meaning.

use smol_str::SmolStr;
use trimtab_base::source::{SourceId, Span, Spanned};

pub use super::number::Number;
pub use super::operator::{Comparison, Operator};

/// A name with its span.
pub type Name = Spanned<SmolStr>;

/// A whole policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The source that was parsed.
    pub source: SourceId,
    /// Its items in order, including broken ones.
    pub items: Vec<Item>,
}

/// A top-level item.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `edition 2026`
    Edition(Edition),
    /// `use "common/limits.trim"`
    Use(Use),
    /// `agent { … }`
    Agent(Agent),
    /// `let busy = 60%`
    Let(Let),
    /// `prompt handover """…"""`
    Prompt(Prompt),
    /// `policy coder "…" { … }`
    Policy(Policy),
    /// `test "…" { … }`
    Test(Test),
    /// A region that could not be parsed.
    Broken(Broken),
}

/// `edition YEAR`
#[derive(Clone, Debug, PartialEq)]
pub struct Edition {
    /// The year.
    pub year: Spanned<u32>,
    /// The whole item.
    pub span: Span,
}

/// `use "PATH"`
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// The path as it is written.
    pub path: Text,
    /// The whole item.
    pub span: Span,
}

/// `agent { … }`: a flat sequence of terms that the checker groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// The terms in order.
    pub terms: Vec<Term>,
    /// The whole item.
    pub span: Span,
}

/// `let NAME = VALUE`
#[derive(Clone, Debug, PartialEq)]
pub struct Let {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Expr,
    /// The whole item.
    pub span: Span,
}

/// `prompt NAME TEXT`
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// The name.
    pub name: Name,
    /// The text.
    pub text: Text,
    /// The whole item.
    pub span: Span,
}

/// `policy NAME "…" extends BASE { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// The name.
    pub name: Name,
    /// Its purpose, in the author's words.
    pub title: Option<Text>,
    /// The policy that it extends.
    pub base: Option<Name>,
    /// Its rules and other items in order.
    pub items: Vec<PolicyItem>,
    /// The whole item.
    pub span: Span,
}

/// An item of a policy.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyItem {
    /// A rule.
    Rule(Rule),
    /// `disable rule NAME "reason"`
    Disable(Disable),
    /// A region that could not be parsed.
    Broken(Broken),
}

/// `disable rule NAME "reason"`
#[derive(Clone, Debug, PartialEq)]
pub struct Disable {
    /// The rule to disable.
    pub name: Name,
    /// The reason.
    pub why: Option<Text>,
    /// The whole item.
    pub span: Span,
}

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The name.
    pub name: Name,
    /// The keyword `sealed`, if it is present.
    pub sealed: Option<Span>,
    /// The keyword `override`, if it is present.
    pub overrides: Option<Span>,
    /// Its position among the rules of the base policy.
    pub order: Option<Order>,
    /// Its clauses in order.
    pub clauses: Vec<Clause>,
    /// The whole rule.
    pub span: Span,
}

/// `before NAME` or `after NAME` in the head of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Whether the keyword is `before`; otherwise it is `after`.
    pub before: bool,
    /// The other rule.
    pub rule: Name,
    /// The keyword and the name.
    pub span: Span,
}

/// A clause of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// Its kind and content.
    pub kind: ClauseKind,
    /// The name of the scope behind a guard: `session` of `once in session`.
    pub scope: Option<Name>,
    /// Its keyword.
    pub word: Span,
    /// The whole clause.
    pub span: Span,
}

/// The kind and content of a clause.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `on PHASE`
    On(Name),
    /// `when CONDITION`
    When(Expr),
    /// `unless CONDITION`
    Unless(Expr),
    /// `confirm "QUESTION"`
    Confirm(Term),
    /// `do EFFECT then EFFECT`
    Do(Vec<EffectCall>),
    /// `on_failure keep`, `on_failure retry 2 then EFFECT`
    OnFailure(Vec<Term>, Option<EffectCall>),
    /// `once`
    Once,
    /// `once per FACT`
    OncePer(Expr),
    /// `once until CONDITION`
    OnceUntil(Expr),
    /// `until CONDITION`
    Until(Expr),
    /// `every 5 iterations`
    Every(Expr),
    /// `cooldown 3 iterations`
    Cooldown(Expr),
    /// `limit 3`
    Limit(Expr),
    /// `no KEYWORD`, in an overriding rule
    No(Name),
    /// A clause that could not be parsed.
    Broken(Broken),
}

/// An effect and the terms after its name.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectCall {
    /// The effect's name.
    pub name: Name,
    /// The terms after it.
    pub terms: Vec<Term>,
    /// From the name to the last term.
    pub span: Span,
}

/// A term: a word, a literal or a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Its kind and content.
    pub kind: TermKind,
    /// Its span.
    pub span: Span,
}

/// The kind and content of a term.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    /// A number; a unit that is a word is the next term.
    Number(Number),
    /// A word or a dotted name; may be a reserved word.
    Word(SmolStr),
    /// A dotted name with arguments: `repeats(within: 5 calls)`.
    Call(Box<Expr>),
    /// A text.
    Text(Text),
    /// A list, in which reserved words are ordinary names.
    List(Vec<Term>),
    /// `name: VALUE` in a list.
    Pair(Name, Box<Expr>),
    /// A range of numbers: `40%..95% by 5%`; only in `given`.
    Range(Box<Term>, Box<Term>, Option<Box<Term>>),
    /// A comparison operator; only in `expect`.
    Comparison(Comparison),
}

/// A text literal.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The text with escape sequences resolved and, for a block, without indentation. Braces are as written.
    pub value: String,
    /// The pieces of a text with interpolations or doubled braces; empty if all of it is literal, and for a block.
    pub pieces: Vec<TextPiece>,
    /// Whether it is a `"""block"""`.
    pub block: bool,
    /// From the first quote to the last.
    pub span: Span,
}

/// A piece of a text with interpolation.
#[derive(Clone, Debug, PartialEq)]
pub enum TextPiece {
    /// Literal text, with `{{` and `}}` resolved.
    Literal(String),
    /// `{name}` or `{name ?? "…"}`.
    Interpolation(Expr),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Its kind and content.
    pub kind: ExprKind,
    /// From its first to its last token.
    pub span: Span,
}

impl Expr {
    /// The operands and the operator of a single comparison.
    pub fn comparison(&self) -> Option<(&Self, &Spanned<Operator>, &Self)> {
        match &self.kind {
            ExprKind::Compare(left, rest) => match rest.as_slice() {
                [(operator, right)] => Some((left, operator, right)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The kind and content of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `a or b or c`
    Or(Vec<Expr>),
    /// `a and b and c`
    And(Vec<Expr>),
    /// `not a`
    Not(Box<Expr>),
    /// `a < b`. A chain `a < b < c` has two entries in the vector.
    Compare(Box<Expr>, Vec<(Spanned<Operator>, Expr)>),
    /// `a ?? b`
    Default(Box<Expr>, Box<Expr>),
    /// `80% of cap`
    Of(Box<Expr>, Box<Expr>),
    /// A fact, a let or another name.
    Name(SmolStr),
    /// A name with arguments.
    Call(Name, Vec<Argument>),
    /// A number and the word after it, which may not be a known unit.
    Number(Number, Option<Name>),
    /// A text.
    Text(Box<Text>),
    /// `true` or `false`
    Bool(bool),
    /// `[a, b]`
    List(Vec<Term>),
}

/// An argument of a fact: `within: 10 calls`, or a value without a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The name, if there is one.
    pub name: Option<Name>,
    /// The value.
    pub value: Expr,
}

/// A test block.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// What it shows.
    pub name: Text,
    /// Its statements in order.
    pub statements: Vec<Statement>,
    /// Whether one of them could not be parsed.
    pub broken: bool,
    /// The whole item.
    pub span: Span,
}

/// `given …` or `expect …`
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Whether the keyword is `given`; otherwise it is `expect`.
    pub given: bool,
    /// The terms after the keyword.
    pub terms: Vec<Term>,
    /// The indexes of the terms that follow a comma.
    pub commas: Vec<usize>,
    /// The whole statement.
    pub span: Span,
}

/// A region that could not be parsed. The error is a diagnostic.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// The name that it would have defined, if there is one.
    pub name: Option<Name>,
    /// The region.
    pub span: Span,
}

/// A comment. Comments are listed separately from the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Whether it starts with `#:` and documents the next item.
    pub doc: bool,
    /// The text after `#` or `#:`, trimmed.
    pub text: String,
    /// From the `#` to the end of the line.
    pub span: Span,
}
