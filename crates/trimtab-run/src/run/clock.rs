//! Elapsed seconds from recorded timestamps.

use jiff::Timestamp;
use trimtab_base::quantity::Decimal;

/// The start of the run and the session, and the time of the last reply, from recorded timestamps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clock {
    session: Option<Timestamp>,
    run: Option<Timestamp>,
    now: Option<Timestamp>,
    /// The time of the last reply.
    reply: Option<Timestamp>,
    /// The newest timestamp after it.
    since: Option<Timestamp>,
}

/// Elapsed time in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Elapsed {
    /// Since the run began.
    pub(super) run: Option<Decimal>,
    /// Since the session began.
    pub(super) session: Option<Decimal>,
    /// Since the last reply.
    pub(super) idle: Option<Decimal>,
}

impl Clock {
    /// Records the time of a message that is not a reply.
    pub fn input(&mut self, at: Option<&str>) {
        self.since = self.advance(at).or(self.since);
    }

    /// Records the time of a reply.
    pub fn reply(&mut self, at: Option<&str>) {
        self.reply = self.advance(at);
        self.since = None;
    }

    /// Advances the clock. An earlier timestamp counts as the newest one; one that cannot be parsed is ignored.
    fn advance(&mut self, at: Option<&str>) -> Option<Timestamp> {
        let at = at?.parse::<Timestamp>().ok()?;
        self.now = Some(self.now.map_or(at, |now| now.max(at)));
        self.session = self.session.or(self.now);
        self.run = self.run.or(self.now);
        self.now
    }

    /// The seconds between the last reply and a call at this time; up to the newest message if the time is not known.
    pub fn idle_until(&self, call: Option<&str>) -> Option<Decimal> {
        let call = call.and_then(|at| at.parse::<Timestamp>().ok());
        let call = call.map(|at| self.now.map_or(at, |now| now.max(at)));
        between(self.reply, call.or(self.since))
    }

    /// The next message begins a run.
    pub(super) const fn begin_run(&mut self) {
        self.run = None;
    }

    /// The elapsed time at the newest message.
    pub(super) fn elapsed(&self) -> Elapsed {
        Elapsed {
            run: between(self.run, self.now),
            session: between(self.session, self.now),
            idle: between(self.reply, self.since),
        }
    }
}

/// Returns the seconds between two times, or `None` if one is unknown.
fn between(start: Option<Timestamp>, end: Option<Timestamp>) -> Option<Decimal> {
    Some(Decimal::new(end?.as_millisecond() - start?.as_millisecond(), 3))
}
