//! Checks test blocks: turns flat lists of terms into inputs and expectations.
//!
//! In: the statements of a test, and the policies with their rules. Out: a test case, or all diagnostics of the test.

mod expect;
mod given;
mod run;
mod series;
mod talk;
mod unread;

use std::collections::{HashMap, HashSet};

use smol_str::SmolStr;
use trimtab_base::diagnostic::Diagnostic;
use trimtab_base::source::{Source, Span, Spanned};
use trimtab_syntax::syntax::tree::{self, Item};

use self::run::Run;
use super::checker::{Checker, OwnCondition};
use super::error;
use super::policy::{Agent, Policy, Reading, Rule};
use super::scope::Scope;
use super::test_case::{Expectation, ExpectationKind, TestCase, TestInput};

/// A policy that tests can choose.
struct TestablePolicy<'p> {
    name: SmolStr,
    base: Option<SmolStr>,
    /// The names of its rules, inherited ones too, or `None` if some are unknown.
    rules: Option<Vec<SmolStr>>,
    /// What its rules read.
    reads: Vec<&'p Reading>,
}

/// The policies of a file, among which tests choose.
struct Policies<'k> {
    all: &'k [TestablePolicy<'k>],
    by_name: HashMap<&'k str, &'k TestablePolicy<'k>>,
    /// The policies that no other policy extends.
    leaves: Vec<&'k TestablePolicy<'k>>,
}

impl<'k> Policies<'k> {
    fn of(all: &'k [TestablePolicy<'k>]) -> Self {
        let mut by_name = HashMap::new();
        for policy in all {
            by_name.entry(policy.name.as_str()).or_insert(policy);
        }
        let bases: HashSet<&SmolStr> = all.iter().filter_map(|policy| policy.base.as_ref()).collect();
        Self { all, by_name, leaves: all.iter().filter(|policy| !bases.contains(&policy.name)).collect() }
    }
}

/// The spans of the parts of a test.
#[derive(Default)]
struct Places {
    /// The spans of the inputs.
    given: Vec<(&'static str, Span)>,
}

impl Places {
    fn find(&self, word: &str) -> Option<Span> {
        self.given.iter().find(|(other, _)| *other == word).map(|(_, span)| *span)
    }
}

impl<'a> Checker<'_, 'a> {
    /// Checks the tests of a file. A test with an error is reported and omitted.
    pub(super) fn tests(&mut self, items: &'a [Item], policies: &[Policy]) -> Vec<TestCase> {
        let testable = testable_policies(items, policies);
        let policies = Policies::of(&testable);
        let mut names: HashMap<&str, Span> = HashMap::new();
        let mut cases = Vec::new();
        self.own = OwnCondition::Open;
        self.known.clear();
        (self.lenient, self.rules) = (false, None);
        for item in items {
            let Item::Test(test) = item else { continue };
            if let Some(first) = names.insert(&test.name.value, test.name.span) {
                let name = Spanned::new(test.name.value.as_str().into(), test.name.span);
                self.report(error::name::duplicate("test", &name, first));
            }
            cases.extend(self.case(test, &policies));
        }
        cases
    }

    fn case(&mut self, test: &'a tree::Test, policies: &Policies<'_>) -> Option<TestCase> {
        let before = self.findings.len();
        let (mut given, mut places) = (TestInput::default(), Places::default());
        let policy = self.tested_policy(test, policies);
        for statement in test.statements.iter().filter(|statement| statement.given) {
            self.given(statement, &mut given, &mut places);
        }
        self.check_contradictions(&given, &places);
        let rules = policy.and_then(|policy| policy.rules.as_deref());
        let mut expected = Vec::new();
        for statement in test.statements.iter().filter(|statement| !statement.given) {
            if let Some(claim) = self.expectation(statement, rules) {
                self.is_sent(&claim, &places, statement.span);
                expected.push(Expectation { claim, span: statement.span });
            }
        }
        let is_whole = !test.broken;
        if is_whole && test.statements.iter().all(|statement| statement.given) {
            self.report(error::test::no_expectation(test.name.span));
        } else if is_whole && self.findings.len() == before && given.has_only_facts() && given.length() == 0 {
            self.report(error::test::no_given(test.name.span));
        }
        let is_valid = is_whole && self.findings.len() == before;
        if let Some(policy) = policy.filter(|policy| policy.rules.is_some() && is_valid) {
            self.check_inputs_are_read(&given, &expected, &policy.reads);
        }
        let policy = policy?.name.clone();
        let name = test.name.value.clone();
        let case = TestCase { name, policy, given, expected, head: test.name.span };
        Some(case).filter(|_| is_whole && self.findings.len() == before)
    }

    /// The policy that a test belongs to.
    fn tested_policy<'k>(&mut self, test: &'a tree::Test, policies: &Policies<'k>) -> Option<&'k TestablePolicy<'k>> {
        for statement in test.statements.iter().filter(|statement| statement.given) {
            let mut run = Run::of(statement);
            if run.take("policy") {
                // Its other terms are checked with the other statements.
                let (Some(name), span) = (run.name(), run.last()) else { return None };
                let found = policies.by_name.get(name).copied();
                return found.or_else(|| {
                    let names: Vec<&str> = policies.all.iter().map(|policy| policy.name.as_str()).collect();
                    self.fail(error::test::unknown_policy(span, name, &names))
                });
            }
        }
        match policies.leaves.as_slice() {
            [only] => Some(only),
            [] if test.broken => None,
            several => {
                let names: Vec<&str> = several.iter().map(|policy| policy.name.as_str()).collect();
                self.fail(error::test::which_policy(test.name.span, &names))
            }
        }
    }

    /// Reports an expectation about requests in a test that gives only facts.
    fn is_sent(&mut self, claim: &ExpectationKind, places: &Places, span: Span) {
        let sends = matches!(
            claim,
            ExpectationKind::Context(..)
                | ExpectationKind::Fact(..)
                | ExpectationKind::Total(..)
                | ExpectationKind::Stops(_)
                | ExpectationKind::Invariants
        );
        // Errors in a conversation are reported where they are.
        let is_talk = places.find("conversation").or_else(|| places.find("transcript")).is_some();
        if sends && !is_talk {
            self.report(error::test::unsent(span));
        }
    }
}

/// The policies of a file with the names of their rules. This is the one place where tests look rules up.
fn testable_policies<'p>(items: &[Item], policies: &'p [Policy]) -> Vec<TestablePolicy<'p>> {
    let mut all: Vec<TestablePolicy<'p>> = Vec::new();
    let mut names: HashSet<SmolStr> = policies.iter().map(|policy| policy.name.clone()).collect();
    for policy in policies {
        let rules = policy.rules.iter().map(|rule| rule.name.clone()).collect();
        let reads = policy.rules.iter().flat_map(Rule::readings).collect();
        let (name, base) = (policy.name.clone(), policy.base.clone());
        all.push(TestablePolicy { name, base, rules: Some(rules), reads });
    }
    for item in items {
        let Item::Policy(policy) = item else { continue };
        // A policy with errors: its rules are unknown.
        if names.insert(policy.name.node.clone()) {
            let base = policy.base.as_ref().map(|base| base.node.clone());
            all.push(TestablePolicy { name: policy.name.node.clone(), base, rules: None, reads: Vec::new() });
        }
    }
    all
}

/// Checks an assertion: a source that holds one `expect …`, such as `expect peak context.ratio <= 90%`, and nothing
/// else. `rules` are the rules of the policy, `agent` its host.
///
/// # Errors
/// What is wrong with it.
pub fn assertion(source: &Source, rules: &[SmolStr], agent: &Agent) -> Result<Expectation, Vec<Diagnostic>> {
    let (statement, mut found) = trimtab_syntax::syntax::parse_expectation(source);
    let claim = statement.as_ref().and_then(|statement| {
        let scope = Scope { agent: Some((source.span(), agent.clone())), ..Scope::default() };
        let mut checker = Checker::new(&scope, &[]);
        let claim = checker.expectation(statement, Some(rules));
        found.append(&mut checker.findings);
        claim.map(|claim| Expectation { claim, span: statement.span })
    });
    claim.filter(|_| found.is_empty()).ok_or(found)
}
