// Finds the files in the package for this platform.
"use strict";

const { name, optionalDependencies = {} } = require("../package.json");

const isWindows = process.platform === "win32";
const BINARY = `bin/trimtab${isWindows ? ".exe" : ""}`;
const ADDON = "trimtab.node";

// The path of a file in the package for this platform. Throws an error if there is none.
//
// Package managers that do not know the key `libc` install the packages for both C libraries of Linux.
function findFile(file) {
  // Windows on ARM runs x64 programs.
  const platform = `${process.platform}-${isWindows ? "x64" : process.arch}`;
  const packages = Object.keys(optionalDependencies).filter((name) => {
    const suffix = name.slice(name.indexOf("/") + 1);
    return suffix === platform || suffix === `${platform}-gnu` || suffix === `${platform}-musl`;
  });
  const resolve = (name) => resolved(`${name}/${file}`);
  const installed = packages.map(resolve).filter((path) => path !== undefined);
  if (installed.length > 1) {
    const libc = usesGlibc() ? "-gnu" : "-musl";
    return resolve(packages.find((name) => name.endsWith(libc)));
  }
  if (installed.length === 0) {
    throw new Error(
      `${name} has no binary for ${process.platform} on ${process.arch}, or its package is not installed. ` +
        `Do not omit optional dependencies, and do not copy node_modules between platforms`,
    );
  }
  return installed[0];
}

function resolved(path) {
  try {
    return require.resolve(path);
  } catch {
    return undefined;
  }
}

function usesGlibc() {
  // Otherwise the report asks the network for host names.
  process.report.excludeNetwork = true;
  return process.report.getReport().header.glibcVersionRuntime !== undefined;
}

module.exports = { ADDON, BINARY, findFile };
