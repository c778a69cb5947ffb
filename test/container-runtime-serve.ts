/** `k8ts container-runtime` alone, for tests that start and kill it as a process. */
import { run } from '../src/cli/container-runtime.ts';

process.exitCode = await run(process.argv.slice(2));
