//! `host.NAME`: facts that a policy declares and its host supplies, with a descriptor for each type.

use smol_str::SmolStr;
use trimtab_base::quantity::{Counted, Type, Unit, Value};

use super::argument::{Arguments, HOST_FACT, Parameter};
use super::descriptor::{AtStart, Domain, Fact, Falls, Rises, Source, Topic, Unknown};
use super::moment::Moment;

/// What a policy writes before the name of a declared fact.
const PREFIX: &str = "host.";

/// A type that a declared fact can have.
struct HostType {
    ty: Type,
    /// The descriptor of facts of this type without a default, which may be unknown.
    optional: Fact,
    /// The descriptor of facts of this type with a default.
    defaulted: Fact,
}

/// The types in the order of messages.
static TYPES: [HostType; 15] = [
    describe(Type::Text),
    describe(Type::Bool),
    describe(Type::Number(Unit::Share)),
    describe(Type::Number(Unit::Tokens)),
    describe(Type::Number(Unit::Chars)),
    describe(Type::Number(Unit::Duration)),
    describe(Type::Number(Unit::Money)),
    describe(counted(Counted::Count)),
    describe(counted(Counted::Messages)),
    describe(counted(Counted::Results)),
    describe(counted(Counted::Images)),
    describe(counted(Counted::Calls)),
    describe(counted(Counted::Interactions)),
    describe(counted(Counted::Iterations)),
    describe(counted(Counted::Strategies)),
];

/// The fact that stands for all types in the reference: a text without a default.
pub(super) static FACT: &Fact = &TYPES[0].optional;

static PARAMETERS: [&Parameter; 1] = [&HOST_FACT.parameter];

const fn counted(of: Counted) -> Type {
    Type::Number(Unit::Counted(of))
}

const fn describe(ty: Type) -> HostType {
    HostType { ty, optional: fact(ty, Some(Unknown::Host)), defaulted: fact(ty, None) }
}

const fn fact(ty: Type, unknown: Option<Unknown>) -> Fact {
    Fact {
        name: "host",
        summary: "A value that only the host knows. `agent { fact NAME TYPE default VALUE }` declares it, and rules read \
                  it as `host.NAME`. TYPE is `text`, `bool`, `share`, `tokens`, `chars`, `duration`, `money`, `count`, \
                  or the word of a counted unit, such as `results`. Without a default the fact is unknown until the \
                  host supplies a value. A value stays until the host supplies another one.",
        ty,
        unknown,
        parameters: &PARAMETERS,
        domain: if matches!(ty, Type::Number(_)) { Domain::NonNegative } else { Domain::Any },
        topic: Topic::Host,
        rises: Rises::Sometimes,
        falls: Falls::AnyTime,
        at_start: AtStart::Any,
        source: Source::Own,
        // A host may change one without the others.
        relations: &[],
        examples: &["(host.mode ?? \"\") == \"review\""],
        read,
    }
}

fn read(moment: &Moment<'_>, arguments: &Arguments<'_>) -> Option<Value> {
    moment.host.get(arguments.get(&HOST_FACT)?).cloned()
}

impl Fact {
    /// Returns the descriptor of facts of a type that the host supplies, or `None` for a type that they cannot have.
    /// One with a default is never unknown.
    pub fn of_host(ty: Type, has_default: bool) -> Option<&'static Self> {
        let of = TYPES.iter().find(|known| known.ty == ty)?;
        Some(if has_default { &of.defaulted } else { &of.optional })
    }

    /// Whether the host supplies its value.
    pub const fn is_host(&self) -> bool {
        matches!(self.topic, Topic::Host)
    }
}

/// The name of the entry of the reference that stands for all declared facts.
pub fn host_fact_entry() -> &'static str {
    FACT.name
}

/// The words for the types of facts that the host supplies.
pub fn host_type_words() -> impl Iterator<Item = &'static str> {
    TYPES.iter().map(|known| host_type_word(known.ty))
}

/// The type of a word in a declaration.
pub fn host_type(word: &str) -> Option<Type> {
    TYPES.iter().map(|known| known.ty).find(|ty| host_type_word(*ty) == word)
}

/// The word for a type in a declaration: that of the unit, if it has one.
pub fn host_type_word(ty: Type) -> &'static str {
    match ty {
        Type::Text | Type::Name => "text",
        Type::Bool => "bool",
        Type::Number(unit) => unit.word().unwrap_or(match unit {
            Unit::Share => "share",
            Unit::Duration => "duration",
            Unit::Money => "money",
            Unit::Tokens | Unit::Chars | Unit::Counted(_) => "count",
        }),
    }
}

/// The name of a declared fact in what a policy writes: `load` in `host.load`.
pub fn host_fact_name(written: &str) -> Option<&str> {
    written.strip_prefix(PREFIX)
}

/// What a policy writes for a declared fact: `host.load`.
pub fn written_host_fact(name: &str) -> SmolStr {
    smol_str::format_smolstr!("{PREFIX}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_a_descriptor_with_and_without_a_default() {
        for word in host_type_words() {
            let ty = host_type(word).expect("a type");
            let (optional, defaulted) = (Fact::of_host(ty, false), Fact::of_host(ty, true));
            let [optional, defaulted] = [optional, defaulted].map(|fact| fact.expect("a descriptor"));
            assert_eq!((optional.ty, defaulted.ty, host_type_word(ty)), (ty, ty, word));
            assert!(optional.is_optional() && !defaulted.is_optional() && optional.is_host(), "{word}");
        }
        assert_eq!(host_type_words().count(), TYPES.len());
        assert!(Fact::of_host(Type::Name, false).is_none());
    }
}
