//! Elapsed time by the timestamps of messages.

use trimtab::quantity::Decimal;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Clock {
    session: Option<u64>,
    run: Option<u64>,
    now: Option<u64>,
    reply: Option<u64>,
    since: Option<u64>,
    idle: Option<Decimal>,
}

/// The seconds of a timestamp since midnight; all timestamps here are of one day.
fn seconds(at: &str) -> Option<u64> {
    let time = at.split_once('T')?.1.strip_suffix('Z')?;
    let mut numbers = time.split(':').map(|number| number.parse::<u64>().ok());
    Some(numbers.next()?? * 3600 + numbers.next()?? * 60 + numbers.next()??)
}

impl Clock {
    /// A time before the newest one counts as the newest one.
    fn advance(&mut self, at: Option<&str>) -> Option<u64> {
        let at = seconds(at?)?;
        self.now = Some(self.now.map_or(at, |now| now.max(at)));
        self.session = self.session.or(self.now);
        self.run = self.run.or(self.now);
        self.now
    }

    pub(super) fn input(&mut self, at: Option<&str>) {
        self.since = self.advance(at).or(self.since);
        self.begin_call(None);
    }

    /// A call at the time of its reply, or else with the newest message.
    pub(super) fn begin_call(&mut self, at: Option<&str>) {
        let at = at.and_then(seconds).map(|at| self.now.map_or(at, |now| now.max(at)));
        self.idle = between(self.reply, at.or(self.since));
    }

    pub(super) fn reply(&mut self, at: Option<&str>) {
        self.reply = self.advance(at);
        self.since = None;
    }

    pub(super) const fn begin_run(&mut self) {
        self.run = None;
    }

    pub(super) fn run(&self) -> Option<Decimal> {
        between(self.run, self.now)
    }

    pub(super) fn session(&self) -> Option<Decimal> {
        between(self.session, self.now)
    }

    pub(super) const fn now(&self) -> Option<u64> {
        self.now
    }

    pub(super) const fn idle(&self) -> Option<Decimal> {
        self.idle
    }
}

fn between(start: Option<u64>, end: Option<u64>) -> Option<Decimal> {
    Some(Decimal::from(end? - start?))
}
