// The data of the page, and how figures are written.

const DATA = JSON.parse(document.getElementById("data").textContent);

const WHOLE = new Intl.NumberFormat("en-US");
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

const UNKNOWN = "unknown";

/** A whole number with thousands separators. */
const whole = (number) => (number === null || number === undefined ? UNKNOWN : WHOLE.format(number));

/** A number for an axis, such as 12.5K. */
const short = (number) => SHORT.format(number);

/** A ratio of whole numbers, rounded to a whole one; halves to the even one, as everywhere in reports. */
function rounded(part, all) {
  const [size, whole] = [part < 0n ? -part : part, all];
  const [below, rest] = [size / whole, (size % whole) * 2n];
  const up = rest > whole || (rest === whole && below % 2n === 1n);
  return (part < 0n ? -1n : 1n) * (below + (up ? 1n : 0n));
}

/** Millionths of a number with six places. */
const millionths = (number) => BigInt(Math.round(number * 1e6));

/** A whole number of parts as a decimal with some places: 1234 and 2 are 12.34. */
function decimal(parts, places) {
  const digits = String(parts < 0n ? -parts : parts).padStart(places + 1, "0");
  return [digits.slice(0, -places), digits.slice(-places)];
}

/** An amount of US dollars with as many places as matter: `$12.40`, `$0.598`, `under $0.001`, `-$0.598`. */
function dollars(amount) {
  if (amount === null || amount === undefined) return UNKNOWN;
  if (amount < 0) return signedDollars(amount);
  const exact = millionths(amount);
  const places = exact >= 1_000_000n ? 2 : 3;
  const parts = rounded(exact, 10n ** BigInt(6 - places));
  if (parts === 0n && exact > 0n) return "under $0.001";
  const [units, fraction] = decimal(parts, places);
  return `$${WHOLE.format(BigInt(units))}.${fraction}`;
}

/** An amount that may be negative; without a sign if it is shown as zero. */
function signedDollars(amount) {
  if (amount === null || amount === undefined) return UNKNOWN;
  if (rounded(millionths(amount), 1000n) === 0n) return dollars(0);
  return `${amount < 0 ? "-" : ""}${dollars(Math.abs(amount))}`;
}

/** Writes the ticks of an axis that are amounts of US dollars, with as many places as tell them apart. */
function tickDollars(ticks) {
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : 1;
  const places = Math.min(6, Math.max(2, Math.ceil(-Math.log10(step) - 1e-9)));
  return (amount) => `${amount < 0 ? "-" : ""}$${Math.abs(amount).toFixed(places)}`;
}

/** An amount of which some prices may be unknown: `$0.41`, or `$0.41 (2 of 3 priced)`. */
function knownCost(amount, priced, total) {
  const isPart = amount !== null && priced < total;
  return isPart ? `${dollars(amount)} (${whole(priced)} of ${whole(total)} priced)` : dollars(amount);
}

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
  const text = interval(savingInterval(rule), isPriced ? signedDollars : whole);
  return text === "" || isPriced ? text : `${text} tokens`;
}

/**
 * A part of a whole in percent with at most one place, or from 1,000% on without: `12.3%`, `24,502%`; empty if there is no whole. Both are
 * whole numbers, or amounts.
 */
function percent(part, all) {
  if (part === null || part === undefined || !all) return "";
  const [of, whole] = Number.isInteger(part) && Number.isInteger(all) ? [BigInt(part), BigInt(all)] : [millionths(part), millionths(all)];
  if (whole <= 0n) return "";
  const magnitude = of < 0n ? -of : of;
  if (magnitude >= whole * 10n) return `${WHOLE.format(rounded(of * 100n, whole))}%`;
  const tenths = rounded(of * 1000n, whole);
  const [units, tenth] = decimal(tenths, 1);
  return `${tenths < 0n ? "-" : ""}${units}${tenth === "0" ? "" : `.${tenth}`}%`;
}

/** A change from a value to another one in percent, with its sign: `+12%`, `-6.1%`; empty if there is none. */
function change(from, to) {
  const text = from === null || to === null ? "" : percent(to - from, from);
  return text === "" || text.startsWith("-") || text === "0%" ? text : `+${text}`;
}

/** `1 call`, `2 calls`. */
const plural = (number, noun, several = `${noun}s`) => `${whole(number)} ${number === 1 ? noun : several}`;

