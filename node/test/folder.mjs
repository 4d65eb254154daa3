// Folders of tests.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

// A folder with these files, which is removed after the test.
export function folder(context, files = {}) {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "trimtab-test-")));
  context.after(() => fs.rmSync(made, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(made, name)), { recursive: true });
    fs.writeFileSync(path.join(made, name), text);
  }
  return made;
}
