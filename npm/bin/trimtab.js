#!/usr/bin/env node
// Starts the binary that the package for this platform contains.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { name, optionalDependencies = {} } = require("../package.json");

// The exit code of the command for what could not be done.
const FAILURE = 2;
const isWindows = process.platform === "win32";

function main() {
  const binary = findBinary();
  if (binary === undefined) {
    fail(
      `${name} has no binary for ${process.platform} on ${process.arch}, or its package is not installed. ` +
        `Do not omit optional dependencies, and do not copy node_modules between platforms`,
    );
    return;
  }
  const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (error) => fail(`cannot start ${binary}: ${error.message}`));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // The command decides how it ends. On Windows, it gets Ctrl-C from the console, and `kill` would not let it end by itself.
    process.on(signal, () => isWindows || child.kill(signal));
  }
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

// The binary of the platform. Package managers that do not know the key `libc` install the packages for both C libraries of
// Linux. The one for musl is linked statically and runs with both.
function findBinary() {
  // Windows on ARM runs x64 programs.
  const platform = `${process.platform}-${isWindows ? "x64" : process.arch}`;
  const packages = Object.keys(optionalDependencies).filter((name) => {
    const suffix = name.slice(name.indexOf("/") + 1);
    return suffix === platform || suffix === `${platform}-gnu` || suffix === `${platform}-musl`;
  });
  const installed = packages.map(resolve).filter((path) => path !== undefined);
  if (installed.length > 1) {
    const libc = usesGlibc() ? "-gnu" : "-musl";
    return resolve(packages.find((name) => name.endsWith(libc)));
  }
  return installed[0];
}

function resolve(name) {
  try {
    return require.resolve(`${name}/bin/trimtab${isWindows ? ".exe" : ""}`);
  } catch {
    return undefined;
  }
}

function usesGlibc() {
  // Otherwise the report asks the network for host names.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}

function fail(message) {
  console.error(`error: ${message}`);
  process.exitCode = FAILURE;
}

main();
