// The verdict on each policy, whose texts the program has written.

/** The heading of a verdict with its first letter in upper case. */
const capitalised = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The lines of a verdict. */
function verdictLines({ lines }) {
  const part = (text, kind) => (text === "" ? null : element("span", { class: kind }, text));
  // A line about a transcript begins with its name.
  const folder = COMMON > 0 ? figure(SESSIONS[0], "id").slice(0, COMMON) : "";
  const short = (text) => (folder !== "" && text.startsWith(folder) ? text.slice(COMMON) : text);
  const rows = lines.flatMap(({ label, figures, change, tone, note }) => [
    element("dt", {}, capitalised(label)),
    element("dd", {}, part(short(figures), "figures"), part(change, `change ${tone}`), part(note, "note")),
  ]);
  return element("dl", { class: "verdict" }, rows);
}

/** The verdicts: of one policy below the heading of the page, of several a card each. */
function verdicts() {
  if (POLICIES.length === 1) return verdictLines(POLICIES[0].verdict);
  const card = ({ verdict }, at) =>
    element(
      "article",
      { class: "card" },
      element("h3", {}, POLICY_NAMES[at]),
      element("p", { class: "outcome" }, `${capitalised(verdict.heading)}.`),
      verdictLines(verdict),
    );
  return element("div", { class: "cards" }, POLICIES.map(card));
}
