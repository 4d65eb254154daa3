// The data of the page, and how figures are written.

const DATA = JSON.parse(document.getElementById("data").textContent);

const WHOLE = new Intl.NumberFormat("en-US");
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

const UNKNOWN = "unknown";

/** A whole number with thousands separators. */
const whole = (number) => (number === null || number === undefined ? UNKNOWN : WHOLE.format(number));

/** A number for an axis, such as 12.5K. */
const short = (number) => SHORT.format(number);

/** An amount of US dollars with as many places as matter. */
function dollars(amount) {
  if (amount === null || amount === undefined) return UNKNOWN;
  const size = Math.abs(amount);
  const sign = amount < 0 ? "−" : "";
  if (size > 0 && size < 0.0005) return `${sign}under $0.001`;
  const places = size >= 1 ? 2 : 3;
  const digits = { minimumFractionDigits: places, maximumFractionDigits: places };
  return `${sign}$${size.toLocaleString("en-US", digits)}`;
}

/** A signed whole number. */
const signed = (number) => (number === null ? UNKNOWN : number < 0 ? `−${whole(-number)}` : whole(number));

/** Between which values a figure is expected; empty if they are unknown or written alike. */
function interval({ low, high }, format) {
  if (low === null || high === null) return "";
  const [from, to] = [format(low), format(high)];
  return from === to ? "" : `${from}\u00a0to\u00a0${to}`;
}

/** Between which values the saving of a rule is expected: money if its price is known, and tokens. */
const savingInterval = ({ interval: { tokens, cost } }) => (cost.low === null ? tokens : cost);

/** The same as text. */
function savingText(rule) {
  const isPriced = rule.interval.cost.low !== null;
  const text = interval(savingInterval(rule), isPriced ? dollars : signed);
  return text === "" || isPriced ? text : `${text} tokens`;
}

/** A part of a whole in percent; empty if there is no whole. */
function percent(part, all) {
  if (part === null || part === undefined || !all) return "";
  const share = (part / all) * 100;
  const text = Math.abs(share) >= 10 ? share.toFixed(0) : share.toFixed(1);
  return `${text.replace("-", "−")}%`;
}

/** `1 call`, `2 calls`. */
const plural = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;

