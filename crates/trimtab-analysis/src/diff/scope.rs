//! Comparison of rules whose guards have different scopes.

use trimtab_language::check::{Guard, Rule, RuleGuard};
use trimtab_language::fact::Scope;
use trimtab_language::plan::meaning;

use super::Fires;

/// Returns how far back all guards of two rules remember, or `None` if some remember the run and others the session.
pub(super) fn common(old: &Rule, new: &Rule) -> Option<Scope> {
    let mut scopes = old.guards.iter().chain(&new.guards).map(|guard| guard.scope);
    let first = scopes.next().unwrap_or_default();
    scopes.all(|scope| scope == first).then_some(first)
}

/// When the second of two rules fires, compared with the first, if only the scopes of their guards differ.
pub(super) fn compare(old: &Rule, new: &Rule) -> Fires {
    let undecided = || "guards of the run and of the session are compared only if nothing else differs".to_owned();
    let (mut first, mut second) = (meaning(old), meaning(new));
    let is_same = ["condition", "unless"].iter().all(|part| first[part] == second[part]);
    let bare = |rule: &mut serde_json::Value| {
        let guards = rule["guards"].as_array_mut();
        guards.into_iter().flatten().for_each(without_scope);
    };
    bare(&mut first);
    bare(&mut second);
    // One more firing raises the value that `once per` compares.
    let depends_on_firings =
        new.guards.len() > 1 && new.guards.iter().any(|guard| matches!(guard.node, Guard::OncePer(_)));
    if !is_same || first["guards"] != second["guards"] || depends_on_firings {
        return Fires::Undecided(undecided());
    }
    let pairs = new.guards.iter().filter_map(|guard| Some((counterpart(old, guard)?, guard)));
    pairs.map(|(old, new)| compare_guards(old, new)).fold(Fires::Same, Fires::and)
}

/// Removes the scope from a guard of a plan.
fn without_scope(guard: &mut serde_json::Value) {
    if let Some(parts) = guard.as_object_mut() {
        parts.remove("in");
        if parts.contains_key("once") {
            *guard = "once".into();
        }
    }
}

/// The guard of the same kind.
fn counterpart<'r>(rule: &'r Rule, guard: &RuleGuard) -> Option<&'r RuleGuard> {
    let kind = std::mem::discriminant(&guard.node);
    rule.guards.iter().find(|other| std::mem::discriminant(&other.node) == kind)
}

/// Compares guards that differ at most in their scopes.
fn compare_guards(old: &RuleGuard, new: &RuleGuard) -> Fires {
    match (old.scope, new.scope) {
        (Scope::Run, Scope::Session) => over_session(&old.node),
        (Scope::Session, Scope::Run) => over_session(&old.node).reversed(),
        _ => Fires::Same,
    }
}

/// When a rule fires if a guard remembers the session, compared with the run.
fn over_session(guard: &Guard) -> Fires {
    match guard {
        Guard::Once | Guard::OnceUntil(_) | Guard::Limit(_) => {
            Fires::Less("it has fired in an earlier run of the session".to_owned())
        }
        Guard::OncePer(reading) => {
            Fires::Less(format!("{} was as high when it fired in an earlier run of the session", reading.name()))
        }
        Guard::Cooldown(_) => Fires::Less("it fired shortly before the end of an earlier run".to_owned()),
        Guard::Until(_) => Fires::More("its condition held in an earlier run of the session".to_owned()),
        Guard::Every(every) => Fires::Incomparable(
            format!("iteration {every} of the session is none of these iterations of its run"),
            format!("iteration = {every} is none of these iterations of the session"),
        ),
    }
}
