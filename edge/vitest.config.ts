import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    restoreMocks: true,
    // Tests of memory measure what is left.
    execArgv: ["--expose-gc"],
    // A bound for a busy machine; the tests wait for events.
    testTimeout: 60_000,
  },
});
