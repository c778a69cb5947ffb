import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connectToRuntime, type CriConnection } from '../src/cri/index.ts';
import { buildOnce } from './build-once.ts';

export interface RuntimeProcess {
  readonly pid: number;
  readonly client: CriConnection;
  readonly output: () => string;
  kill(signal: NodeJS.Signals): Promise<void>;
}

let program: Promise<string> | undefined;

/** A bundle that all tests of a run share. */
function builtRuntime(): Promise<string> {
  return (program ??= buildOnce('runtime', { serve: 'test/container-runtime-serve.ts' }).then((folder) =>
    join(folder, 'serve.js'),
  ));
}

export async function startRuntimeProcess(
  socket: string,
  flags: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<RuntimeProcess> {
  const child: ChildProcess = spawn(
    process.execPath,
    [...nodeFlags, await builtRuntime(), '--listen', socket, ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-100_000)));
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  const exited = once(child, 'exit').then(() => process.off('exit', endWithUs));
  while (!output.includes('ready in')) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the runtime ended before it was ready:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const client = connectToRuntime(`unix://${socket}`);
  return {
    pid: child.pid!,
    client,
    output: () => output,
    async kill(signal) {
      child.kill(signal);
      await exited;
      client.close();
    },
  };
}
