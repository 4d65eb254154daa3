#!/usr/bin/env node
// Starts the binary that the package for this platform contains.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { BINARY, findFile } = require("../lib/platform.js");

// The exit code of the command for what could not be done.
const FAILURE = 2;
const isWindows = process.platform === "win32";

function main() {
  let binary;
  try {
    binary = findFile(BINARY);
  } catch (error) {
    fail(error.message);
    return;
  }
  // Before it starts: a signal could come between. It is handled when there is a child, as soon as this function has ended.
  let child;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // The command decides how it ends. On Windows, it gets Ctrl-C from the console, and `kill` would not let it end by itself.
    process.on(signal, () => isWindows || child.kill(signal));
  }
  child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (error) => fail(`cannot start ${binary}: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) {
      process.exitCode = code;
    } else {
      // The caller sees the signal, as if it had started the command itself. The code is for signals that do not end Node.
      process.exitCode = 128 + constants.signals[signal];
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    }
  });
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exitCode = FAILURE;
}

main();
