// The same module for `import`.
export * from "./ai.js";
