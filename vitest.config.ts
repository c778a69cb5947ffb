import os from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Long enough for a machine that is busy with other tests: only what hangs takes that long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // Test files share a worker's modules: loading the API's schema anew for each file would take most of the time.
    isolate: false,
    // Tests wait more than they compute: on two cores vitest's own choice, one worker, leaves half of the machine idle.
    maxWorkers: Math.max(4, os.availableParallelism() - 1),
  },
});
