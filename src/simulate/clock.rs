//! Recorded times as seconds.

use jiff::Timestamp;

use crate::quantity::Decimal;

/// When run and session began, by the recording's own times.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    session: Option<Timestamp>,
    run: Option<Timestamp>,
    now: Option<Timestamp>,
}

impl Clock {
    /// Notes the time of a message; one that cannot be read, or goes back, is passed over.
    pub(super) fn tell(&mut self, at: Option<&str>) {
        let Some(at) = at.and_then(|at| at.parse::<Timestamp>().ok()) else { return };
        self.now = Some(self.now.map_or(at, |now| now.max(at)));
        self.session = self.session.or(self.now);
        self.run = self.run.or(self.now);
    }

    /// A run begins with the next message.
    pub(super) const fn begin_run(&mut self) {
        self.run = None;
    }

    /// Seconds since the run and since the session began.
    pub(super) fn elapsed(&self) -> (Option<Decimal>, Option<Decimal>) {
        let since = |start: Option<Timestamp>| {
            let passed = self.now?.as_millisecond() - start?.as_millisecond();
            Some(Decimal::new(passed, 3))
        };
        (since(self.run), since(self.session))
    }
}
