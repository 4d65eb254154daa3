// The data of a report on replays, and how its figures are read.

const POLICIES = DATA.policies;
const SESSIONS = DATA.sessions;
const IS_ONE = SESSIONS.length === 1;

/** The place of the figures of the policies in a row: after those of the recording. */
const OF_POLICIES = DATA.columns.length;

/** A figure of a transcript, such as `calls`. */
const figure = (row, name) => row[DATA.columns.indexOf(name)];

/** A figure of a transcript under a policy, such as `cost_saved`. */
const policyFigure = (row, policy, name) => row[OF_POLICIES][policy][DATA.policy_columns.indexOf(name)];

/** The recorded figure that a policy is compared with: `tokens` or `cost`. It depends on the host that the policy names. */
function recordedFigure(row, policy, name) {
  const [figure, saved] = [policyFigure(row, policy, name), policyFigure(row, policy, `${name}_saved`)];
  return figure === null || saved === null ? null : figure + saved;
}

/** Whether the policies name different hosts, so that the recorded figures differ. */
const HAS_DIFFERENT_HOSTS = POLICIES.some(({ total }) =>
  [total.before.tokens_sent !== POLICIES[0].total.before.tokens_sent, total.money.before.cost !== POLICIES[0].total.money.before.cost].some(Boolean),
);

const HOSTS_DIFFER = "The policies are for different hosts, such as other models or overheads, so the recorded figures differ.";
const HOSTS_NOTE = `${HOSTS_DIFFER} Those of ${POLICIES[0]?.name} are shown as recorded.`;

/** The name of each policy, or its file if several have the same name. */
const POLICY_NAMES = POLICIES.map((policy) =>
  POLICIES.filter((other) => other.name === policy.name).length > 1 ? policy.file : policy.name,
);

const KINDS = ["text", "tool call", "tool result", "reasoning", "image", "other"];
const ROLES = ["system", "user", "assistant", "tool"];
const LEVELS = ["whole", "trimmed", "masked", "offloaded", "removed"];

/** The name of a rule of a policy; the recorded harness edits its context, too. */
const ruleName = (policy, rule) =>
  rule === null || rule === undefined ? "the recorded harness" : POLICIES[policy].rules[rule];

