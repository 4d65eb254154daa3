"use strict";

const { PolicyError, RequestError, RestoreError, SimulationError, Stopped } = require("./error.js");
const { Policy, compile, compileFile, format, fromJson, readTranscripts } = require("./policy.js");
const { Request, Session } = require("./session.js");
const { Simulation } = require("./simulation.js");

module.exports = {
  Policy,
  PolicyError,
  Request,
  RequestError,
  RestoreError,
  Session,
  Simulation,
  SimulationError,
  Stopped,
  compile,
  compileFile,
  format,
  fromJson,
  readTranscripts,
};
