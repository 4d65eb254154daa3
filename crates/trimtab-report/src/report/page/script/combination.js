// A combination of values: its settings, its figures and its place in the sweep.

const { axes: AXES, combinations: COMBINATIONS, parameters: PARAMETERS } = DATA;
const OBJECTIVE_AXES = AXES.slice(0, DATA.objective_axes);
const HALVES = ["tuning set", "held-out set"];
const FRONT = new Set(DATA.front);

/** `high=70%, step=500` */
const settingsOf = (at) => PARAMETERS.map(({ name }, parameter) => `${name}=${COMBINATIONS[at].settings[parameter]}`).join(", ");

/** The mean on an axis of a set as a number; none if it is unknown. */
const mean = (at, half, axis) => COMBINATIONS[at].halves[half].means[axis]?.[0] ?? null;

/** The mean on an axis of a set as it is written. */
const meanText = (at, half, axis) => COMBINATIONS[at].halves[half].means[axis]?.[1] ?? "none";

/** What a combination is, in classes of a point. */
const kinds = (at) =>
  [
    [at === DATA.winner, "winner"],
    [at === 0, "written"],
    [FRONT.has(at), "front"],
    [!COMBINATIONS[at].is_feasible, "broken"],
  ].flatMap(([is, kind]) => (is ? [kind] : []));

const KIND_WORDS = { winner: "winner", written: "as written", front: "on the front", broken: "breaks a constraint" };

/** What a combination is, in words. */
const roles = (at) => kinds(at).map((kind) => KIND_WORDS[kind]).join(", ");

/** A text with its parts between backticks as code. */
const withCode = (text) => text.split("`").map((part, at) => (at % 2 === 1 ? element("code", {}, part) : part));

/** The settings of a combination and its figures on both sets. */
function combinationDetails(at) {
  const { settings, halves } = COMBINATIONS[at];
  const parameters = PARAMETERS.map(({ name, written }, parameter) => [name, settings[parameter], written]);
  const figures = OBJECTIVE_AXES.flatMap(({ name }, axis) =>
    halves.map(({ differences }, half) => {
      const difference = at === 0 ? [] : [differences[axis] ?? "none"];
      return [`${name}, ${HALVES[half]}`, meanText(at, half, axis), ...difference];
    }),
  );
  const others = AXES.slice(OBJECTIVE_AXES.length).map(({ name }, rest) => {
    const axis = OBJECTIVE_AXES.length + rest;
    return [name, meanText(at, 0, axis), meanText(at, 1, axis)];
  });
  const counts = halves.map(({ broken }, half) => `${plural(broken, "transcript")} of the ${HALVES[half]}`);
  const isBroken = halves.some(({ broken }) => broken > 0);
  const constraints = isBroken ? `A constraint does not hold on ${counts.join(" and ")}.` : "All constraints hold on all transcripts.";
  const compared = at === 0 ? [] : ["Compared with the file as written, 95% interval"];
  const otherTable = () => plainTable("Means per transcript", ["Axis", "Tuning set", "Held-out set"], others);
  return [
    element("p", {}, roles(at) ? `This combination: ${roles(at)}.` : "This combination is not on the front."),
    plainTable("Settings", ["Constant", "Value", "As written"], parameters),
    plainTable("Means per transcript", ["Figure", "Mean", ...compared], figures),
    DATA.has_constraints ? element("p", {}, constraints) : null,
    others.length > 0 ? element("details", {}, element("summary", {}, "Other axes"), otherTable()) : null,
  ];
}

/** A table of combinations; the settings of a row open it. */
function combinationTable(caption, all, open) {
  const columns = [
    {
      label: "Settings",
      isText: true,
      value: settingsOf,
      node: (at) => element("button", { type: "button", class: "link", onclick: () => open(at) }, settingsOf(at)),
    },
    { label: "Role", isText: true, value: roles, text: roles },
    ...["tuning", "held out"].flatMap((name, half) => [
      ...OBJECTIVE_AXES.map((axis, index) => ({
        label: `${axis.name}, ${name}`,
        value: (at) => mean(at, half, index),
        text: (at) => meanText(at, half, index),
      })),
      ...(DATA.has_constraints ? [brokenColumn(half, name)] : []),
    ]),
  ];
  return longTable({ caption, noun: "combination", columns, rows: all, sort: null, filterText: all.length > 20 ? settingsOf : null });
}

const brokenColumn = (half, name) => {
  const count = (at) => COMBINATIONS[at].halves[half].broken;
  return { label: `broken, ${name}`, value: count, text: (at) => whole(count(at)) };
};

