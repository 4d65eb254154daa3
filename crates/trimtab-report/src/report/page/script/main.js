// The page.

function main() {
  const one = POLICIES.length === 1 ? POLICIES[0] : null;
  const subject = IS_ONE ? figure(SESSIONS[0], "id") : plural(SESSIONS.length, "transcript");
  const names = POLICY_NAMES.join(", ");
  const heading = one ? capitalised(one.verdict.heading) : `${plural(POLICIES.length, "policy", "policies")} on ${subject}`;
  document.title = `${one ? `${heading}: ` : ""}${names} on ${subject}`;
  document.querySelector("h1").replaceChildren(...breakable(heading));
  document.getElementById("subtitle").textContent = one ? one.verdict.title : names;
  const titles = POLICIES.map((policy, at) => policy.title && element("li", {}, `${POLICY_NAMES[at]}: ${policy.title}`)).filter(Boolean);
  const about = one?.title ? element("p", {}, one.title) : titles.length > 0 ? element("ul", {}, titles) : null;
  const sections = [section("verdict", "Verdict", verdicts(), HAS_DIFFERENT_HOSTS ? element("p", { class: "note" }, HOSTS_DIFFER) : null, DATA.sample ? element("p", {}, DATA.sample) : null, about)];
  const isEmpty = SESSIONS.length === 0;
  if (!isEmpty) {
    if (!IS_ONE) sections.push(section("changes", "Changes", ...changes()));
    if (!IS_ONE) sections.push(section("rules", "Rules", rulesTable()));
    if (!IS_ONE) sections.push(section("sessions", "Transcripts", sessionsTable()));
  }
  if (DATA.details.length > 0) {
    const note = `Details of ${plural(DATA.details.length, "transcript")} are in this page: those that change most, then the largest.`;
    const controls = IS_ONE ? [] : [element("p", { class: "note" }, note), element("div", { class: "controls" }, labelled("Transcript", sessionChoice))];
    sections.push(section("session", IS_ONE ? "Transcript" : "One transcript", ...controls, sessionPlace));
  }
  sections.push(section("figures", "Figures", comparisonTable(), harnessNote(), HAS_DIFFERENT_HOSTS ? element("p", { class: "note" }, HOSTS_NOTE) : null));
  if (DATA.errors.length > 0) {
    const rows = DATA.errors.map((error) => [error.file, error.line === null ? "" : whole(error.line), error.message]);
    sections.push(section("errors", "Recordings that could not be replayed", plainTable("Reasons", ["Recording", "Line", "Reason"], rows)));
  }
  showSections(sections);
  if (DATA.details.length > 0) showSession(mostChanged(), false);
  const texts = DATA.has_texts ? "It contains text from the recordings." : "It contains no text from the recordings, except names of recordings, models, tools and rules.";
  document.getElementById("footer").append(
    element("p", {}, DATA.notice),
    element("p", {}, `Made by Trimtab ${DATA.version}. ${texts}`),
  );
}

main();
