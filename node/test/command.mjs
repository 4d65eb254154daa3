// Runs the command of the package.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const manifest = createRequire(import.meta.url).resolve("trimtab/package.json");

export function command(...words) {
  const binary = path.join(path.dirname(manifest), "bin", "trimtab.js");
  return spawnSync(process.execPath, [binary, ...words], { encoding: "utf8", maxBuffer: 1 << 28 });
}

// The JSON that the command prints.
export function result(verb, ...words) {
  const { stdout, stderr } = command(verb, ...words, "--isolated", ...(verb === "compile" ? [] : ["--format", "json"]));
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`the command prints no JSON: ${stdout}${stderr}`);
  }
}

// What a simulation says that each model call got.
export function contexts(policy, recording) {
  const { status, stdout, stderr } = command("simulate", policy, recording, "--isolated", "--contexts", "-");
  if (status !== 0) {
    throw new Error(stderr);
  }
  return stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line).messages);
}
