//! Calls that have no result yet, found by id and by group without a search.

use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};
use smol_str::SmolStr;

use super::GroupId;

/// The group of a call and its position among the calls of its message.
type Place = (GroupId, usize);

/// Calls without a result, each with a value of type `T`.
#[derive(Clone, Debug)]
pub(super) struct OpenCalls<T> {
    calls: BTreeMap<Place, T>,
    /// The places of the calls with each id, in order. Places of calls that are no longer open are removed when a
    /// search meets them.
    by_id: HashMap<SmolStr, Vec<Place>>,
}

impl<T> Default for OpenCalls<T> {
    fn default() -> Self {
        Self { calls: BTreeMap::new(), by_id: HashMap::default() }
    }
}

impl<T> OpenCalls<T> {
    /// Adds the calls of a message, which is newer than the messages of all other calls.
    pub(super) fn add(&mut self, group: GroupId, calls: impl IntoIterator<Item = (SmolStr, T)>) {
        for (position, (id, call)) in calls.into_iter().enumerate() {
            self.calls.insert((group, position), call);
            // A result without an id does not look for a call without one.
            if !id.is_empty() {
                self.by_id.entry(id).or_default().push((group, position));
            }
        }
    }

    /// Takes the newest call with this id, with its group.
    pub(super) fn take(&mut self, id: &str) -> Option<(GroupId, T)> {
        let places = self.by_id.get_mut(id)?;
        let (mut newest, calls) = (std::iter::from_fn(|| places.pop()), &mut self.calls);
        let found = newest.find_map(|place| Some((place.0, calls.remove(&place)?)));
        if places.is_empty() {
            self.by_id.remove(id);
        }
        found
    }

    /// Takes the newest call of a group with this id.
    pub(super) fn take_of(&mut self, group: GroupId, id: &str) -> Option<T> {
        let places = self.by_id.get_mut(id)?;
        let mut found = None;
        let mut at = places.partition_point(|place| place.0 <= group);
        while found.is_none() && at > 0 && places[at - 1].0 == group {
            at -= 1;
            found = self.calls.remove(&places.remove(at));
        }
        if places.is_empty() {
            self.by_id.remove(id);
        }
        found
    }

    /// Takes the first call of a group.
    pub(super) fn take_first(&mut self, group: GroupId) -> Option<T> {
        let place = self.first(group)?;
        self.calls.remove(&place)
    }

    /// Whether a group has a call.
    pub(super) fn has_any(&self, group: GroupId) -> bool {
        self.first(group).is_some()
    }

    /// The groups with calls, in order.
    pub(super) fn groups(&self) -> impl Iterator<Item = GroupId> {
        let mut next = Some(GroupId::default());
        std::iter::from_fn(move || {
            let (group, _) = *self.calls.range((next?, 0)..).next()?.0;
            next = group.0.checked_add(1).map(GroupId);
            Some(group)
        })
    }

    /// Whether a group has a call with this id.
    pub(super) fn has(&self, group: GroupId, id: &str) -> bool {
        let places = self.by_id.get(id).map_or(&[][..], Vec::as_slice);
        let of_group = &places[..places.partition_point(|place| place.0 <= group)];
        let mut newest = of_group.iter().rev().take_while(|place| place.0 == group);
        newest.any(|place| self.calls.contains_key(place))
    }

    /// Keeps only the calls of some groups.
    pub(super) fn keep_groups(&mut self, groups: &HashSet<GroupId>) {
        self.calls.retain(|(group, _), _| groups.contains(group));
    }

    /// Removes all calls.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    fn first(&self, group: GroupId) -> Option<Place> {
        self.calls.range((group, 0)..=(group, usize::MAX)).next().map(|(place, _)| *place)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What can happen to open calls; numbers stand for groups and ids, of which 0 is the empty one.
    #[derive(Clone, Debug)]
    enum Change {
        Add(Vec<u8>),
        Take(u8),
        TakeOf(u32, u8),
        TakeFirst(u32),
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            prop::collection::vec(0u8..4, 0..5).prop_map(Change::Add),
            (1u8..4).prop_map(Change::Take),
            (0u32..6, 1u8..4).prop_map(|(group, id)| Change::TakeOf(group, id)),
            (0u32..6).prop_map(Change::TakeFirst),
        ]
    }

    fn name(id: u8) -> SmolStr {
        if id == 0 { SmolStr::default() } else { SmolStr::from(id.to_string()) }
    }

    proptest! {
        #[test]
        fn calls_are_found_as_in_a_list(changes in prop::collection::vec(change(), 0..40)) {
            let (mut open, mut list): (OpenCalls<usize>, Vec<(GroupId, SmolStr, usize)>) = Default::default();
            let (mut group, mut number) = (0u32, 0);
            let take = |list: &mut Vec<(GroupId, SmolStr, usize)>, at: Option<usize>| at.map(|at| list.remove(at));
            for change in changes {
                match change {
                    Change::Add(ids) => {
                        let calls: Vec<_> = ids.iter().map(|id| { number += 1; (name(*id), number) }).collect();
                        list.extend(calls.iter().map(|(id, call)| (GroupId(group), id.clone(), *call)));
                        open.add(GroupId(group), calls);
                        group += 1;
                    }
                    Change::Take(id) => {
                        let at = list.iter().rposition(|call| call.1 == name(id));
                        let expected = take(&mut list, at).map(|(group, _, call)| (group, call));
                        prop_assert_eq!(open.take(&name(id)), expected);
                    }
                    Change::TakeOf(group, id) => {
                        let at = list.iter().rposition(|call| call.0 == GroupId(group) && call.1 == name(id));
                        prop_assert_eq!(open.take_of(GroupId(group), &name(id)), take(&mut list, at).map(|call| call.2));
                    }
                    Change::TakeFirst(group) => {
                        let at = list.iter().position(|call| call.0 == GroupId(group));
                        prop_assert_eq!(open.take_first(GroupId(group)), take(&mut list, at).map(|call| call.2));
                    }
                }
                let groups: std::collections::BTreeSet<GroupId> = list.iter().map(|call| call.0).collect();
                prop_assert_eq!(open.groups().collect::<Vec<_>>(), groups.into_iter().collect::<Vec<_>>());
                for group in (0..group).map(GroupId) {
                    prop_assert_eq!(open.has_any(group), list.iter().any(|call| call.0 == group));
                    for id in (1..4).map(name) {
                        prop_assert_eq!(open.has(group, &id), list.iter().any(|call| call.0 == group && call.1 == id));
                    }
                }
            }
        }
    }
}
