const assert = require("node:assert/strict");
const test = require("node:test");

test("`require` and `import` give the same classes", async () => {
  const required = require("trimtab");
  const imported = await import("trimtab");
  assert.deepEqual(Object.keys(imported).sort(), Object.keys(required).sort());
  for (const [name, value] of Object.entries(required)) {
    assert.equal(imported[name], value);
  }
  assert.equal(require("trimtab/ai").trimtabMiddleware, (await import("trimtab/ai")).trimtabMiddleware);
});
