//! What is sent in place of a request, written with the bytes of the request.

pub(super) mod content;
pub(super) mod divided;
mod known;
mod system;

use trimtab_base::conversation::RECALL_TOOL;
use trimtab_recordings::transcript::api;
use trimtab_run::run::Session;

use self::known::Rendering;
pub(super) use self::known::Renderings;
use super::Request;
use super::dialect::{EditedMessage, EditedUnit};
use super::json::{Node, Slot, replaced};
use super::outline::Outline;
use super::read::Unit;
use super::text::RequestText;

/// What is sent in place of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// A JSON text of the same shape as the request, and the same text if nothing was edited.
    pub json: RequestText,
    /// The same edits for the list of elements, in the order of the new list. An element that is removed stands where it
    /// was.
    pub edits: Vec<ElementEdit>,
    /// The names of declared tools that are not offered.
    pub hidden_tools: Vec<String>,
    /// Texts for the end of the system prompt for which the JSON has no place, because it is a list alone.
    pub prompt_additions: Vec<String>,
}

/// What becomes of an element of the list, which is named by its index in the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementEdit {
    /// It stays as it is.
    Keep(usize),
    /// This JSON replaces it.
    Replace(usize, String),
    /// It is removed.
    Remove(usize),
    /// This JSON is a new element at this place.
    Insert(String),
}

impl Request {
    /// What is sent in place of this request, whose history the session was given last.
    ///
    /// Only what the session has edited changes. If the plan offloads results, the tool that recalls them is added. Elements without an edit keep their bytes, and so do all other values of
    /// an edited element, except that lone surrogates, which are not valid, become U+FFFD there. Marks for the prompt cache are neither moved nor added. The session must be ready to send; if it
    /// was given a shorter history, nothing changes.
    pub fn render(&self, session: &Session) -> Rendered {
        self.render_again(session, &mut Renderings::default())
    }

    /// What is sent, given what was rendered for an earlier request. Afterwards `known` is what was rendered for this one.
    pub(super) fn render_again(&self, session: &Session, known: &mut Renderings) -> Rendered {
        let ids: Vec<_> = session.history_ids().take(self.history.len()).collect();
        let views = session.views();
        let hidden_tools = session.hidden_tools();
        if ids.len() < self.history.len() {
            let slots: Vec<Slot> = (0..self.layout.elements.len()).map(Slot::Keep).collect();
            let json = self.text.clone();
            return Rendered { edits: self.edits(&slots), json, hidden_tools, prompt_additions: Vec::new() };
        }
        let request = session.request();
        let outline = Outline::of(&ids, &request, self.has_prompt_in_list());
        let slots = self.slots(&outline, known);
        let mut fields = self.tool_edits(views);
        fields.extend(self.system_edit(&outline));
        let mut json = self.with_slots(&slots);
        if !fields.is_empty() {
            json = Node::of(&json).with_fields(&fields).into();
        }
        if session.declares_recall() && views.offers_tool(RECALL_TOOL) {
            json = self.dialect.with_recall(json);
        }
        Rendered { edits: self.edits(&slots), json, hidden_tools, prompt_additions: self.homeless_prompt(&outline) }
    }

    /// The elements of the new list.
    fn slots(&self, outline: &Outline<'_>, known: &mut Renderings) -> Vec<Slot> {
        let (mut slots, mut rendered) = (Vec::new(), Renderings::default());
        // New messages between system messages beside the list come after them.
        for at in 0..self.system_len {
            self.add_new(outline, at, &mut slots);
        }
        for unit in &self.units {
            let messages = self.in_history(&unit.messages);
            if messages.is_empty() {
                slots.extend(unit.elements.clone().map(Slot::Keep));
                continue;
            }
            self.add_new(outline, messages.start, &mut slots);
            let is_divided = messages.clone().skip(1).any(|at| outline.new_before(at).next().is_some());
            if is_divided {
                self.add_unit(unit, outline, &mut slots);
            } else if messages.clone().all(|at| outline.is_untouched(at)) {
                slots.extend(unit.elements.clone().map(Slot::Keep));
            } else {
                let (first, history) = (unit.elements.start, &self.history[messages.clone()]);
                let sent: Vec<_> = messages.map(|at| outline.sent(at)).collect();
                let rendering = known.take(first, history, &sent).unwrap_or_else(|| {
                    let mut slots = Vec::new();
                    self.add_unit(unit, outline, &mut slots);
                    Rendering::new(history, &sent, slots)
                });
                slots.extend(rendering.slots.iter().cloned());
                rendered.insert(first, rendering);
            }
        }
        *known = rendered;
        self.add_new(outline, self.history.len(), &mut slots);
        let Some(place) = self.dialect.form().place else { return slots };
        let elements: Vec<Node<'_>> = (0..self.element_count()).map(|at| self.element(at)).collect();
        place(&elements, self.has_system_elements, slots)
    }

    fn add_new(&self, outline: &Outline<'_>, at: usize, slots: &mut Vec<Slot>) {
        slots.extend(self.new_elements(outline, at).map(Slot::New));
    }

    /// The new elements right before a message of the history.
    fn new_elements(&self, outline: &Outline<'_>, at: usize) -> impl Iterator<Item = String> {
        let element = |message| (self.dialect.form().new_element)(message, self.has_system_elements);
        outline.new_before(at).filter_map(element)
    }

    /// Adds the elements of a unit, and new messages between its messages.
    fn add_unit(&self, unit: &Unit, outline: &Outline<'_>, slots: &mut Vec<Slot>) {
        let messages = self.in_history(&unit.messages);
        let edited = |at: usize| EditedMessage {
            role: self.history[at].role,
            is_kept: outline.is_kept(at),
            changes: outline.changes(at, &self.history[at]),
            new_before: if at == messages.start { Vec::new() } else { self.new_elements(outline, at).collect() },
        };
        let elements = unit.elements.clone().map(|at| (at, api::without_lone_surrogates(self.element(at).raw())));
        let unit = EditedUnit { elements: elements.collect(), messages: messages.clone().map(edited).collect() };
        (self.dialect.form().rewrite)(&unit, slots);
    }

    fn with_slots(&self, slots: &[Slot]) -> RequestText {
        let is_same = |(at, slot): (usize, &Slot)| *slot == Slot::Keep(at);
        if slots.len() == self.layout.elements.len() && slots.iter().enumerate().all(is_same) {
            return self.text.clone();
        }
        let list = self.list();
        let new = match self.dialect.form().prompt_element {
            Some(prompt_element) if !list.is_array() => {
                let items = slots.iter().map(|slot| match slot {
                    Slot::Keep(_) => prompt_element(&list),
                    Slot::Changed(_, text) | Slot::New(text) => text.clone(),
                });
                format!("[{}]", items.collect::<Vec<_>>().join(","))
            }
            _ => list.with_items(&self.layout.elements, slots),
        };
        replaced(&self.text, &self.layout.list, &new).into()
    }

    fn edits(&self, slots: &[Slot]) -> Vec<ElementEdit> {
        let (mut edits, mut next) = (Vec::new(), 0);
        for slot in slots {
            let (edit, at) = match slot {
                Slot::Keep(at) => (ElementEdit::Keep(*at), Some(*at)),
                Slot::Changed(at, text) => (ElementEdit::Replace(*at, text.clone()), Some(*at)),
                Slot::New(text) => (ElementEdit::Insert(text.clone()), None),
            };
            if let Some(at) = at {
                edits.extend((next..at).map(ElementEdit::Remove));
                next = at + 1;
            }
            edits.push(edit);
        }
        edits.extend((next..self.layout.elements.len()).map(ElementEdit::Remove));
        edits
    }
}
