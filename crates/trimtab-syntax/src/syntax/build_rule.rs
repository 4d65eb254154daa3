//! Builds policies, rules and clauses from pest's nodes.

use trimtab_base::source::{Span, up_to};

use super::build::{Builder, span_of};
use super::cursor::Cursor;
use super::error;
use super::expected::Context;
use super::grammar::{Pair, Rule};
use super::keyword::Keyword;
use super::scope::{take_scope, take_scope_of_condition};
use super::token;
use super::tree::{
    Broken, Clause, ClauseKind, Disable, EffectCall, Expr, Item, Name, Order, Policy, PolicyItem, Rule as RuleNode,
    Text,
};

/// The head of a policy; without a name if it could not be parsed.
#[derive(Default)]
struct Head {
    name: Option<Name>,
    title: Option<Text>,
    base: Option<Name>,
}

impl Builder<'_> {
    /// A policy, and items that are inside it by mistake.
    pub(super) fn policy(&mut self, pair: Pair<'_>, items: &mut Vec<Item>) {
        let mut span = self.trim(self.span(&pair));
        let mut cursor = Cursor::inside(pair);
        let head = self.policy_head(&mut cursor, span);
        let (mut inside, mut strays, mut end) = (Vec::new(), Vec::new(), None);
        while let Some(pair) = cursor.bump() {
            match pair.as_rule() {
                Rule::rule_item => inside.push(self.rule(pair)),
                Rule::disable => inside.push(self.disable(pair)),
                Rule::broken_rule => self.broken_rule(&pair, &mut inside),
                Rule::closing | Rule::unclosed => end = Some(pair),
                _ => strays.push(self.plain_item(pair)),
            }
        }
        let open = end.as_ref().is_none_or(|end| end.as_rule() == Rule::unclosed);
        let unclosed_rule = open.then(|| self.rule_closed_by_policy(&inside)).flatten();
        match unclosed_rule {
            Some(rule) => {
                self.report_unclosed(rule, "rule");
                span.end = rule.end;
            }
            None => self.check_closed(end.as_ref(), span, "policy"),
        }
        if !open {
            for stray in &strays {
                let word = token::next(self.text, span_of(stray).start as usize);
                let keyword = word.and_then(|word| Some((word, Keyword::from_text(word.text)?)));
                let found = keyword.map(|(word, keyword)| error::misplaced(self.at(word.start, word.end()), keyword));
                self.diagnostics.extend(found);
            }
        }
        items.push(match head.name {
            Some(name) => Item::Policy(Policy { name, title: head.title, base: head.base, items: inside, span }),
            None => Item::Broken(Broken { name: None, span }),
        });
        items.extend(strays);
    }

    fn policy_head(&mut self, cursor: &mut Cursor<'_>, span: Span) -> Head {
        if let Some(broken) = cursor.take(Rule::broken_head) {
            let region = self.at(span.start as usize, self.span(&broken).end as usize);
            let name = self.broken_head(region, Rule::policy_head_alone, Context::PolicyHead);
            return Head { name, ..Head::default() };
        }
        let mut head = Head { name: cursor.take(Rule::name).map(|name| self.name(&name)), ..Head::default() };
        if let Some(title) = cursor.take(Rule::text).or_else(|| cursor.take(Rule::block)) {
            head.title = Some(self.text(&title));
        }
        if let Some(base) = cursor.take(Rule::base) {
            head.base = Cursor::inside(base).bump().map(|name| self.name(&name));
        }
        if cursor.take(Rule::opening).is_none()
            && let Some(missing) = cursor.take(Rule::unopened_policy)
        {
            let line = self.head(span.start as usize);
            self.diagnostics.push(error::unopened(line, self.span(&missing), "policy"));
        }
        head
    }

    /// The last rule of a policy, if its closing brace is at the start of a line and was meant to close the policy.
    fn rule_closed_by_policy(&self, items: &[PolicyItem]) -> Option<Span> {
        let (PolicyItem::Rule(RuleNode { span, .. }) | PolicyItem::Broken(Broken { span, .. })) = items.last()? else {
            return None;
        };
        let first = |at: usize| at == 0 || up_to(self.text, at).ends_with('\n');
        let end = span.end as usize;
        (up_to(self.text, end).ends_with("\n}") && !first(span.start as usize)).then_some(*span)
    }

    fn disable(&mut self, pair: Pair<'_>) -> PolicyItem {
        let span = self.span(&pair);
        let mut cursor = Cursor::inside(pair);
        let name = cursor.take(Rule::name).map(|name| self.name(&name));
        let why = cursor.bump().map(|why| self.text(&why));
        match name {
            Some(name) => PolicyItem::Disable(Disable { name, why, span }),
            None => PolicyItem::Broken(Broken { name: None, span }),
        }
    }

    /// A rule.
    fn rule(&mut self, pair: Pair<'_>) -> PolicyItem {
        let span = self.trim(self.span(&pair));
        let mut cursor = Cursor::inside(pair);
        let sealed = cursor.take(Rule::sealed).map(|word| self.span(&word));
        let overrides = cursor.take(Rule::overriding).map(|word| self.span(&word));
        let name = match cursor.take(Rule::broken_head) {
            Some(broken) => {
                let region = self.at(span.start as usize, self.span(&broken).end as usize);
                self.broken_head(region, Rule::rule_head_alone, Context::RuleHead)
            }
            None => cursor.take(Rule::name).map(|name| self.name(&name)),
        };
        let order = cursor.take(Rule::order).and_then(|order| self.order(order));
        self.rule_brace(&mut cursor, span);
        let clauses = self.clauses(&mut cursor);
        if let Some(end) = cursor.bump() {
            self.check_closed(Some(&end), span, "rule");
        }
        match name {
            Some(name) => PolicyItem::Rule(RuleNode { name, sealed, overrides, order, clauses, span }),
            None => PolicyItem::Broken(Broken { name: None, span }),
        }
    }

    fn rule_brace(&mut self, cursor: &mut Cursor<'_>, span: Span) {
        if cursor.take(Rule::opening).is_none()
            && let Some(missing) = cursor.take(Rule::unopened_rule)
        {
            let line = self.head(span.start as usize);
            self.diagnostics.push(error::unopened(line, self.span(&missing), "rule"));
        }
    }

    fn order(&mut self, pair: Pair<'_>) -> Option<Order> {
        let (span, before) = (self.span(&pair), pair.as_str().starts_with("before"));
        let rule = Cursor::inside(pair).take(Rule::name).map(|name| self.name(&name))?;
        Some(Order { before, rule, span })
    }

    /// The clauses of a rule, up to its closing brace.
    fn clauses(&mut self, cursor: &mut Cursor<'_>) -> Vec<Clause> {
        let mut clauses = Vec::<Clause>::new();
        while let Some(rule) = cursor.rule().filter(|rule| !matches!(rule, Rule::closing | Rule::unclosed_rule)) {
            let Some(pair) = cursor.bump() else { break };
            if rule == Rule::broken_clause {
                let span = self.trimmed(&pair);
                let is_list = |last: &Clause| matches!(last.kind, ClauseKind::Do(_)) && self.lists_effects(span);
                let joined = clauses.pop_if(|last| self.continues(last.span, span) || is_list(last));
                clauses.extend(self.broken_clause(joined.map(|clause| clause.span), span));
            } else {
                clauses.push(self.clause(pair, rule));
            }
        }
        clauses
    }

    /// A clause; it is broken if one of its literals has no value. Its node starts after the keyword.
    fn clause(&mut self, pair: Pair<'_>, rule: Rule) -> Clause {
        let (keyword_end, end) = (pair.as_span().start(), pair.as_span().end());
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let before = up_to(self.patched.text(), keyword_end).bytes().rev();
        let start = keyword_end - before.take_while(is_word).count();
        let (first, span) = (self.place(start, keyword_end), self.place(start, end));
        self.has_bad_literal = false;
        let kind = self.clause_kind(&mut Cursor::inside(pair), rule).filter(|_| !self.has_bad_literal);
        let (kind, scope) = kind.unwrap_or((ClauseKind::Broken(Broken { name: None, span }), None));
        Clause { kind, scope, word: first, span }
    }

    /// The kind of a clause and the scope behind it.
    fn clause_kind(&mut self, cursor: &mut Cursor<'_>, rule: Rule) -> Option<(ClauseKind, Option<Name>)> {
        if let Some((take, kind)) = scoped(rule) {
            let (value, scope) = take(self.chain(cursor)?);
            return Some((kind(value), scope));
        }
        Some(match rule {
            Rule::once => match cursor.bump() {
                None => (ClauseKind::Once, None),
                Some(scope) if scope.as_rule() == Rule::scope => {
                    (ClauseKind::Once, Cursor::inside(scope).bump().map(|name| self.name(&name)))
                }
                Some(rest) => return self.clause_kind(&mut Cursor::inside(rest.clone()), rest.as_rule()),
            },
            _ => (self.other_clause(cursor, rule)?, None),
        })
    }

    /// The kind of a clause that has no scope.
    fn other_clause(&mut self, cursor: &mut Cursor<'_>, rule: Rule) -> Option<ClauseKind> {
        Some(match rule {
            Rule::when => ClauseKind::When(self.chain(cursor)?),
            Rule::effects => ClauseKind::Do(self.effects(cursor)),
            Rule::phase => ClauseKind::On(self.name(&cursor.bump()?)),
            Rule::unless => ClauseKind::Unless(self.chain(cursor)?),
            Rule::no => ClauseKind::No(self.name(&cursor.bump()?)),
            Rule::confirm => {
                self.interpolates = true;
                let terms = self.terms(cursor);
                self.interpolates = false;
                ClauseKind::Confirm(terms.into_iter().next()?)
            }
            Rule::on_failure => {
                self.interpolates = true;
                let terms = self.terms(cursor);
                self.interpolates = false;
                ClauseKind::OnFailure(terms, self.effects(cursor).into_iter().next())
            }
            _ => return None,
        })
    }

    fn effects(&mut self, cursor: &mut Cursor<'_>) -> Vec<EffectCall> {
        self.interpolates = true;
        let mut effects = Vec::with_capacity(1);
        while let Some(pair) = cursor.take(Rule::effect) {
            let span = self.span(&pair);
            let mut inner = Cursor::inside(pair);
            let Some(name) = inner.bump().map(|name| self.name(&name)) else { break };
            effects.push(EffectCall { name, terms: self.terms(&mut inner), span });
        }
        self.interpolates = false;
        effects
    }
}

/// Takes the scope from the value of a guard.
type TakeScope = fn(Expr) -> (Expr, Option<Name>);
/// Makes a clause of the value of a guard.
type MakeClause = fn(Expr) -> ClauseKind;

/// Returns how the scope is taken from the value of a guard, and the kind of its clause, or `None` for other clauses.
fn scoped(rule: Rule) -> Option<(TakeScope, MakeClause)> {
    Some(match rule {
        Rule::once_per => (take_scope, ClauseKind::OncePer),
        Rule::once_until => (take_scope_of_condition, ClauseKind::OnceUntil),
        Rule::until => (take_scope_of_condition, ClauseKind::Until),
        Rule::every => (take_scope, ClauseKind::Every),
        Rule::cooldown => (take_scope, ClauseKind::Cooldown),
        Rule::limit => (take_scope, ClauseKind::Limit),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse::tests::{clauses, messages, policy_items};
    use super::*;

    #[test]
    fn reserved_words_cannot_be_names() {
        for word in Keyword::all().map(Keyword::text) {
            let expected = [format!("1 E109 `{word}` is a reserved word")];
            assert_eq!(messages(&format!("policy p {{ rule {word} {{ do x }} }}")), expected);
            assert_eq!(messages(&format!("policy {word} {{ rule a {{ do x }} }}")), expected);
            assert_eq!(messages(&format!("let {word} = 5")), expected);
        }
    }

    #[test]
    fn reserved_words_are_allowed_in_lists_and_as_parts_of_names() {
        for word in Keyword::all().map(Keyword::text) {
            for text in [
                format!("policy p {{ rule {word}s {{ do x only [a, {word}, {word}: 5] }} }}"),
                format!("policy p {{ rule a_{word} {{ when host.{word} in [{word}] do {word}_ }} }}"),
                format!("agent {{ tools [{word}, {word}-x/y.*] }}"),
            ] {
                assert_eq!(messages(&text), Vec::<String>::new(), "{text}");
            }
        }
    }

    #[test]
    fn reserved_words_are_not_terms_of_an_effect() {
        // `once` is a complete clause; `true` and `false` are values.
        for word in Keyword::all().map(Keyword::text).filter(|word| !["once", "true", "false"].contains(word)) {
            let items = messages(&format!("policy p {{ rule a {{ do x {word} {word} }} }}"));
            assert!(!items.is_empty(), "{word}");
        }
    }

    #[test]
    fn the_head_of_a_rule_is_read() {
        let text = "policy p \"t\" extends q { sealed override rule a after b { do x } override rule c { no when } \
            disable rule d \"why\" disable rule e rule f before g { } }";
        let items = policy_items(text);
        let [
            PolicyItem::Rule(first),
            PolicyItem::Rule(second),
            PolicyItem::Disable(why),
            PolicyItem::Disable(bare),
            PolicyItem::Rule(last),
        ] = items.as_slice()
        else {
            unreachable!("five items: {items:#?}")
        };
        assert!(first.sealed.is_some() && first.overrides.is_some());
        assert!(second.sealed.is_none() && second.overrides.is_some());
        assert!(matches!(&first.order, Some(order) if !order.before && order.rule.node == "b"));
        assert!(matches!(&last.order, Some(order) if order.before && order.rule.node == "g"));
        assert!(why.why.as_ref().is_some_and(|why| why.value == "why") && bare.why.is_none());
        assert!(last.clauses.is_empty());
    }

    #[test]
    fn each_clause_is_parsed_as_its_kind() {
        let all = clauses(
            "on reply when a unless b once once per c once until d until e every 5 iterations cooldown 3 limit 2 \
             confirm \"x\" no confirm no on no when no unless no do no on_failure no once no until no every no cooldown no limit",
        );
        let kinds: String = all
            .iter()
            .map(|clause| match &clause.kind {
                ClauseKind::On(_) => 'o',
                ClauseKind::When(_) => 'w',
                ClauseKind::Unless(_) => 'u',
                ClauseKind::Do(_) => 'd',
                ClauseKind::Confirm(_) => 'q',
                ClauseKind::OnFailure(..) => 'f',
                ClauseKind::Once => '1',
                ClauseKind::OncePer(_) => 'p',
                ClauseKind::OnceUntil(_) => 't',
                ClauseKind::Until(_) => 'U',
                ClauseKind::Every(_) => 'e',
                ClauseKind::Cooldown(_) => 'c',
                ClauseKind::Limit(_) => 'l',
                ClauseKind::No(_) => 'n',
                ClauseKind::Broken(_) => '!',
            })
            .collect();
        assert_eq!(kinds, "owu1ptUeclqnnnnnnnnnnn");
    }

    #[test]
    fn a_clause_has_the_spans_of_its_keyword_and_of_itself() {
        let all = clauses("when  a > 3  # no\n do x  once  ");
        let spans: Vec<_> = all.iter().map(|clause| (clause.word.start, clause.word.end, clause.span.end)).collect();
        assert_eq!(spans, [(20, 24, 31), (39, 41, 43), (45, 49, 49)]);
    }

    #[test]
    fn no_is_an_ordinary_word_unless_a_clause_keyword_follows() {
        let all = clauses("do x no y no when");
        assert!(matches!(&all[0].kind, ClauseKind::Do(effects) if effects[0].terms.len() == 2));
        assert!(matches!(&all[1].kind, ClauseKind::No(name) if name.node == "when"));
    }
}
