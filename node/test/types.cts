// Checked by the compiler of TypeScript, and never run.
import trimtab = require("trimtab");

export const policy: trimtab.Policy = trimtab.compile("", { name: "p.yaml" });
export const diagnostics: trimtab.Diagnostic[] = new trimtab.PolicyError("").diagnostics;
