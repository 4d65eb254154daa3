//! The descriptor of a fact: its words, how it is read, and what other modules may conclude from it.
//!
//! Every field is required: a fact cannot be added without deciding each of them.

use smol_str::SmolStr;
use trimtab_base::quantity::{Decimal, Quantity, Type, Unit, Value, share_of};

use super::argument::{Arguments, CallsFrom, Parameter, ParameterKind};
pub use super::domain::Domain;
pub use super::growth::{AtStart, Falls, Rises};
use super::moment::Moment;
use super::recent::Recent;
use super::scope::Scope;

/// A fact: its name, its meaning, and how it is read.
#[derive(Debug)]
pub struct Fact {
    /// Its name, dotted.
    pub name: &'static str,
    /// Its meaning, in one or two sentences.
    pub summary: &'static str,
    /// Its type.
    pub ty: Type,
    /// What is missing when it is unknown at every call, or `None` if it is always known.
    pub unknown: Option<Unknown>,
    /// Its parameters.
    pub parameters: &'static [&'static Parameter],
    /// The values that it can have.
    pub domain: Domain,
    /// The part of a session that it describes.
    pub topic: Topic,
    /// When its value rises. For a fact with a [`Source`], when the value of the source rises.
    pub rises: Rises,
    /// When its value falls. For a fact with a [`Source`], when the value of the source falls.
    pub falls: Falls,
    /// Its value when a session begins.
    pub at_start: AtStart,
    /// What its value is computed from.
    pub source: Source,
    /// What is certain about its value and that of other facts at every moment.
    pub relations: &'static [Relation],
    /// Conditions that use it; tests check them.
    pub examples: &'static [&'static str],
    /// Reads its value, or returns `None` if it is unknown.
    pub(super) read: fn(&Moment<'_>, &Arguments<'_>) -> Option<Value>,
}

/// What must be there for a fact to be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unknown {
    /// The context window.
    Window,
    /// The id of the model.
    Model,
    /// A sub-agent with a name.
    Agent,
    /// A price for the model.
    Price,
    /// Timestamps.
    Time,
    /// Timestamps of a reply and of the call after it.
    Pause,
    /// A reply with usage before this call.
    Usage,
    /// A tool call.
    Call,
    /// A tool result.
    Result,
    /// A firing of the rule that it is about.
    Firing,
    /// A value of the variable.
    Variable,
    /// A compaction miss.
    Miss,
    /// A compaction.
    Compaction,
    /// A call that changes a file.
    Edit,
    /// A value from the host.
    Host,
}

/// The part of a session that a fact describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// The size of the context.
    ContextSize,
    /// The size of the context at the last reply, as the provider reports it.
    ReportedSize,
    /// What the context consists of.
    ContextParts,
    /// The model of the call.
    Model,
    /// The agent of the session.
    Agent,
    /// The number of items in the context.
    ContextCount,
    /// What model calls have used.
    Usage,
    /// The time between two calls.
    Pause,
    /// The position of the call in the run.
    Iteration,
    /// The position of the run in the session.
    Run,
    /// The newest user message.
    UserMessages,
    /// Signs of an agent that makes no progress.
    Trouble,
    /// Calls made again after their result was reduced.
    Misses,
    /// Compactions of the context.
    Compactions,
    /// The newest tool call.
    NewestCall,
    /// The newest tool result.
    NewestResult,
    /// What the run was asked to do.
    Request,
    /// The tools that the agent declares.
    DeclaredTools,
    /// The tools that the agent has called.
    UsedTools,
    /// What the session has learned.
    Playbook,
    /// The firings of a rule.
    Firings,
    /// The variables of the system prompt.
    Variables,
    /// What only the host knows.
    Host,
}

/// What the value of a fact is computed from. Facts with one source show the same value in different ways.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Its own.
    Own,
    /// The share of the context window that another fact, in tokens, takes up.
    ShareOf(&'static Fact),
    /// What another fact, in tokens, leaves free of the window after the reserve.
    FreeBeside(&'static Fact),
    /// The number of items of a list, which texts show instead.
    List(fn(&Moment<'_>, &Arguments<'_>) -> Vec<SmolStr>),
    /// The context window itself.
    Window,
    /// A count that does not depend on this parameter, capped at its argument.
    CappedBy(&'static Parameter),
    /// Its own, for each argument of this parameter another one, and never above that argument where it counts the same.
    LimitedBy(&'static Parameter),
}

/// What is certain about two facts at every moment. It holds if the parameters of the same name have equal arguments, and those
/// that only the other fact has are omitted. Facts remember equally far back: one without such a parameter remembers the run.
///
/// A relation must follow from the code that reads the facts. The end of a context may belong to an earlier run than
/// `failures.total`, and the host reports costs and times, so none of these is related to another.
#[derive(Clone, Copy, Debug)]
pub enum Relation {
    /// Where both are known, the fact is at most this one.
    AtMost(&'static Fact),
    /// Where both are known, the fact is at least this one, if the parameters that only the fact has are omitted.
    AtLeast(&'static Fact),
    /// The fact is this one, or one more.
    SameOrOneMore(&'static Fact),
    /// The fact is zero, or false, while this one is zero.
    NothingWhileZero(&'static Fact),
    /// The fact is at most itself with arguments that include its own: a list with more tools or texts, a look further back,
    /// or the session instead of the run. If it is true or false, it is true only where that is.
    GrowsWithArguments(&'static Fact),
    /// Where the fact is known, it is the same over the session.
    SameOverSession(&'static Fact),
    /// The fact is known exactly where this one is.
    KnownWith(&'static Fact),
    /// The fact is zero exactly where this one is unknown.
    ZeroWhileUnknown(&'static Fact),
    /// The fact is true while this one, about the same rule, is zero. If it compares no facts, then only while it is.
    TrueWhileZero(&'static Fact),
    /// Both are shares of one whole without a common part, so together they are at most 100%.
    Disjoint(&'static Fact),
    /// With these two it is the whole: they add up to 100%, unless all are 0% because there is nothing.
    Completes(&'static [&'static Fact; 2]),
    /// This fact counts the same over the whole run. Nothing is certain about their values.
    TotalledBy(&'static Fact),
}

impl Fact {
    /// Whether it may be unknown at a moment for another reason than the window, so that a condition must say what to
    /// assume then.
    pub const fn is_optional(&self) -> bool {
        match self.unknown {
            None => false,
            Some(Unknown::Window) => matches!(self.source, Source::Window),
            Some(_) => true,
        }
    }

    /// The fact in tokens that it is a share of. Comparisons of a share are made in those tokens.
    pub const fn share_of(&self) -> Option<&'static Self> {
        match self.source {
            Source::ShareOf(base) => Some(base),
            _ => None,
        }
    }

    /// The fact that its value is computed from; itself if there is no other.
    pub const fn base(&'static self) -> &'static Self {
        match self.source {
            Source::ShareOf(base) | Source::FreeBeside(base) => base,
            Source::Own | Source::Window | Source::List(_) | Source::CappedBy(_) | Source::LimitedBy(_) => self,
        }
    }

    /// When its value falls, with these arguments: one that looks back over a limited time also falls with time.
    pub fn falls(&self, arguments: &[Value]) -> Falls {
        let is_limit = |(parameter, value): (&&'static Parameter, &Value)| {
            matches!(parameter.kind, ParameterKind::Limit(_) | ParameterKind::Recent(..))
                && !parameter.is_omitted(value)
        };
        if self.parameters.iter().zip(arguments).any(is_limit) { Falls::AnyTime } else { self.falls }
    }

    /// Whether another fact is computed from the same source, so that the value of one follows from that of the other.
    pub fn follows_from(&'static self, other: &'static Self) -> bool {
        !std::ptr::eq(self, other) && std::ptr::eq(self.base(), other.base())
    }

    /// Whether it falls when its source rises.
    pub const fn is_inverse(&self) -> bool {
        matches!(self.source, Source::FreeBeside(_))
    }

    /// Whether it is unknown where the window is unknown.
    pub const fn needs_window(&self) -> bool {
        matches!(self.source, Source::ShareOf(_) | Source::FreeBeside(_))
    }

    /// Whether it is the window.
    pub const fn is_window(&self) -> bool {
        matches!(self.source, Source::Window)
    }

    /// Whether it compares facts with what a rule saw when it last fired.
    pub fn compares_facts(&self) -> bool {
        self.parameters.iter().any(|parameter| parameter.kind == ParameterKind::Facts)
    }

    /// Whether it measures how full the context is.
    pub const fn is_size(&self) -> bool {
        matches!(self.topic, Topic::ContextSize | Topic::ReportedSize)
    }

    /// Whether it measures tokens or money that calls and summaries have used, which are estimated without recorded usage.
    pub fn is_estimated_usage(&self) -> bool {
        self.topic == Topic::Usage && matches!(self.ty, Type::Number(Unit::Tokens | Unit::Money))
    }

    /// Whether a test counts it itself, so that it cannot be given a value.
    pub const fn is_counted_by_tests(&self) -> bool {
        matches!(self.topic, Topic::Iteration | Topic::Run | Topic::Firings)
    }

    /// Whether its value is another one at every call.
    pub const fn changes_every_call(&self) -> bool {
        matches!(self.rises, Rises::EveryCall | Rises::EveryMessage)
    }

    /// The value of this fact where its source has this value. Returns `None` where the window is needed and unknown.
    pub fn derive(&self, source: Decimal, window: Option<u64>, reserve: u64) -> Option<Decimal> {
        let window = || window.filter(|&window| window > 0).map(Decimal::from);
        match self.source {
            Source::Own | Source::Window | Source::List(_) | Source::CappedBy(_) | Source::LimitedBy(_) => Some(source),
            Source::ShareOf(_) => source.checked_div(window()?),
            Source::FreeBeside(_) => Some(window()? - Decimal::from(reserve) - source),
        }
    }

    /// The value of the source where this fact has this value. Returns `None` where the window is needed and unknown.
    pub fn source_value(&self, value: Decimal, window: Option<u64>, reserve: u64) -> Option<Decimal> {
        let window = window.filter(|&window| window > 0);
        match self.source {
            Source::Own | Source::Window | Source::List(_) | Source::CappedBy(_) | Source::LimitedBy(_) => Some(value),
            Source::ShareOf(_) => Some(Decimal::from(share_of(window?, value))),
            Source::FreeBeside(_) => Some((Decimal::from(window?) - Decimal::from(reserve) - value).max(Decimal::ZERO)),
        }
    }

    /// The argument that its value is never above, with its position.
    pub fn cap(&self, arguments: &[Value]) -> Option<(usize, Decimal)> {
        let (Source::CappedBy(parameter) | Source::LimitedBy(parameter)) = self.source else { return None };
        let at = self.parameters.iter().position(|other| std::ptr::eq(*other, parameter))?;
        match (self.parameters[at].kind, arguments.get(at)?) {
            (ParameterKind::Recent(..), recent) => {
                let Quantity { amount, unit } = Recent::read(recent)?.quantity();
                (self.ty == Type::Number(unit)).then_some((at, amount))
            }
            (_, Value::Number(cap)) => Some((at, *cap)),
            _ => None,
        }
    }

    /// The largest value that it can have with these arguments: an argument in its own unit, such as `within: 5 calls`
    /// of a number of calls, limits it, or its domain. Returns `None` if nothing does.
    pub fn largest(&self, arguments: &[Value]) -> Option<Decimal> {
        let limit = |(parameter, value): (&&'static Parameter, &Value)| match (parameter.kind, value) {
            (ParameterKind::Number(unit, _), Value::Number(number)) if self.ty == Type::Number(unit) => Some(*number),
            _ => None,
        };
        let limits = self.parameters.iter().zip(arguments).filter_map(limit);
        limits.chain(self.cap(arguments).map(|(_, cap)| cap)).chain(self.largest_in_domain(arguments)).min()
    }

    /// Returns the largest number in its domain with these arguments, or `None` if there is none.
    pub fn largest_in_domain(&self, arguments: &[Value]) -> Option<Decimal> {
        let steps = self.steps(arguments);
        steps.map_or(self.domain.largest(), |steps| (steps - Decimal::ONE).checked_div(steps))
    }

    /// Returns the number of equal steps from 0 to 1 in which its values lie, with these arguments, or `None` if they
    /// are not counted.
    pub fn steps(&self, arguments: &[Value]) -> Option<Decimal> {
        let Domain::Repeated(parameter) = self.domain else { return None };
        match Arguments::new(self.parameters, arguments).value(parameter) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// Returns where its arguments take calls from, or `None` if it has no such parameter.
    pub fn calls_from(&self, arguments: &[Value]) -> Option<CallsFrom> {
        let at = self.parameters.iter().position(|parameter| parameter.kind == ParameterKind::CallsFrom)?;
        match arguments.get(at) {
            Some(Value::Text(word)) => CallsFrom::from_word(word),
            _ => None,
        }
    }

    /// Returns how far back it remembers with these arguments, or `None` if it has no such parameter.
    pub fn scope(&self, arguments: &[Value]) -> Option<Scope> {
        let is_scope_parameter = |parameter: &&Parameter| matches!(parameter.kind, ParameterKind::Scope(_));
        let at = self.parameters.iter().position(is_scope_parameter)?;
        match arguments.get(at) {
            Some(Value::Text(word)) => Scope::from_word(word),
            _ => None,
        }
    }

    /// Its value when a session begins, with these arguments; never [`AtStart::ZeroInRun`].
    pub fn at_start(&self, arguments: &[Value]) -> AtStart {
        match (self.at_start, self.calls_from(arguments)) {
            (AtStart::ZeroInRun, Some(CallsFrom::Run)) => AtStart::Zero,
            (AtStart::ZeroInRun, _) => AtStart::Any,
            (known, _) => known,
        }
    }

    /// The fact that counts the same over the whole run.
    pub fn total(&self) -> Option<&'static Self> {
        self.relations.iter().find_map(|relation| match relation {
            Relation::TotalledBy(total) => Some(*total),
            _ => None,
        })
    }

    /// Whether the value of one of two facts may say something about that of the other.
    pub fn is_related_to(&'static self, other: &'static Self) -> bool {
        let (base, other) = (self.base(), other.base());
        let names = |from: &'static Self, to: &'static Self| {
            from.relations.iter().any(|relation| std::ptr::eq(relation.other(), to))
        };
        std::ptr::eq(base, other) || names(base, other) || names(other, base)
    }
}

impl Relation {
    /// The other fact.
    pub const fn other(&self) -> &'static Fact {
        match self {
            Self::AtMost(fact)
            | Self::KnownWith(fact)
            | Self::ZeroWhileUnknown(fact)
            | Self::Disjoint(fact)
            | Self::TrueWhileZero(fact)
            | Self::AtLeast(fact)
            | Self::SameOrOneMore(fact)
            | Self::NothingWhileZero(fact)
            | Self::GrowsWithArguments(fact)
            | Self::SameOverSession(fact)
            | Self::TotalledBy(fact)
            | Self::Completes([fact, _]) => fact,
        }
    }
}
