//! Reads the tables of the settings file.

use smol_str::SmolStr;
use toml::de::DeTable;
use trimtab_base::diagnostic::{Diagnostic, Severity};
use trimtab_base::quantity::{Decimal, Quantity, Unit};
use trimtab_base::source::{Source, Span, Spanned, has_root};
use trimtab_language::check::Agent;
use trimtab_lint::lint::{self, Certainty, Settings};

use super::value::{Reader, Value};
use super::{Config, LintSelection, RecordingLimits, Simulation, error};

const SEVERITIES: [(&str, Severity); 3] =
    [("error", Severity::Error), ("warning", Severity::Warning), ("info", Severity::Info)];

const CERTAINTIES: [(&str, Certainty); 3] =
    [("proved", Certainty::Proved), ("structural", Certainty::Structural), ("heuristic", Certainty::Heuristic)];

pub(super) fn config(source: &Source) -> (Config, Vec<Diagnostic>) {
    let mut reader = Reader { source: source.id(), diagnostics: Vec::new() };
    let (root, errors) = DeTable::parse_recoverable(source.text());
    for parse_error in &errors {
        let span = parse_error.span().map_or(source.span(), |range| reader.span(range));
        reader.diagnostics.push(error::not_toml(span, parse_error.message()));
    }
    let mut config = Config::default();
    if errors.is_empty() {
        let span = root.span();
        let root = toml::Spanned::new(span, toml::de::DeValue::Table(root.into_inner()));
        reader.root(&root, &mut config);
    }
    trimtab_base::diagnostic::sort(&mut reader.diagnostics);
    (config, reader.diagnostics)
}

impl Reader {
    fn root(&mut self, root: &Value<'_>, config: &mut Config) {
        const KNOWN: &[&str] = &["profile", "profiles", "models", "lint", "simulate", "recordings", "ci"];
        for (key, _, value) in self.table(root, "the file", KNOWN) {
            match key {
                "profile" => config.profile = self.text(value, "`profile`"),
                "profiles" => config.profiles = self.profiles(value),
                "models" => config.models = self.models(value),
                "lint" => self.lint(value, config),
                "simulate" => config.simulations = self.each(value, "`[[simulate]]`", Self::simulation),
                "recordings" => config.recordings = self.each(value, "`[[recordings]]`", Self::recording_limits),
                _ => self.ci(value, config),
            }
        }
        self.diagnostics.extend(config.named_paths().filter(|path| has_root(&path.node)).map(error::absolute_path));
        let names: Vec<SmolStr> = config.profiles.iter().map(|(name, _)| name.node.clone()).collect();
        let requested =
            config.simulations.iter().filter_map(|simulation| simulation.profile.as_ref()).chain(&config.profile);
        let unknown: Vec<&Spanned<SmolStr>> = requested.filter(|profile| !names.contains(&profile.node)).collect();
        self.diagnostics.extend(unknown.into_iter().map(|profile| error::unknown_profile(profile, &names)));
    }

    fn profiles(&mut self, value: &Value<'_>) -> Vec<(Spanned<SmolStr>, Agent)> {
        let Some(table) = self.map(value, "`[profiles]`") else { return Vec::new() };
        let profile = |(name, value): (&toml::Spanned<toml::de::DeString<'_>>, &Value<'_>)| {
            let span = self.span(name.span());
            (Spanned::new(SmolStr::from(name.get_ref().as_ref()), span), self.host(value))
        };
        table.iter().map(profile).collect()
    }

    fn host(&mut self, value: &Value<'_>) -> Agent {
        const KNOWN: &[&str] = &["model", "window", "reserve", "overhead", "tools"];
        let mut agent = Agent::default();
        for (key, _, value) in self.table(value, "a profile", KNOWN) {
            let what = format!("`{key}`");
            let mut tokens = || self.quantity(value, &what, Unit::Tokens);
            match key {
                "window" => agent.window = tokens().and_then(|value| self.some_tokens(value)),
                "reserve" => agent.reserve = tokens().map(|value| value.node.to_u64()),
                "overhead" => agent.overhead = tokens().map(|value| value.node.to_u64()),
                "model" => agent.model = self.text(value, &what),
                _ => agent.tools = Some(self.texts(value, &what).into_iter().map(|name| name.node).collect()),
            }
        }
        agent
    }

    /// A window of at least one token.
    pub(super) fn some_tokens(&mut self, written: Spanned<Quantity>) -> Option<Spanned<u64>> {
        let tokens = written.node.to_u64();
        if tokens == 0 {
            self.diagnostics.push(error::never_met(written.span, "a window must have at least 1 token"));
        }
        (tokens > 0).then_some(Spanned::new(tokens, written.span))
    }

    /// A share of at most 100%.
    fn at_most_all(&mut self, written: Spanned<Quantity>) -> Option<Decimal> {
        let share = written.node.amount;
        if share > Decimal::ONE {
            self.diagnostics.push(error::never_met(written.span, "coverage cannot exceed 100%"));
        }
        (share <= Decimal::ONE).then_some(share)
    }

    fn lint(&mut self, value: &Value<'_>, config: &mut Config) {
        const KNOWN: &[&str] = &["select", "extend", "ignore", "certainty", "severity", "settings", "files"];
        for (key, _, value) in self.table(value, "`[lint]`", KNOWN) {
            if key == "files" {
                config.files = self.each(value, "`[[lint.files]]`", Self::for_files);
            } else {
                self.selection_key(key, value, &mut config.lint);
            }
        }
    }

    fn for_files(&mut self, value: &Value<'_>) -> Option<(Vec<Spanned<SmolStr>>, LintSelection)> {
        const KNOWN: &[&str] = &["paths", "select", "extend", "ignore", "certainty", "severity", "settings"];
        let (mut paths, mut choice) = (None, LintSelection::default());
        for (key, _, value) in self.table(value, "`[[lint.files]]`", KNOWN) {
            if key == "paths" {
                paths = Some(self.texts(value, "`paths`"));
            } else {
                self.selection_key(key, value, &mut choice);
            }
        }
        if paths.is_none() {
            let span = self.span(value.span());
            self.diagnostics.push(error::missing_key(span, "`[[lint.files]]`", "paths", "paths = [\"examples/**\"]"));
        }
        Some((paths?, choice))
    }

    fn selection_key(&mut self, key: &str, value: &Value<'_>, choice: &mut LintSelection) {
        match key {
            "select" => choice.select = Some(self.lints(value, "`select`")),
            "extend" => choice.extend = self.lints(value, "`extend`"),
            "ignore" => choice.ignore = self.lints(value, "`ignore`"),
            "certainty" => choice.certainty = self.choice(value, "`certainty`", &CERTAINTIES),
            "severity" => choice.severity = self.severities(value),
            _ => choice.settings = self.settings(value),
        }
    }

    /// Names of lints and categories.
    fn lints(&mut self, value: &Value<'_>, what: &str) -> Vec<SmolStr> {
        let words = self.texts(value, what);
        words.into_iter().filter(|word| self.is_lint(&word.node, word.span)).map(|word| word.node).collect()
    }

    fn is_lint(&mut self, word: &str, span: Span) -> bool {
        match Settings::default().extend(word) {
            Ok(()) => true,
            Err(unknown) => {
                self.diagnostics.push(error::unknown_lint(span, &unknown));
                false
            }
        }
    }

    fn severities(&mut self, value: &Value<'_>) -> Vec<(SmolStr, Severity)> {
        let Some(table) = self.map(value, "`[lint.severity]`") else { return Vec::new() };
        let mut all = Vec::new();
        for (name, value) in table {
            let span = self.span(name.span());
            let severity = self.choice(value, "a severity", &SEVERITIES);
            if self.is_lint(name.get_ref(), span) {
                all.extend(severity.map(|severity| (SmolStr::from(name.get_ref().as_ref()), severity)));
            }
        }
        all
    }

    fn settings(&mut self, value: &Value<'_>) -> Vec<(SmolStr, SmolStr, Quantity)> {
        let Some(table) = self.map(value, "`[lint.settings]`") else { return Vec::new() };
        let mut all = Vec::new();
        for (name, value) in table {
            let (word, span) = (SmolStr::from(name.get_ref().as_ref()), self.span(name.span()));
            let Some(lint) = lint::find(&word) else {
                self.is_lint(&word, span);
                continue;
            };
            let known: Vec<&'static str> = lint.options.iter().map(|option| option.name).collect();
            for (key, _, value) in self.table(value, &format!("`[lint.settings.{word}]`"), &known) {
                let unit =
                    lint.options.iter().find(|option| option.name == key).map_or(Unit::Share, |option| option.unit);
                let quantity = self.quantity(value, &format!("`{key}`"), unit);
                all.extend(quantity.map(|quantity| (word.clone(), SmolStr::new_static(key), quantity.node)));
            }
        }
        all
    }

    fn simulation(&mut self, value: &Value<'_>) -> Option<Simulation> {
        const KNOWN: &[&str] = &["policy", "name", "transcripts", "profile", "expect"];
        let (mut policy, mut transcripts) = (None, None);
        let (mut name, mut profile, mut expect) = (None, None, Vec::new());
        for (key, _, value) in self.table(value, "`[[simulate]]`", KNOWN) {
            match key {
                "policy" => policy = self.text(value, "`policy`"),
                "name" => name = self.text(value, "`name`").map(|name| name.node),
                "transcripts" => transcripts = Some(self.texts(value, "`transcripts`")),
                "profile" => profile = self.text(value, "`profile`"),
                _ => expect = self.texts(value, "`expect`"),
            }
        }
        let span = self.span(value.span());
        if policy.is_none() {
            let sample = "policy = \"policies/coder.trim\"";
            self.diagnostics.push(error::missing_key(span, "`[[simulate]]`", "policy", sample));
        }
        if transcripts.is_none() {
            let sample = "transcripts = [\"recordings/*.jsonl\"]";
            self.diagnostics.push(error::missing_key(span, "`[[simulate]]`", "transcripts", sample));
        }
        Some(Simulation { policy: policy?, name, transcripts: transcripts?, profile, expect })
    }

    fn recording_limits(&mut self, value: &Value<'_>) -> Option<RecordingLimits> {
        let (mut transcripts, mut limit) = (None, None);
        for (key, _, value) in self.table(value, "`[[recordings]]`", &["transcripts", "max_avoidable_cost"]) {
            match key {
                "transcripts" => transcripts = Some(self.texts(value, "`transcripts`")),
                // A wrong value is not a missing one.
                _ => limit = Some(self.quantity(value, "`max_avoidable_cost`", Unit::Money)),
            }
        }
        let span = self.span(value.span());
        if transcripts.is_none() {
            let sample = "transcripts = [\"recordings/*.jsonl\"]";
            self.diagnostics.push(error::missing_key(span, "`[[recordings]]`", "transcripts", sample));
        }
        if limit.is_none() {
            let sample = "max_avoidable_cost = \"$0.50\"";
            self.diagnostics.push(error::missing_key(span, "`[[recordings]]`", "max_avoidable_cost", sample));
        }
        let limit = limit??;
        let max_avoidable_cost = Spanned::new(limit.node.amount, limit.span);
        Some(RecordingLimits { transcripts: transcripts?, max_avoidable_cost })
    }

    fn ci(&mut self, value: &Value<'_>, config: &mut Config) {
        for (key, _, value) in self.table(value, "`[ci]`", &["paths", "fail_level", "coverage"]) {
            match key {
                "paths" => config.paths = self.texts(value, "`paths`"),
                "fail_level" => config.fail_level = self.choice(value, "`fail_level`", &SEVERITIES),
                _ => {
                    let share = self.quantity(value, "`coverage`", Unit::Share);
                    config.coverage = share.and_then(|share| self.at_most_all(share));
                }
            }
        }
    }

    /// The entries of a list of tables.
    fn each<T>(&mut self, value: &Value<'_>, what: &str, read: fn(&mut Self, &Value<'_>) -> Option<T>) -> Vec<T> {
        let Some(list) = value.get_ref().as_array() else {
            self.wrong(value, what, "a list of tables, each under its own heading");
            return Vec::new();
        };
        list.iter().filter_map(|value| read(self, value)).collect()
    }
}
