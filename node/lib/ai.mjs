// The same module for `import`.
import ai from "./ai.js";

export const { trimtabMiddleware } = ai;
