/** The etcd process of this machine: it is started again when it dies, and ends with the cluster. */
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Backoff, type Context } from '../../kernel/index.ts';
import { ToolMissing } from '../../net/netns/index.ts';

interface EtcdProcessOptions {
  readonly binary: string;
  readonly parameters: readonly string[];
  /** Holds the pid, so that a member whose k8ts was killed is found. */
  readonly pidFile: string;
  /** A member that has never answered is not tried for ever. */
  readonly hasAnswered: () => boolean;
  /** Whether its end is meant, because it was taken out of the cluster. */
  readonly isLeaving: () => boolean;
  readonly onPid?: (pid: number | undefined) => void;
}

export class EtcdFailed extends Error {
  override readonly name = 'EtcdFailed';
  readonly code = 'etcd-failed';
}

const FIRST_ATTEMPTS = 3;
const STOP_LIMIT_MS = 3000;
const KEPT_LINES = 20;
const REMOVED = /member has been permanently removed|removed from the cluster/i;

/** Resolves when the process has ended, which it does with the context. */
export async function runEtcd(ctx: Context, options: EtcdProcessOptions): Promise<void> {
  const { clock, logger, signal } = ctx;
  const backoff = new Backoff({ baseMs: 200, capMs: 5000, resetAfterMs: 30_000, clock });
  endLeftover(options.pidFile);
  for (let attempt = 1; ; attempt++) {
    const { how, lines } = await runOnce(ctx, options);
    if (signal.aborted || options.isLeaving()) return;
    const last = lines.map(messageOf).filter((line) => line !== '');
    if (lines.some((line) => REMOVED.test(line)))
      throw new EtcdFailed(
        'this machine is no longer a member of its etcd cluster: somebody removed it; "k8ts leave --force" cleans up, then it can join again',
      );
    if (!options.hasAnswered() && attempt >= FIRST_ATTEMPTS)
      throw new EtcdFailed(`etcd does not start (${how}): ${last.slice(-3).join('; ') || 'it says nothing'}`);
    logger.warn('etcd ended and is started again', { how, log: last.at(-1) ?? '' });
    await clock.sleep(backoff.next(), signal).catch(() => undefined);
    if (signal.aborted) return;
  }
}

interface Ended {
  readonly how: string;
  readonly lines: readonly string[];
}

async function runOnce(ctx: Context, { binary, parameters, pidFile, onPid }: EtcdProcessOptions): Promise<Ended> {
  const { clock, logger, signal } = ctx;
  // The kernel ends it with this process, however that ends.
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', '--', binary, ...parameters], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: withoutEtcdVariables(process.env),
    detached: true,
  });
  const lines: string[] = [];
  readLines(child, (line) => {
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
    logger.v(2).info('etcd', { line });
  });
  if (child.pid !== undefined) fs.writeFileSync(pidFile, `${child.pid}\n`, { mode: 0o600 });
  onPid?.(child.pid);
  let late: ReturnType<typeof clock.after> | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    late = clock.after(STOP_LIMIT_MS, () => child.kill('SIGKILL'));
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const how = await new Promise<string>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ENOENT' ? new ToolMissing('setpriv') : error),
      );
      child.once('close', (code, killedBy) => resolve(killedBy ?? `exit code ${code}`));
    });
    return { how, lines };
  } finally {
    late?.cancel();
    signal.removeEventListener('abort', stop);
    onPid?.(undefined);
    fs.rmSync(pidFile, { force: true });
  }
}

/** etcd takes flags from variables, too. */
const withoutEtcdVariables = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('ETCD_')));

function readLines(child: ChildProcess, onLine: (line: string) => void): void {
  let rest = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = (parts.pop() ?? '').slice(-10_000);
    for (const line of parts) if (line !== '') onLine(line.slice(0, 2000));
  });
}

/** Of a line of zap's JSON. */
function messageOf(line: string): string {
  try {
    const { msg = '', error } = JSON.parse(line) as { msg?: string; error?: string };
    return error === undefined ? msg : `${msg}: ${error}`;
  } catch {
    return line;
  }
}

/** The process that a killed k8ts could not end. */
function endLeftover(pidFile: string): void {
  let pid: number;
  try {
    pid = Number(fs.readFileSync(pidFile, 'utf8'));
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    if (!command.includes(path.join(path.dirname(pidFile), 'etcd-member'))) return;
  } catch {
    return;
  }
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
