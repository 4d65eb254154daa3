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

/** A part of a whole in percent; empty if there is no whole. */
function percent(part, all) {
  if (part === null || part === undefined || !all) return "";
  const share = (part / all) * 100;
  const text = Math.abs(share) >= 10 ? share.toFixed(0) : share.toFixed(1);
  return `${text.replace("-", "−")}%`;
}

/** `1 call`, `2 calls`. */
const plural = (number, noun) => `${whole(number)} ${noun}${number === 1 ? "" : "s"}`;

