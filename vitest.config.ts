import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const sourceFolder = fileURLToPath(new URL('src/', import.meta.url)).replaceAll('\\', '/');
const sourceFiles = new RegExp(`^${sourceFolder.replaceAll(/[^\w/]/g, '\\$&')}(?!.*\\.test\\.ts)`);

/** Without results of an earlier run, vitest begins with the largest files. These are small, and would keep one worker busy at the end. */
const SLOW_FILES =
  /etcd-contract|test\/compare\/compare|kube-proxy-crash|interchange\/snapshots|attacks\/time|simulation\/simulation/;

class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId }: TestSpecification): number => (SLOW_FILES.test(moduleId) ? 1 : 0);
    return (await super.sort(files)).sort((a, b) => isSlow(b) - isSlow(a));
  }
}

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
    sequence: { sequencer: SlowFilesFirst },
    // Node loads the modules under test itself, through tsx's cache: cheaper than Vite's transform of a file, done again by every
    // worker, and the indirect imports that it writes. No test replaces modules, which alone would need them.
    execArgv: ['--import', fileURLToPath(import.meta.resolve('tsx'))],
    server: { deps: { external: [sourceFiles] } },
    // Tests wait more than they compute: on two cores vitest's own choice, one worker, leaves half of the machine idle.
    maxWorkers: Math.max(4, os.availableParallelism() - 1),
  },
});
