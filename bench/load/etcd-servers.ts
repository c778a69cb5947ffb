/** The servers that loads of etcd's API are compared on, and the process that the load comes from. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../scripts/build.mjs';
import { startEtcd } from '../../test/etcd-process.ts';
import type { EtcdLoad } from './etcd-load.ts';
import type { LoadResult } from './load.ts';

export interface EtcdServer {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

/** `k8ts etcd`, bundled as users get it. */
export async function startK8tsEtcd(directory: string): Promise<EtcdServer> {
  // Inside the project, where the bundle finds the native modules.
  const outdir = join(
    import.meta.dirname,
    '..',
    '..',
    'node_modules',
    '.cache',
    'k8ts-bench-etcd',
    String(process.pid),
  );
  mkdirSync(outdir, { recursive: true });
  await build({ entryPoints: { server: 'bench/load/etcd-server.ts' }, outdir });
  const flags = ['--data-dir', directory, '--listen-client-urls', 'http://127.0.0.1:0'];
  const child = fork(join(outdir, 'server.js'), flags, { execArgv: [] });
  const [{ url }] = (await Promise.race([once(child, 'message'), ended(child, 'k8ts etcd')])) as [{ url: string }];
  return {
    url,
    pid: child.pid!,
    async close() {
      await kill(child);
      rmSync(outdir, { recursive: true, force: true });
    },
  };
}

export async function startRealEtcd(): Promise<EtcdServer> {
  const cluster = await startEtcd();
  const [member] = cluster.members;
  return { url: member!.url, pid: member!.child.pid!, close: () => cluster.close() };
}

/** One load after the other, from a process of its own. */
export class EtcdLoadProcess {
  readonly #child = fork(join(import.meta.dirname, 'etcd-load-process.ts'), [], { execArgv: ['--import', 'tsx'] });
  readonly #ended = ended(this.#child, 'the load process');

  async run(load: EtcdLoad): Promise<LoadResult> {
    const answered = new Promise<{ result?: LoadResult; error?: string }>((resolve) =>
      this.#child.once('message', (answer) => resolve(answer as object)),
    );
    this.#child.send(load);
    const { result, error } = await Promise.race([answered, this.#ended]);
    if (result === undefined) throw new Error(error);
    return result;
  }

  close(): Promise<void> {
    return kill(this.#child);
  }
}

function ended(child: ChildProcess, what: string): Promise<never> {
  const end = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${what} ended with ${String(code)}`)));
  end.catch(() => undefined);
  return end;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
