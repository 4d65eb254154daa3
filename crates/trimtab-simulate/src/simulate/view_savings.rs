//! What views save, by the rules that made them.

use trimtab_base::conversation::Lifetime;

/// The savings of the views in force.
#[derive(Debug, Default)]
pub(super) struct ViewSavings {
    run: u64,
    /// For each rule and each time that its views last, the tokens that these took away from the requests as they were then; the
    /// newest last.
    views: Vec<(usize, Lifetime, i128)>,
}

impl ViewSavings {
    /// Forgets the views of an earlier run, except those for the session.
    pub(super) fn begin_call(&mut self, run: u64) {
        if self.run != run {
            self.run = run;
            self.views.retain(|(_, lifetime, _)| *lifetime == Lifetime::Session);
        }
    }

    /// Records the views of a rule.
    pub(super) fn record(&mut self, rule: usize, savings: &[(Lifetime, i128)]) {
        for (lifetime, saved) in savings {
            let is_same = |view: &mut (usize, Lifetime, i128)| view.0 == rule && view.1 == *lifetime;
            let earlier: i128 = self.views.extract_if(.., is_same).map(|(.., saved)| saved).sum();
            self.views.push((rule, *lifetime, earlier + saved));
        }
    }

    /// What each rule saved at a call, at which all views together saved `total` tokens. An edit after a view may have
    /// changed what the view saves; the last view gets the difference. Views of one call end.
    pub(super) fn end_call(&mut self, total: i128) -> Vec<(usize, i128)> {
        let mut saved: Vec<(usize, i128)> = self.views.iter().map(|(rule, _, saved)| (*rule, *saved)).collect();
        let sum: i128 = saved.iter().map(|(_, saved)| saved).sum();
        if let Some((_, last)) = saved.last_mut() {
            *last += total - sum;
        }
        self.views.retain(|(_, lifetime, _)| *lifetime != Lifetime::Request);
        saved
    }
}
