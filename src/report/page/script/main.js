// The page.

function main() {
  const names = POLICY_NAMES.join(", ");
  const calls = POLICIES[0]?.total.calls ?? 0;
  const subject = IS_ONE ? figure(SESSIONS[0], "id") : plural(SESSIONS.length, "session");
  document.title = `${names} on ${subject} – simulation report`;
  document.getElementById("subtitle").textContent = `${names} on ${subject} with ${plural(calls, "model call")}`;
  const titles = POLICIES.filter((policy) => policy.title).map((policy, at) => element("li", {}, `${POLICY_NAMES[at]}: ${policy.title}`));
  const sections = [
    section("summary", "Summary", DATA.sample ? element("p", {}, DATA.sample) : null, titles.length > 0 ? element("ul", {}, titles) : null, comparisonTable(), HAS_DIFFERENT_HOSTS ? element("p", { class: "note" }, HOSTS_NOTE) : null),
  ];
  const isEmpty = SESSIONS.length === 0;
  if (!IS_ONE && !isEmpty) {
    const saving = [savingChart("Tokens saved", "tokens"), savingChart("Cost saved", "cost")];
    sections.push(
      section("distributions", "Distributions", element("div", { class: "columns" }, peaksChart(), ...saving)),
      section("extremes", "Gains and losses", extremes()),
      section("rules", "Rules", rulesTable()),
      section("sessions", "Sessions", sessionsTable()),
    );
  }
  if (DATA.details.length > 0) {
    const note = `Details of ${plural(DATA.details.length, "session")} are in this page: those that gain and lose most.`;
    const controls = IS_ONE ? [] : [element("p", { class: "note" }, note), element("div", { class: "controls" }, labelled("Session", sessionChoice))];
    sections.push(section("session", "Session", ...controls, sessionPlace));
  }
  if (DATA.errors.length > 0) {
    const rows = DATA.errors.map((error) => [error.file, error.line === null ? "" : whole(error.line), error.message]);
    sections.push(section("errors", "Recordings that could not be replayed", plainTable("Reasons", ["Recording", "Line", "Reason"], rows)));
  }
  showSections(sections);
  if (DATA.details.length > 0) showSession(mostChanged(), false);
  const texts = DATA.has_texts ? "It contains texts of the recordings." : "It contains no texts of the recordings, except names of recordings, models, tools and rules.";
  document.getElementById("footer").append(
    element("p", {}, DATA.notice),
    element("p", {}, `Made by Trimtab ${DATA.version}. ${texts} Charts: uPlot 1.6.32, © 2022 Leon Sorokin, MIT licence.`),
  );
}

main();
