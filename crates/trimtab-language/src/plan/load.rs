//! Makes plans from their JSON form.
//!
//! The JSON becomes the syntax tree of a policy, which is checked and lowered like any other, so that every rule of the
//! checker holds for loaded plans too. Spans of the tree are places in the JSON, so that an error of the checker names
//! one. The plan must have the same JSON form again; nothing in the text is ignored.

mod action;
mod agent;
mod condition;
mod error;
mod expression;
mod json;
mod never;
mod node;
mod rule;

use serde_json::Value as Json;
use trimtab_base::diagnostic::Severity;
use trimtab_base::source::{SourceId, Spanned};
use trimtab_syntax::syntax::spans;
use trimtab_syntax::syntax::tree::{Edition, File, Item, Policy, Prompt};

use super::difference::{Difference, differences};
use super::form::SCHEMA_VERSION;
use super::{Plan, lower};
use crate::check::{self, SourceUnit};
pub use error::PlanLoadError;
pub(super) use json::parse as parse_json;
use node::{Node, Places};

/// The edition whose rules a plan of this version follows.
const EDITION: u32 = 2026;

/// The plan of a JSON text.
pub(super) fn load(text: &str) -> Result<Plan, PlanLoadError> {
    let json = json::parse(text).map_err(PlanLoadError::NotJson)?;
    let places = Places::of(&json);
    let root = Node::root(&json, &places);
    check_version(&root)?;
    let recorded = root.attempt(root.need("hash").and_then(|hash| hash.text()));
    let title = root.attempt(root.need("title").and_then(|title| title.maybe(Node::text)));
    let file = root.attempt(file(&root));
    places.check()?;
    let (Some(recorded), Some(title), Some((file, name))) = (recorded, title, file) else {
        return Err(PlanLoadError::invalid(String::new(), "this is not a valid policy"));
    };
    let mut plan = lower_file(file, &name, &places)?;
    plan.title = title.map(str::to_owned);
    compare(&json, &plan)?;
    if recorded == plan.hash {
        return Ok(plan);
    }
    Err(PlanLoadError::WrongHash { recorded: recorded.to_owned(), actual: plan.hash })
}

fn check_version(root: &Node<'_>) -> Result<(), PlanLoadError> {
    let version = root.need("schema_version")?;
    if version.json == &Json::from(SCHEMA_VERSION) {
        return Ok(());
    }
    Err(PlanLoadError::UnknownVersion { found: version.json.to_string(), known: SCHEMA_VERSION })
}

/// The syntax tree of a file with this policy, and the name of the policy. Parts with errors are missing.
fn file(root: &Node<'_>) -> Result<(File, String), PlanLoadError> {
    let span = root.span();
    let mut items = vec![Item::Edition(Edition { year: Spanned::new(EDITION, span), span })];
    let agent = root.attempt(root.need("agent").and_then(|agent| agent::agent(&agent)));
    items.extend(agent.flatten().map(Item::Agent));
    let mut prompts = Vec::new();
    let rules = root.attempt(root.need("rules").and_then(|rules| rules.list())).unwrap_or_default();
    let rules = rules.iter().filter_map(|one| one.attempt(rule::rule(one, &mut prompts))).collect();
    items.extend(prompts.into_iter().map(|prompt: Prompt| Item::Prompt(prompt)));
    let place = root.need("policy")?;
    let text = place.name()?;
    let name = Spanned::new(text.into(), place.span());
    items.push(Item::Policy(Policy { name, title: None, base: None, items: rules, span }));
    Ok((File { source: SourceId::default(), items }, text.to_owned()))
}

/// Checks a file and lowers its policy.
fn lower_file(file: File, policy: &str, places: &Places) -> Result<Plan, PlanLoadError> {
    let (_, findings) = check::check_all(&[SourceUnit { file: &file, uses: &[] }]);
    let errors = findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    let errors = errors.map(|finding| PlanLoadError::invalid(places.path(finding.primary.span), finding.message));
    PlanLoadError::all(errors.collect())?;
    // The places are not places in a source.
    let file = spans::without_spans(file);
    let (checked, _) = check::check_all(&[SourceUnit { file: &file, uses: &[] }]);
    let plan = checked.and_then(|checked| lower(&checked, Some(policy)).ok());
    plan.ok_or_else(|| PlanLoadError::invalid(String::new(), "this is not a valid policy"))
}

/// Fails if the JSON contains something that the plan does not have, or has in another form.
fn compare(json: &Json, plan: &Plan) -> Result<(), PlanLoadError> {
    let mut found = differences(json, &plan.json());
    found.retain(|one| one.path != "hash");
    let error = |one: Difference| {
        let message = match (one.before, one.after) {
            (Some(_), None) => "nothing is expected here".to_owned(),
            (None, Some(wanted)) => format!("missing, expected {wanted}"),
            (Some(before), Some(wanted)) => format!("expected {wanted}, found {before}"),
            (None, None) => "unexpected".to_owned(),
        };
        PlanLoadError::invalid(one.path, message)
    };
    PlanLoadError::all(found.into_iter().map(error).collect())
}
