//! The tree of a policy file: shapes and spans, no meaning.

pub use super::operator::Operator;
use smol_str::SmolStr;

use crate::{quantity::Decimal, source::SourceId, source::Span, source::Spanned};

/// A name and where it stands.
pub type Name = Spanned<SmolStr>;

/// A whole policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The text it was read from.
    pub source: SourceId,
    /// Its items in order; broken ones too.
    pub items: Vec<Item>,
}

/// A top-level item. `docs` are the `#:` lines before it, joined.
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
    /// Something that could not be parsed.
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
    /// The path as written.
    pub path: Text,
    /// The whole item.
    pub span: Span,
}

/// `agent { … }`: a flat run of terms that the checker groups.
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
    /// What it is for, in the author's words.
    pub title: Option<Text>,
    /// The policy that it extends.
    pub base: Option<Name>,
    /// Rules and the like, in order.
    pub items: Vec<PolicyItem>,
    /// The whole item.
    pub span: Span,
}

/// What stands in a policy.
#[derive(Clone, Debug, PartialEq)]
pub enum PolicyItem {
    /// A rule.
    Rule(Rule),
    /// `disable rule NAME "why"`
    Disable(Disable),
    /// Something that could not be parsed.
    Broken(Broken),
}

/// `disable rule NAME "why"`
#[derive(Clone, Debug, PartialEq)]
pub struct Disable {
    /// The rule that is disabled.
    pub name: Name,
    /// Why.
    pub why: Option<Text>,
    /// The whole item.
    pub span: Span,
}

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The name.
    pub name: Name,
    /// The word `sealed`, where it stands.
    pub sealed: Option<Span>,
    /// The word `override`, where it stands.
    pub overrides: Option<Span>,
    /// `before NAME` or `after NAME` in its head.
    pub order: Option<Order>,
    /// Its clauses in order.
    pub clauses: Vec<Clause>,
    /// The whole rule.
    pub span: Span,
}

/// Where a rule wants to stand among the rules of the policy that it extends.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// Whether it says `before`; else `after`.
    pub before: bool,
    /// The other rule.
    pub rule: Name,
    /// The word and the name.
    pub span: Span,
}

/// A clause of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// What it says.
    pub kind: ClauseKind,
    /// Its first word.
    pub word: Span,
    /// All of it.
    pub span: Span,
}

/// What a clause says.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `on PHASE`
    On(Name),
    /// `when CONDITION`
    When(Expr),
    /// `unless CONDITION`
    Unless(Expr),
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
    /// `no CLAUSE`, in an overriding rule
    No(Name),
    /// A clause that could not be parsed.
    Broken(Broken),
}

/// An effect and the flat run of terms behind its name.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectCall {
    /// The effect's name.
    pub name: Name,
    /// The terms behind it.
    pub terms: Vec<Term>,
    /// From the name to the last term.
    pub span: Span,
}

/// One term of a flat run.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// What it is.
    pub kind: TermKind,
    /// Where it stands.
    pub span: Span,
}

/// What a term is.
#[derive(Clone, Debug, PartialEq)]
pub enum TermKind {
    /// A number; its unit, when it is a word, is the next term.
    Number(Number),
    /// A word or a dotted name, reserved words too.
    Word(SmolStr),
    /// A dotted name with arguments: `repeats(within: 5 calls)`.
    Call(Box<Expr>),
    /// A text.
    Text(Text),
    /// A list; inside it reserved words are names.
    List(Vec<Term>),
    /// `name: VALUE` in a list.
    Pair(Name, Box<Expr>),
    /// A range of a series: `40%..95% by 5%`. In `given` only.
    Range(Box<Term>, Box<Term>, Option<Box<Term>>),
    /// A comparison sign. In `expect` only.
    Operator(Operator),
}

/// A number as written, without a unit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// `80%`, kept as a fraction of one.
    Percent(Decimal),
    /// `$1.50`
    Money(Decimal),
    /// `8m30s`, in seconds.
    Duration(Decimal),
    /// `200k`, `1.5M`, `10`
    Plain(Decimal),
}

/// A text literal.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// The text with escapes resolved and, for a block, the indent removed. Braces stand as written.
    pub value: String,
    /// The parts, when the text has places to fill or doubled braces; empty when it is all literal. A block has none.
    pub pieces: Vec<Piece>,
    /// Whether it is a `"""block"""`.
    pub block: bool,
    /// From the first quote to the last.
    pub span: Span,
}

/// A part of an interpolated text.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Literal text, `{{` and `}}` resolved.
    Literal(String),
    /// `{name}` or `{name ?? "…"}`.
    Hole(Expr),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// From its first to its last token.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `a or b or c`
    Or(Vec<Expr>),
    /// `a and b and c`
    And(Vec<Expr>),
    /// `not a`
    Not(Box<Expr>),
    /// `a < b`; a chain `a < b < c` has two entries in the second part.
    Compare(Box<Expr>, Vec<(Spanned<Operator>, Expr)>),
    /// `a ?? b`
    Default(Box<Expr>, Box<Expr>),
    /// `80% of cap`
    Of(Box<Expr>, Box<Expr>),
    /// A fact, a let or another name.
    Name(SmolStr),
    /// A name with arguments.
    Call(Name, Vec<Argument>),
    /// A number with the unit word behind it, known or not.
    Number(Number, Option<Name>),
    /// A text.
    Text(Box<Text>),
    /// `true` or `false`
    Bool(bool),
    /// `[a, b]`
    List(Vec<Term>),
}

/// An argument of a fact: `within: 10 calls`, or a bare value.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The name, where one is given.
    pub name: Option<Name>,
    /// The value.
    pub value: Expr,
}

/// A test block; its statements are flat runs of terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// What it says.
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
    /// Whether it is `given`; else `expect`.
    pub given: bool,
    /// What follows the word.
    pub terms: Vec<Term>,
    /// The terms that stand behind a comma, by their places in the list.
    pub commas: Vec<usize>,
    /// All of it.
    pub span: Span,
}

/// A stretch that could not be parsed; the reason is a diagnostic. What it would have defined is still known.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// The name that it would have defined.
    pub name: Option<Name>,
    /// The stretch.
    pub span: Span,
}

/// A comment, listed apart from the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Whether it is a `#:` line, which documents the item that follows.
    pub doc: bool,
    /// The text behind `#` or `#:`, trimmed.
    pub text: String,
    /// From the `#` to the end of the line.
    pub span: Span,
}
