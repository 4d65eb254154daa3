// The same module for `import`, so that a program that uses both has each class once.
import trimtab from "./index.js";

export const {
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
} = trimtab;
