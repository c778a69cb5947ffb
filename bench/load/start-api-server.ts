import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from '../../scripts/build.mjs';
import type { Target } from './load.ts';
import { targetOf } from './targets.ts';

export interface ApiServerProcess {
  readonly pid: number;
  /** By the administrator's certificate. */
  readonly target: Target;
  /** From its start until it answered. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

/**
 * The API server and its embedded store, or on an etcd, bundled as users get them, without controllers, scheduler or
 * nodes.
 */
export async function startBenchedServer(directory: string, etcd?: string): Promise<ApiServerProcess> {
  // Inside the project, where the bundle finds the native modules.
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'k8ts-bench');
  const outdir = join(cache, `${process.pid}-${basename(directory)}`);
  mkdirSync(outdir, { recursive: true });
  await build({ entryPoints: { server: 'bench/load/api-server.ts' }, outdir });
  const start = performance.now();
  const child = fork(join(outdir, 'server.js'), etcd === undefined ? [directory] : [directory, etcd], { execArgv: [] });
  const failed = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`the API server ended with ${String(code)}`)),
  );
  failed.catch(() => undefined);
  const [{ kubeconfig }] = (await Promise.race([once(child, 'message'), failed])) as [{ kubeconfig: string }];
  const readyMs = performance.now() - start;
  const file = join(directory, 'bench.kubeconfig');
  writeFileSync(file, kubeconfig, { mode: 0o600 });
  return {
    pid: child.pid!,
    target: targetOf(file),
    readyMs,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(outdir, { recursive: true, force: true });
    },
  };
}
