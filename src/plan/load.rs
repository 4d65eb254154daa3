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
mod node;
mod rule;
mod split;

use serde_json::Value as Json;

pub use error::PlanLoadError;
pub(super) use json::parse as parse_json;

use super::difference::differences;
use super::form::SCHEMA_VERSION;
use super::{Plan, lower};
use crate::check::{self, SourceUnit};
use crate::diagnostic::Severity;
use crate::source::{SourceId, Spanned};
use crate::syntax::spans;
use crate::syntax::tree::{Edition, File, Item, Policy, Prompt};
use node::{Node, Places};

/// The edition whose rules a plan of this version follows.
const EDITION: u32 = 2026;

/// The plan of a JSON text.
pub(super) fn load(text: &str) -> Result<Plan, PlanLoadError> {
    let json = json::parse(text).map_err(PlanLoadError::NotJson)?;
    let places = Places::default();
    let root = Node::root(&json, &places);
    check_version(&root)?;
    let recorded = root.need("hash")?.text()?;
    let title = root.need("title")?.maybe(Node::text)?;
    let name = root.need("policy")?;
    let mut plan = lower_file(file(&root)?, name.name()?, &places)?;
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

/// The syntax tree of a file with this policy.
fn file(root: &Node<'_>) -> Result<File, PlanLoadError> {
    let span = root.span();
    let mut items = vec![Item::Edition(Edition { year: Spanned::new(EDITION, span), span })];
    items.extend(agent::agent(&root.need("agent")?)?.map(Item::Agent));
    let mut prompts = Vec::new();
    let rules =
        root.need("rules")?.list()?.iter().map(|one| rule::rule(one, &mut prompts)).collect::<Result<_, _>>()?;
    items.extend(prompts.into_iter().map(|prompt: Prompt| Item::Prompt(prompt)));
    let name = root.need("policy")?;
    let name = Spanned::new(name.name()?.into(), name.span());
    items.push(Item::Policy(Policy { name, title: None, base: None, items: rules, span }));
    Ok(File { source: SourceId::default(), items })
}

/// Checks a file and lowers its policy.
fn lower_file(file: File, policy: &str, places: &Places) -> Result<Plan, PlanLoadError> {
    let (_, findings) = check::check_all(&[SourceUnit { file: &file, uses: &[] }]);
    if let Some(finding) = findings.into_iter().find(|finding| finding.severity == Severity::Error) {
        return Err(PlanLoadError::invalid(places.path(finding.primary.span), finding.message));
    }
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
    let Some(first) = found.into_iter().next() else { return Ok(()) };
    let message = match (first.before, first.after) {
        (Some(_), None) => "nothing is expected here".to_owned(),
        (None, Some(wanted)) => format!("missing, expected {wanted}"),
        (Some(before), Some(wanted)) => format!("expected {wanted}, found {before}"),
        (None, None) => "unexpected".to_owned(),
    };
    Err(PlanLoadError::invalid(first.path, message))
}
