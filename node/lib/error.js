// The errors, and calls of the addon that throw them.
"use strict";

class PolicyError extends Error {
  constructor(message, diagnostics = []) {
    super(message);
    this.diagnostics = diagnostics;
  }
}

class RequestError extends Error {}

class RestoreError extends Error {}

class SimulationError extends Error {}

class Stopped extends Error {
  constructor(rule, reason) {
    super(`${rule} stops the run: ${reason}`);
    this.rule = rule;
    this.reason = reason;
  }
}

for (const error of [PolicyError, RequestError, RestoreError, SimulationError, Stopped]) {
  Object.defineProperty(error.prototype, "name", { value: error.name, configurable: true, writable: true });
}

// The addon names the class of an error in its code. The other codes are those of `napi`, for arguments of another type.
const CLASSES = { PolicyError, RequestError, RestoreError, ValueError: RangeError, FileError: Error };
const WRONG_TYPE = /^InvalidArg$|Expected$/;

// What a call of the addon returns; its error is of a class of this package.
function checked(call) {
  try {
    return call();
  } catch (error) {
    const Class = WRONG_TYPE.test(error?.code) ? TypeError : CLASSES[error?.code];
    throw Class === undefined ? error : new Class(error.message);
  }
}

module.exports = { PolicyError, RequestError, RestoreError, SimulationError, Stopped, checked };
