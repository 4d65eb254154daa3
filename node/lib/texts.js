// The JSON text of requests that are values.
//
// An agent sends its whole history with each request, and most messages are the same objects as before. Their texts are kept, with the
// values that they were written from, since writing and encoding them again takes longer than everything else.
"use strict";

// Larger and deeper values are written each time.
const [MOST_VALUES, MOST_LEVELS] = [10_000, 64];
// The shape of a value that is written each time.
const OTHER = Symbol("other");
const encoder = new TextEncoder();
const [comma, colon] = [",", ":"].map((text) => encoder.encode(text));
const brackets = ["[", "]", "{", "}"].map((text) => encoder.encode(text));

class Texts {
  // The texts of the parts of the newest request, by the key that they are under. Lists have a part for each element.
  #parts = new Map();

  // The JSON of a request in UTF-8.
  write(body) {
    const [before, pieces] = [this.#parts, []];
    this.#parts = new Map();
    const add = (key, value) => this.#parts.set(key, partsOf(before.get(key) ?? [], value, pieces));
    if (!isPlain(body)) {
      add("", body);
    } else {
      pieces.push(brackets[2]);
      for (const [key, value] of Object.entries(body).filter(([, value]) => isJson(value))) {
        pieces.push(...(pieces.length > 1 ? [comma] : []), encoder.encode(jsonOf(key)), colon);
        add(key, value);
      }
      pieces.push(brackets[3]);
    }
    return Buffer.concat(pieces);
  }
}

// Adds the pieces of a value to those of the request. Returns its parts.
function partsOf(before, value, pieces) {
  const part = (value, at) => (before[at] !== undefined && isOf(before[at].shape, value) ? before[at] : partOf(value));
  const isList = Array.isArray(value) && value.toJSON === undefined;
  const parts = isList ? Array.from(value, part) : [part(value, 0)];
  if (isList) {
    pieces.push(brackets[0], ...parts.flatMap(({ bytes }, at) => (at === 0 ? [bytes] : [comma, bytes])), brackets[1]);
  } else {
    pieces.push(parts[0].bytes);
  }
  return parts;
}

function partOf(value) {
  // An error for a value that contains itself.
  const bytes = encoder.encode(jsonOf(value) ?? "null");
  return { shape: shapeOf(value, { left: MOST_VALUES }, MOST_LEVELS), bytes };
}

// What the text of a value was written from: values that cannot change, and the keys and elements of those that can.
function shapeOf(value, budget, levels) {
  if (value === null || typeof value !== "object") {
    return value;
  }
  budget.left -= 1;
  if (budget.left < 0 || levels === 0 || !(isPlain(value) || Array.isArray(value))) {
    return OTHER;
  }
  const keys = Object.keys(value);
  budget.left -= keys.length;
  return { isList: Array.isArray(value), keys, shapes: keys.map((key) => shapeOf(value[key], budget, levels - 1)) };
}

// Whether a value has this shape, so that its text is the same.
function isOf(shape, value) {
  if (shape === null || typeof shape !== "object") {
    return shape !== OTHER && shape === value;
  }
  if (value === null || typeof value !== "object" || Array.isArray(value) !== shape.isList || !(shape.isList || isPlain(value))) {
    return false;
  }
  const keys = Object.keys(value);
  return (
    keys.length === shape.keys.length &&
    keys.every((key, at) => key === shape.keys[at] && isOf(shape.shapes[at], value[key])) &&
    value.toJSON === undefined &&
    (!shape.isList || value.length === keys.length)
  );
}

function isPlain(value) {
  const prototype = value !== null && typeof value === "object" && !Array.isArray(value) ? Object.getPrototypeOf(value) : undefined;
  return (prototype === Object.prototype || prototype === null) && value.toJSON === undefined;
}

// Whether a property with this value is in the JSON of an object.
function isJson(value) {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

// The JSON of a value, in which lone surrogates are escapes. None for what is no JSON.
function jsonOf(value) {
  return wellFormed(JSON.stringify(value));
}

function wellFormed(text) {
  return text === undefined || text.isWellFormed() ? text : text.replace(/\p{Surrogate}/gu, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}

module.exports = { Texts, jsonOf, wellFormed };
