// The same module for `import`, so that a program that uses both has each class once.
export * from "./index.js";
