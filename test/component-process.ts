import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram, residentBytes } from './k8ts-process.ts';

/** `k8ts COMMAND` as a child process, until its output says that it is ready. */
export interface ComponentProcess {
  output(): string;
  readonly pid: number;
  /** Resident memory in bytes. */
  memory(): number;
  /** Resolves with the exit code when it has ended. */
  readonly exited: Promise<number | null>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const START_LIMIT_MS = 60_000;

export interface ComponentOptions {
  /** What its output must contain; without it nothing is waited for. */
  readonly ready?: string | RegExp;
  readonly nodeFlags?: readonly string[];
}

export async function startComponent(
  args: readonly string[],
  options: string | RegExp | ComponentOptions = {},
): Promise<ComponentProcess> {
  const { ready, nodeFlags = [] }: ComponentOptions =
    typeof options === 'string' || options instanceof RegExp ? { ready: options } : options;
  const child = spawn(process.execPath, [...nodeFlags, await builtProgram(), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-1_000_000)));
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const exited = once(child, 'close').then(([code]) => {
    process.off('exit', endWithUs);
    return code as number | null;
  });
  const started = performance.now();
  const isReady = (): boolean =>
    ready === undefined || (typeof ready === 'string' ? output.includes(ready) : ready.test(output));
  while (!isReady()) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`k8ts ${args[0]} ended before it was ready:\n${output}`);
    if (performance.now() - started > START_LIMIT_MS) {
      child.kill('SIGKILL');
      throw new Error(`k8ts ${args[0]} was not ready in time:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    output: () => output,
    pid: child.pid!,
    memory: () => residentBytes(child.pid!),
    exited,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
}
