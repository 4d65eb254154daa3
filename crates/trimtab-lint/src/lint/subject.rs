//! The subject of lints: a checked file with its syntax tree, and cached analyses of its rules.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, grouped};
use trimtab_base::source::{Source, SourceFormat, SourceId, Span, Spanned};
use trimtab_language::check::{CheckedFile, Policy, Rule};
use trimtab_language::condition::{Assumptions, Decision, decide};
use trimtab_syntax::syntax::tree::{self, Comment, Expr, File, Item, Operator, PolicyItem};
use trimtab_syntax::syntax::walk;

use super::analysis::threshold::{Room, Threshold};
use super::analysis::used_name::Names;
use super::option::{LintOption, OptionValues};

/// A checked file with its syntax tree.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The text.
    pub source: &'a Source,
    /// Its tree.
    pub file: &'a File,
    /// Its comments.
    pub comments: &'a [Comment],
    /// The checked policies.
    pub checked: &'a CheckedFile,
    options: &'a OptionValues,
    trees: HashMap<Span, &'a tree::Rule>,
    /// The span of the name of each policy, by the span of the policy.
    policy_names: HashMap<Span, Span>,
    decisions: OnceCell<Decisions>,
    names: OnceCell<Names>,
    expressions: Vec<&'a Expr>,
    /// The indices of comparisons by span; the innermost if several have the same span.
    comparisons: OnceCell<HashMap<Span, usize>>,
}

/// A part of the text of a file that can only be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Quote<'a>(&'a str);

impl fmt::Display for Quote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A part of the text of a file without its formatting, which can only be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spelling(String);

/// The decisions on the conditions of the rules of a file.
#[derive(Debug, Default)]
struct Decisions {
    all: Vec<Decision>,
    /// The index of each rule's decision.
    indices: HashMap<RuleKey, usize>,
}

/// Identifies a rule of a file. In YAML, several rules can share a span, and an override can replace the condition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RuleKey {
    span: Span,
    name: SmolStr,
    last_override: Option<Span>,
}

impl RuleKey {
    fn of(rule: &Rule) -> Self {
        let last_override = rule.origin.overrides.last().map(|over| over.span);
        Self { span: rule.span, name: rule.name.clone(), last_override }
    }
}

impl Decisions {
    fn of(&self, rule: &Rule) -> Option<&Decision> {
        self.indices.get(&RuleKey::of(rule)).and_then(|at| self.all.get(*at))
    }
}

impl<'a> Subject<'a> {
    /// Creates the subject from a checked file with its tree and comments.
    pub fn new(
        source: &'a Source,
        file: &'a File,
        comments: &'a [Comment],
        checked: &'a CheckedFile,
        options: &'a OptionValues,
    ) -> Self {
        let policies = file.items.iter().filter_map(|item| match item {
            Item::Policy(policy) => Some(policy),
            _ => None,
        });
        let policy_names = policies.clone().map(|policy| (policy.span, policy.name.span)).collect();
        let rules = policies.flat_map(|policy| &policy.items).filter_map(|item| match item {
            PolicyItem::Rule(rule) => Some((rule.span, rule)),
            _ => None,
        });
        Self {
            source,
            file,
            comments,
            checked,
            options,
            trees: rules.collect(),
            policy_names,
            decisions: OnceCell::new(),
            names: OnceCell::new(),
            expressions: walk::expressions(|each| walk::file(file, each)),
            comparisons: OnceCell::new(),
        }
    }

    /// The value of an option of a lint, or its default.
    pub fn option(&self, option: &'static LintOption) -> Decimal {
        self.options.get(option)
    }

    /// The rules that are written or overridden in this file, with their policies, in order. Other inherited rules are checked
    /// in the file that contains them.
    pub fn rules(&self) -> impl Iterator<Item = (&'a Policy, &'a Rule)> + use<'a> {
        let own = self.source.id();
        let policies = self.checked.policies.iter();
        policies.flat_map(move |policy| own_rules(policy, own).map(move |rule| (policy, rule)))
    }

    /// The rules of a policy that are written or overridden in this file, in order.
    pub fn rules_of<'p>(&self, policy: &'p Policy) -> impl Iterator<Item = &'p Rule> + use<'p> {
        own_rules(policy, self.source.id())
    }

    /// The tree of a rule that is written in this file, or of its last override.
    pub fn tree(&self, rule: &Rule) -> Option<&'a tree::Rule> {
        self.trees_of(rule).next()
    }

    /// The clauses of a rule that are written in this file, those of its last override first. A clause that an override
    /// replaces is among them.
    pub fn clauses(&self, rule: &Rule) -> impl Iterator<Item = &'a tree::Clause> {
        self.trees_of(rule).flat_map(|tree| &tree.clauses)
    }

    fn trees_of(&self, rule: &Rule) -> impl Iterator<Item = &'a tree::Rule> {
        let spans = rule.origin.overrides.iter().rev().map(|over| over.span).chain([rule.span]);
        spans.filter_map(|span| self.trees.get(&span).copied())
    }

    /// The span of the name of a rule that is written in this file, or of its last override.
    pub fn head(&self, rule: &Rule) -> Span {
        self.tree(rule).map_or(rule.head, |tree| tree.name.span)
    }

    /// How many policies are written in this file.
    pub fn policies(&self) -> usize {
        self.policy_names.len()
    }

    /// The span of the name of a policy; of the whole policy, if it is not written in this file.
    pub fn policy_name(&self, policy: &Policy) -> Span {
        self.policy_names.get(&policy.span).copied().unwrap_or(policy.span)
    }

    /// The tree of the rule with this span.
    pub fn tree_at(&self, span: Span) -> Option<&'a tree::Rule> {
        self.trees.get(&span).copied()
    }

    /// The names that the file uses.
    pub(crate) fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(self.file))
    }

    /// All expressions of the file, in the order written.
    pub fn expressions(&self) -> impl Iterator<Item = &'a Expr> {
        self.expressions.iter().copied()
    }

    /// The comparison with this span: its left side, its operator and its right side.
    pub fn comparison(&self, span: Span) -> Option<(&'a Expr, &'a Spanned<Operator>, &'a Expr)> {
        let known = self.comparisons.get_or_init(|| {
            let all = self.expressions().enumerate().filter(|(_, expr)| expr.comparison().is_some());
            all.map(|(at, expr)| (expr.span, at)).collect()
        });
        known.get(&span).and_then(|at| self.expressions[*at].comparison())
    }

    /// Whether the source is in the policy language and not in YAML, which cannot express pins, guards and conditions on the
    /// current size of the context.
    pub fn is_policy_source(&self) -> bool {
        self.source.format() == SourceFormat::Policy
    }

    /// The text of a span, for messages and for new text in fixes. It can be printed, but not examined.
    pub fn quote(&self, span: Span) -> Quote<'a> {
        // A clause that is inherited from another file.
        let is_own = span.source == self.source.id();
        Quote(if is_own { self.source.slice(span) } else { "…" })
    }

    /// The spelling of a span. Whitespace is ignored, unless the span contains a text in quotes.
    pub(crate) fn spelling(&self, span: Span) -> Spelling {
        let text = self.source.slice(span);
        let is_literal = text.contains('"');
        Spelling(if is_literal { text.to_owned() } else { text.split_whitespace().collect::<Vec<_>>().join(" ") })
    }

    /// The text of a span of this file, for lints about text and for fixes.
    pub fn text(&self, span: Span) -> &'a str {
        self.source.slice(span)
    }

    /// The window of the agent block, or that of its model.
    pub fn window(&self) -> Option<u64> {
        let agent = &self.checked.agent;
        let of_model =
            || agent.model.as_ref().and_then(|model| agent.models.find(&model.node)).map(|model| model.window);
        agent.window.map(|window| window.node).or_else(of_model).filter(|&window| window > 0)
    }

    /// What is known about the host when a rule is evaluated.
    pub fn assumptions(&self, rule: &Rule) -> Assumptions {
        Assumptions::of(&self.checked.agent, rule.phase)
    }

    /// A note with the assumptions of a proof: the window or the reserve of the `agent` block, which `--window` or a
    /// profile can replace. Returns `None` if the proof does not need them.
    pub fn assumed(&self, rule: &Rule, is_proved: impl Fn(&Assumptions) -> bool) -> Option<String> {
        let assumptions = self.assumptions(rule);
        let tokens = |tokens: u64| format!("{} tokens", grouped(Decimal::from(tokens)));
        let needed = |other: Assumptions| other != assumptions && !is_proved(&other);
        let window = assumptions.window.filter(|_| needed(Assumptions { window: None, ..assumptions.clone() }));
        let reserve = assumptions.reserve.filter(|_| needed(Assumptions { reserve: None, ..assumptions.clone() }));
        let named = [
            window.map(|size| format!("a window of {}", tokens(size))),
            reserve.map(|size| format!("a reserve of {}", tokens(size))),
        ];
        let named: Vec<String> = named.into_iter().flatten().collect();
        (!named.is_empty()).then(|| format!("assumes {}; `--window` or a profile can replace it", named.join(" and ")))
    }

    /// Whether the condition of a rule of this file can hold and can fail.
    pub fn decision(&self, rule: &Rule) -> Option<&Decision> {
        self.decisions.get_or_init(|| self.decide_all()).of(rule)
    }

    /// Whether the condition of a rule of this file always holds, at least once the window is known.
    pub fn always_holds(&self, rule: &Rule) -> bool {
        matches!(self.decision(rule), Some(Decision::Always))
    }

    /// Whether the condition of a rule of this file can hold.
    pub fn can_hold(&self, rule: &Rule) -> bool {
        matches!(self.decision(rule), Some(Decision::Always | Decision::Sometimes { .. }))
    }

    /// The decisions on all rules; conditions with the same text in one phase are analysed once.
    fn decide_all(&self) -> Decisions {
        let mut alike: HashMap<(&'static str, [Quote<'_>; 2]), usize> = HashMap::new();
        let mut decisions = Decisions::default();
        for (_, rule) in self.rules() {
            let mut decide = || {
                decisions.all.push(decide(&rule.condition, &self.assumptions(rule)));
                decisions.all.len() - 1
            };
            let at = match self.condition_source(rule) {
                Some(text) => *alike.entry((rule.phase.word(), text)).or_insert_with(decide),
                None => decide(),
            };
            decisions.indices.insert(RuleKey::of(rule), at);
        }
        decisions
    }

    /// The source of a rule's `when` and `unless`. `None` if a clause is inherited from another file, where the same text may
    /// have another meaning, and in YAML, where rules have no clauses.
    pub fn condition_source(&self, rule: &Rule) -> Option<[Quote<'a>; 2]> {
        if !self.is_policy_source() {
            return None;
        }
        let clause = |word| match rule.clause(word) {
            Some(span) if span.source != self.source.id() => None,
            Some(span) => Some(self.quote(span)),
            None => Some(Quote("")),
        };
        Some([clause("when")?, clause("unless")?])
    }

    /// The rules of a policy by phase, in order.
    pub fn phases(policy: &Policy) -> BTreeMap<&'static str, Vec<&Rule>> {
        let mut phases: BTreeMap<&'static str, Vec<&Rule>> = BTreeMap::new();
        for rule in &policy.rules {
            phases.entry(rule.phase.word()).or_default().push(rule);
        }
        phases
    }

    /// The smallest size of the context at which a rule can be due.
    pub fn threshold(&self, rule: &'a Rule) -> Option<Threshold<'a>> {
        Threshold::least(&rule.condition, self.room())
    }

    /// The largest size of the context at which a rule can be due.
    pub fn ceiling(&self, rule: &'a Rule) -> Option<Threshold<'a>> {
        Threshold::most(&rule.condition, self.room())
    }

    /// The window, and what the host keeps free of it.
    pub(crate) fn room(&self) -> Room {
        Room::of(&self.checked.agent, self.window())
    }
}

fn own_rules(policy: &Policy, own: SourceId) -> impl Iterator<Item = &Rule> {
    let overridden = move |rule: &Rule| rule.origin.overrides.iter().any(|over| over.span.source == own);
    policy.rules.iter().filter(move |rule| rule.span.source == own || overridden(rule))
}
