// The page of a sweep.

const ALL = COMBINATIONS.map((_, at) => at);

/** The decimal places of multiples of a step. */
const places = (step) => Math.max(0, -Math.floor(Math.log10(step) + 1e-9));

/** How the numbers at an axis are written. */
const FORMATS = {
  cost: (amount, step) => `$${amount.toFixed(Math.max(2, places(step)))}`,
  peak: (share, step) => `${(share * 100).toFixed(places(step * 100))}%`,
};

/** An axis of the chart. */
const chartAxis = (axis) => ({ ...AXES[axis], format: FORMATS[AXES[axis].name] ?? short });

/** The points of all combinations on a set, at the objective and another axis. */
function points(half, axis) {
  const shown = ALL.filter((at) => mean(at, half, 0) !== null && mean(at, half, axis) !== null);
  return shown.map((at) => {
    const figures = [...new Set([0, axis])].map((one) => `${AXES[one].name} ${meanText(at, half, one)}`);
    const name = [at === DATA.winner ? "winner" : null, at === 0 ? "as written" : null].filter(Boolean).join(", ");
    const label = [settingsOf(at), figures.join(", "), roles(at)].filter(Boolean).join("; ");
    return { id: at, x: mean(at, half, 0), y: mean(at, half, axis), kind: kinds(at), label, name };
  });
}

/** The section with the chart, and how to open a combination. */
function frontSection() {
  const heading = element("h3", { tabindex: "-1", id: "settings-heading" });
  const details = element("div");
  const settings = element("section", { id: "settings", "aria-labelledby": heading.id }, heading, details);
  const chart = scatter("Combinations", (at) => open(at, true));
  const state = { half: 0, axis: AXES.length > 1 ? 1 : 0 };

  function open(at, takesFocus) {
    heading.replaceChildren("Settings: ", element("code", {}, settingsOf(at)));
    details.replaceChildren(...combinationDetails(at).filter(Boolean));
    chart.select(at);
    if (takesFocus) heading.focus();
  }

  function show(change) {
    Object.assign(state, change);
    chart.show({ points: points(state.half, state.axis), xAxis: chartAxis(0), yAxis: chartAxis(state.axis), hasEnvelope: state.half === 0 && state.axis !== 0 });
  }

  const names = OBJECTIVE_AXES.map(({ name }) => name);
  const meaning = names.length > 1
    ? `A combination is on the front if, on the tuning set, no other one is better on one axis and as good on the others (${names.join(", ")}).`
    : `The front has the combination with the least ${names[0]} on the tuning set.`;
  const halves = DATA.transcripts.map((count, half) => `${HALVES[half]} (${plural(count, "transcript")})`);
  const axes = AXES.slice(1).map(({ name }) => name);
  const controls = element(
    "div",
    { class: "controls" },
    labelled("Set", choice(halves, 0, (half) => show({ half }))),
    axes.length > 0 ? labelled("Vertical axis", choice(axes, 0, (axis) => show({ axis: axis + 1 }))) : null,
  );
  const legend = element(
    "ul",
    { class: "legend" },
    DATA.winner === null ? null : legendEntry("winner", "winner"),
    legendEntry("written", "as written"),
    legendEntry("front", "on the front"),
    legendEntry("other", "not on the front"),
    ALL.some((at) => !COMBINATIONS[at].is_feasible) ? legendEntry("broken", "breaks a constraint") : null,
    legendEntry("envelope", "front on these two axes, tuning set"),
  );
  const figure = element("figure", {}, element("figcaption", {}, "Means per transcript; less is better"), legend, ...chart.made);
  const made = section(
    "front",
    "Pareto front",
    element("p", {}, meaning, " Choose a point to see its settings: click it, or move to it with the arrow keys and press Enter."),
    controls,
    element("div", { class: "columns" }, figure, settings),
  );
  show({});
  open(DATA.winner ?? 0, false);
  return { made, open: (at) => open(at, true) };
}

/** What can be concluded. */
function resultSection() {
  const conclusion = withCode(DATA.conclusion);
  const warning = element("p", { class: "alarm" }, element("strong", {}, "Warning: "), ...conclusion);
  const leads = DATA.leads.map((lead) => element("li", {}, ...withCode(lead)));
  return section(
    "result",
    "Result",
    DATA.partial === null ? null : element("p", {}, `${DATA.partial} read.`),
    DATA.is_good ? element("p", {}, ...conclusion) : warning,
    leads.length > 0 ? element("p", {}, "Differences, with 95% intervals by a bootstrap over transcripts:") : null,
    leads.length > 0 ? element("ul", {}, leads) : null,
    ...DATA.notes.map((note) => element("p", { class: "note" }, ...withCode(note))),
  );
}

/** The front as a table, and all combinations. */
function tableSection(open) {
  const front = DATA.front.includes(0) ? DATA.front : [...DATA.front, 0];
  const all = element("details", {}, element("summary", {}, `All ${plural(ALL.length, "combination")}`));
  all.addEventListener("toggle", () => {
    if (all.open && all.children.length === 1) all.append(combinationTable("All combinations, means per transcript", ALL, open));
  });
  const hasMore = ALL.length > front.length;
  return section("combinations", "Combinations", combinationTable("The front and the file as written, means per transcript", front, open), hasMore ? all : null);
}

function main() {
  document.title = `${DATA.policy} – sweep report`;
  document.getElementById("subtitle").append(...withCode(DATA.heading));
  const front = frontSection();
  const sections = [resultSection(), front.made, tableSection(front.open)];
  if (DATA.errors.length > 0) {
    const rows = DATA.errors.map((error) => [error.file, error.line === null ? "" : whole(error.line), error.message]);
    sections.push(section("errors", "Recordings that could not be replayed", plainTable("Reasons", ["Recording", "Line", "Reason"], rows)));
  }
  showSections(sections);
  document.getElementById("footer").append(
    element("p", {}, DATA.notice),
    element("p", {}, `Made by Trimtab ${DATA.version} from `, element("code", {}, DATA.file), ". It contains no text from the recordings."),
  );
}

main();
