//! The values of the facts that the host supplies.

use std::collections::BTreeMap;

use smol_str::SmolStr;
use trimtab_base::quantity::Value;

/// The known values of the facts that the host supplies, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostValues(BTreeMap<SmolStr, Value>);

impl HostValues {
    /// Returns the value of a fact, or `None` while it is unknown.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Changes the value of a fact; without a value it is unknown.
    pub fn set(&mut self, name: &SmolStr, value: Option<Value>) {
        match value {
            Some(value) => drop(self.0.insert(name.clone(), value)),
            None => drop(self.0.remove(name)),
        }
    }
}

impl FromIterator<(SmolStr, Value)> for HostValues {
    fn from_iter<I: IntoIterator<Item = (SmolStr, Value)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl IntoIterator for HostValues {
    type Item = (SmolStr, Value);
    type IntoIter = std::collections::btree_map::IntoIter<SmolStr, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_until_it_is_removed() {
        let mut values: HostValues = [("mode".into(), Value::Text("plan".into()))].into_iter().collect();
        values.set(&"load".into(), Some(Value::whole(1)));
        values.set(&"mode".into(), None);
        assert_eq!((values.get("load"), values.get("mode")), (Some(&Value::whole(1)), None));
    }
}
