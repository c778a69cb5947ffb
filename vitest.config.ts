import os from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'scripts/**/*.test.ts'],
    // Long enough for a machine that is busy with other tests: only what hangs takes that long. A test has limits of its own
    // only where they are longer than these, or what it is about.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // Test files share a worker's modules: loading the API's schema anew for each file would take most of the time.
    isolate: false,
    // Tests wait more than they compute: on two cores vitest's own choice, one worker, leaves half of the machine idle.
    maxWorkers: Math.max(4, os.availableParallelism() - 1),
  },
});
