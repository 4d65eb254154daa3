import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";

const PAGE = path.join(process.env.TRIMTAB_ROOT, "docs", "node.md");

function blocks(language) {
  return [...fs.readFileSync(PAGE, "utf8").matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"))].map(([, code]) => code);
}

test("the examples of the page run as one program", (context) => {
  // Beside this file, where the package is installed.
  const folder = fs.mkdtempSync(path.join(import.meta.dirname, "page-"));
  context.after(() => fs.rmSync(folder, { recursive: true }));
  const [policy] = blocks("trim");
  fs.writeFileSync(path.join(folder, "agent.trim"), policy);
  const examples = blocks("js").filter((example) => !example.includes('from "ai"'));
  assert.ok(examples.length >= 7);
  fs.writeFileSync(path.join(folder, "page.mjs"), examples.join("\n"));
  const { status, stdout, stderr } = spawnSync(process.execPath, ["page.mjs"], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^mask_old_results: /m);
});
