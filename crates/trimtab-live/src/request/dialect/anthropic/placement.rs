//! Where system messages stand in a list of Anthropic messages.
//!
//! The API takes a system message in the list only after a message of the user, and only at the end or before a reply.
//! Edits can take its neighbours away, and new messages can come between.

use trimtab_base::conversation::Role;

use crate::request::json::{Node, Slot, literal};

/// The list with its system messages where the API takes them, given the elements of the request and whether it has system
/// messages. A new message comes before a system message instead of after it, so that the system message stands where it
/// stood when the new one is gone. One that is left without a place becomes a message of the user. Those that the client
/// itself has placed elsewhere stay.
pub(super) fn placed(elements: &[Node<'_>], has_system_elements: bool, slots: Vec<Slot>) -> Vec<Slot> {
    let is_new_system = |slot: &Slot| matches!(slot, Slot::New(text) if role(&Node::of(text)) == Some(Role::System));
    if !has_system_elements && !slots.iter().any(is_new_system) {
        return slots;
    }
    let roles: Vec<Option<Role>> = elements.iter().map(role).collect();
    let is_movable = |slot: &Slot| match slot {
        Slot::Keep(at) | Slot::Changed(at, _) => has_place(&roles, *at),
        Slot::New(_) => true,
    };
    let mut slots = slots.into_iter().map(|slot| (role_of(elements, &slot), slot)).peekable();
    let mut placed: Vec<(Slot, Option<Role>)> = Vec::new();
    // A client that begins its list with the system prompt has a server that accepts it there.
    if roles.first() == Some(&Some(Role::System)) {
        while let Some((own, slot)) = slots.next_if(|(own, _)| *own == Some(Role::System)) {
            placed.push((slot, own));
        }
    }
    let prompt = placed.len();
    for (own, slot) in slots {
        let before = match (&slot, own) {
            (Slot::New(_), Some(Role::User | Role::System)) => {
                let is_system = |(slot, role): &(Slot, Option<Role>)| {
                    *role == Some(Role::System) && !matches!(slot, Slot::New(_)) && is_movable(slot)
                };
                let system = placed[prompt..].iter().rev().take_while(|placed| is_system(placed)).count();
                placed.len() - system
            }
            _ => placed.len(),
        };
        placed.insert(before, (slot, own));
    }
    let mut rest = placed.split_off(prompt).into_iter().peekable();
    let mut list = placed;
    while let Some((slot, own)) = rest.next() {
        let before = list.last().and_then(|(_, role)| *role);
        let is_before_reply = rest.peek().is_none_or(|(_, role)| *role == Some(Role::Assistant));
        let is_misplaced = own == Some(Role::System) && is_movable(&slot) && !is_place(before, is_before_reply);
        if is_misplaced {
            list.extend(as_user(elements, slot).map(|slot| (slot, Some(Role::User))));
        } else {
            list.push((slot, own));
        }
    }
    list.into_iter().map(|(slot, _)| slot).collect()
}

fn role_of(elements: &[Node<'_>], slot: &Slot) -> Option<Role> {
    match slot {
        Slot::Keep(at) => role(&elements[*at]),
        Slot::Changed(_, text) | Slot::New(text) => role(&Node::of(text)),
    }
}

/// Returns a system message as one of the user, or `None` if it has no content, which only a system message may lack.
fn as_user(elements: &[Node<'_>], slot: Slot) -> Option<Slot> {
    let changed = |node: &Node<'_>| {
        let content = node.get("content")?;
        let is_empty = content.is_array() && content.elements().is_empty()
            || content.string().is_some_and(|text| text.trim().is_empty());
        (!is_empty).then(|| node.with_fields(&[("role", Some(literal(Role::User.word())))]))
    };
    Some(match slot {
        Slot::Keep(at) => Slot::Changed(at, changed(&elements[at])?),
        Slot::Changed(at, text) => Slot::Changed(at, changed(&Node::of(&text))?),
        Slot::New(text) => Slot::New(changed(&Node::of(&text))?),
    })
}

/// The role of an element, which is mostly its first field.
fn role(element: &Node<'_>) -> Option<Role> {
    let word = element.field_from("role")?.string()?;
    [Role::System, Role::User, Role::Assistant].into_iter().find(|role| role.word() == word)
}

/// Whether a system message stands where the API takes one.
fn has_place(roles: &[Option<Role>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| roles[before]);
    let is_before_reply = roles.get(at + 1).is_none_or(|role| *role == Some(Role::Assistant));
    roles[at] != Some(Role::System) || is_place(before, is_before_reply)
}

/// Whether a system message may stand after a message with this role, given whether it is the last one or before a reply.
fn is_place(before: Option<Role>, is_before_reply: bool) -> bool {
    before == Some(Role::User) && is_before_reply
}
