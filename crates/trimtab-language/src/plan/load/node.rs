//! A value of a JSON text with its place.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::Value as Json;
use trimtab_base::quantity::Decimal;
use trimtab_base::source::{SourceId, Span, Spanned};
use trimtab_syntax::syntax::{self, tree::Name};

use super::PlanLoadError;
use crate::fact::{self, Fact, host_type};
use crate::plan::difference;

/// What is known of the values that a tree is made from.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Their paths; a span is an index into them.
    paths: RefCell<Vec<String>>,
    /// The errors so far.
    errors: RefCell<Vec<PlanLoadError>>,
    /// The facts that the plan declares, by name.
    facts: HashMap<String, &'static Fact>,
}

impl Places {
    /// Nothing is known but the facts that the plan declares.
    pub(super) fn of(plan: &Json) -> Self {
        let declared = plan["agent"]["facts"].as_array().into_iter().flatten();
        let fact = |fact: &Json| {
            let fact_type = host_type(fact["type"].as_str()?)?;
            Some((fact["name"].as_str()?.to_owned(), Fact::of_host(fact_type, !fact["default"].is_null())?))
        };
        Self { facts: declared.filter_map(fact).collect(), ..Self::default() }
    }

    /// The fact that a plan names.
    fn fact(&self, name: &str) -> Option<&'static Fact> {
        match fact::host_fact_name(name) {
            Some(name) => self.facts.get(name).copied(),
            None => fact::find(name).filter(|fact| !fact.is_host()),
        }
    }

    /// The path that a span stands for.
    pub(super) fn path(&self, span: Span) -> String {
        let at = usize::try_from(span.start).unwrap_or(usize::MAX);
        self.paths.borrow().get(at).cloned().unwrap_or_default()
    }

    /// Fails with all errors so far.
    pub(super) fn check(&self) -> Result<(), PlanLoadError> {
        PlanLoadError::all(self.errors.take())
    }
}

/// A value with its place.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub(super) json: &'a Json,
    path: String,
    places: &'a Places,
}

impl<'a> Node<'a> {
    pub(super) const fn root(json: &'a Json, places: &'a Places) -> Self {
        Self { json, path: String::new(), places }
    }

    /// The fact that the plan names at a place.
    pub(super) fn fact(&self, name: &str) -> Option<&'static Fact> {
        self.places.fact(name)
    }

    /// A span that stands for the path of this value.
    pub(super) fn span(&self) -> Span {
        let mut paths = self.places.paths.borrow_mut();
        if paths.last() != Some(&self.path) {
            paths.push(self.path.clone());
        }
        let at = paths.len() - 1;
        Span::new(SourceId::default(), at, at)
    }

    /// What was read; nothing if there is an error, which is kept so that reading can continue.
    pub(super) fn attempt<T>(&self, read: Result<T, PlanLoadError>) -> Option<T> {
        read.map_err(|error| self.places.errors.borrow_mut().push(error)).ok()
    }

    /// An error at this place.
    pub(super) fn error(&self, message: impl Into<String>) -> PlanLoadError {
        PlanLoadError::invalid(self.path.clone(), message)
    }

    /// A value of another type than this one was expected.
    fn wrong_type(&self, wanted: &str) -> PlanLoadError {
        let found = match self.json {
            Json::Null => "null",
            Json::Bool(_) => "true or false",
            Json::Number(_) => "a number",
            Json::String(_) => "a string",
            Json::Array(_) => "a list",
            Json::Object(_) => "an object",
        };
        self.error(format!("expected {wanted}, found {found}"))
    }

    /// The value of a key, if it is there.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let json = self.json.get(key)?;
        Some(Self { json, path: difference::key(&self.path, key), places: self.places })
    }

    /// The value of a key of this object.
    pub(super) fn need(&self, key: &str) -> Result<Self, PlanLoadError> {
        if !self.json.is_object() {
            return Err(self.wrong_type("an object"));
        }
        self.get(key).ok_or_else(|| PlanLoadError::invalid(difference::key(&self.path, key), "missing"))
    }

    /// The entries of an object in order.
    pub(super) fn entries(&self) -> Result<Vec<(&'a str, Self)>, PlanLoadError> {
        let object = self.json.as_object().ok_or_else(|| self.wrong_type("an object"))?;
        let entry = |(key, json): (&'a String, &'a Json)| {
            (key.as_str(), Self { json, path: difference::key(&self.path, key), places: self.places })
        };
        Ok(object.iter().map(entry).collect())
    }

    /// The elements of a list.
    pub(super) fn list(&self) -> Result<Vec<Self>, PlanLoadError> {
        let list = self.json.as_array().ok_or_else(|| self.wrong_type("a list"))?;
        let element = |(at, json)| Self { json, path: difference::index(&self.path, at), places: self.places };
        Ok(list.iter().enumerate().map(element).collect())
    }

    pub(super) fn text(&self) -> Result<&'a str, PlanLoadError> {
        self.json.as_str().ok_or_else(|| self.wrong_type("a string"))
    }

    pub(super) fn truth(&self) -> Result<bool, PlanLoadError> {
        self.json.as_bool().ok_or_else(|| self.wrong_type("true or false"))
    }

    pub(super) fn whole(&self) -> Result<u64, PlanLoadError> {
        self.json.as_u64().ok_or_else(|| self.wrong_type("a whole number"))
    }

    /// A number in a string.
    pub(super) fn decimal(&self) -> Result<Decimal, PlanLoadError> {
        let text = self.json.as_str().ok_or_else(|| self.wrong_type("a number in a string"))?;
        match Decimal::from_str_exact(text) {
            Ok(number) if !number.is_sign_negative() => Ok(number),
            _ => Err(self.error(format!("`{text}` is not a number from 0"))),
        }
    }

    /// The name of a policy or a rule.
    pub(super) fn name(&self) -> Result<&'a str, PlanLoadError> {
        let text = self.text()?;
        if syntax::is_name(text) { Ok(text) } else { Err(self.error(format!("`{text}` is not a name"))) }
    }

    /// A word at this place.
    pub(super) fn word(&self, word: &str) -> Name {
        Spanned::new(word.into(), self.span())
    }

    /// What a function reads from this value, unless it is null.
    pub(super) fn maybe<T>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, PlanLoadError>,
    ) -> Result<Option<T>, PlanLoadError> {
        if self.json.is_null() { Ok(None) } else { read(self).map(Some) }
    }
}
