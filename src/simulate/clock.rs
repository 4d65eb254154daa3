//! Recorded times as seconds.

use jiff::Timestamp;

use crate::quantity::Decimal;

/// When run and session began, and when the last reply came, by the recording's own times.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    session: Option<Timestamp>,
    run: Option<Timestamp>,
    now: Option<Timestamp>,
    /// When the last reply came.
    reply: Option<Timestamp>,
    /// The newest time since then.
    since: Option<Timestamp>,
}

/// What is known of time, in seconds.
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
    /// Notes the time of a message that is no reply.
    pub(super) fn arrive(&mut self, at: Option<&str>) {
        self.since = self.pass(at).or(self.since);
    }

    /// Notes the time of a reply.
    pub(super) fn reply(&mut self, at: Option<&str>) {
        self.reply = self.pass(at);
        self.since = None;
    }

    /// Lets time pass; a time that goes back is taken for the newest one, and one that cannot be read is passed over.
    fn pass(&mut self, at: Option<&str>) -> Option<Timestamp> {
        let at = at?.parse::<Timestamp>().ok()?;
        self.now = Some(self.now.map_or(at, |now| now.max(at)));
        self.session = self.session.or(self.now);
        self.run = self.run.or(self.now);
        self.now
    }

    /// A run begins with the next message.
    pub(super) const fn begin_run(&mut self) {
        self.run = None;
    }

    /// What is known at the newest message.
    pub(super) fn elapsed(&self) -> Elapsed {
        let between = |start: Option<Timestamp>, end: Option<Timestamp>| {
            Some(Decimal::new(end?.as_millisecond() - start?.as_millisecond(), 3))
        };
        Elapsed {
            run: between(self.run, self.now),
            session: between(self.session, self.now),
            idle: between(self.reply, self.since),
        }
    }
}
