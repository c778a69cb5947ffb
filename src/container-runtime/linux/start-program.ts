/**
 * Starts programs with posix_spawn on a pool thread. Node's fork copies the page tables of the whole process, which is
 * slow for a cluster in one process, and blocks the main thread until exec. posix_spawn shares the memory until exec,
 * so its cost does not depend on the size of the process.
 */
import { createRequire } from 'node:module';
import net from 'node:net';
import type { Readable } from 'node:stream';
import { SystemCallError } from './file-system-calls.ts';

interface ProgramOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly directory?: string;
  /** The program's descriptors to read from; the standard ones that are not listed are /dev/null. */
  readonly outputs: readonly number[];
}

interface StartedProgram {
  readonly pid: number;
  /** In the order of the `outputs` option. */
  readonly outputs: readonly Readable[];
  /** The exit code, or 128 plus the number of the signal. Blocks a pool thread, so only for short-lived programs. */
  ended(): Promise<number>;
}

type Callback = (error: Error | null, result: number) => void;

interface SpawnCalls {
  pipe2(fds: Int32Array, flags: number): number;
  actionsInit(actions: Buffer): number;
  actionsDup(actions: Buffer, fd: number, target: number): number;
  actionsOpen(actions: Buffer, fd: number, path: string, flags: number, mode: number): number;
  actionsChdir(actions: Buffer, path: string): number;
  actionsDestroy(actions: Buffer): number;
  attributesInit(attributes: Buffer): number;
  attributesFlags(attributes: Buffer, flags: number): number;
  attributesSignals(attributes: Buffer, signals: Buffer): number;
  spawn(
    pid: Int32Array,
    path: string,
    actions: Buffer,
    attributes: Buffer,
    argv: readonly (string | null)[],
    envp: readonly (string | null)[],
    done: Callback,
  ): void;
  wait(pid: number, status: Int32Array, flags: number, done: Callback): void;
  close(fd: number): number;
  errno(): number;
}

/** At least the size of these structures in any libc. */
const ACTIONS_BYTES = 256;
const ATTRIBUTES_BYTES = 1024;
const SIGNALS_BYTES = 128;
const O_CLOEXEC = 0o2000000;
const O_RDWR = 2;
const SETSIGDEF = 0x04;
const SETSIGMASK = 0x08;
const STANDARD = [0, 1, 2];

export async function startProgram(
  program: string,
  args: readonly string[],
  { environment, directory, outputs }: ProgramOptions,
): Promise<StartedProgram> {
  const calls = spawnCalls();
  const pipes: { readonly read: number; readonly write: number }[] = [];
  try {
    for (const _ of outputs) pipes.push(openPipe(calls));
    const actions = Buffer.alloc(ACTIONS_BYTES);
    calls.actionsInit(actions);
    try {
      if (directory !== undefined) calls.actionsChdir(actions, directory);
      for (const fd of STANDARD) if (!outputs.includes(fd)) calls.actionsOpen(actions, fd, '/dev/null', O_RDWR, 0);
      outputs.forEach((fd, i) => calls.actionsDup(actions, pipes[i]!.write, fd));
      const pid = await spawn(calls, { program, args, environment, actions });
      return { pid, outputs: pipes.splice(0).map((pipe) => readableOf(calls, pipe)), ended: () => ended(calls, pid) };
    } finally {
      calls.actionsDestroy(actions);
    }
  } finally {
    for (const { read, write } of pipes) for (const fd of [read, write]) calls.close(fd);
  }
}

interface Spawning {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly actions: Buffer;
}

async function spawn(calls: SpawnCalls, { program, args, environment, actions }: Spawning): Promise<number> {
  const attributes = Buffer.alloc(ATTRIBUTES_BYTES);
  calls.attributesInit(attributes);
  // Node ignores some signals, which programs would inherit: this resets all signals to their defaults.
  calls.attributesSignals(attributes, Buffer.alloc(SIGNALS_BYTES, 0xff));
  calls.attributesFlags(attributes, SETSIGDEF | SETSIGMASK);
  const pid = new Int32Array(1);
  const envp = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const errno = await new Promise<number>((resolve, reject) => {
    calls.spawn(pid, program, actions, attributes, [program, ...args, null], [...envp, null], (error, result) =>
      error === null ? resolve(result) : reject(error),
    );
  });
  if (errno !== 0) throw new SystemCallError('posix_spawn', errno, program);
  return pid[0]!;
}

function openPipe(calls: SpawnCalls): { read: number; write: number } {
  const fds = new Int32Array(2);
  if (calls.pipe2(fds, O_CLOEXEC) < 0) throw new SystemCallError('pipe2', calls.errno(), '');
  return { read: fds[0]!, write: fds[1]! };
}

function readableOf(calls: SpawnCalls, { read, write }: { readonly read: number; readonly write: number }): Readable {
  // With our copy open, the reader would never see the end.
  calls.close(write);
  return new net.Socket({ fd: read, readable: true, writable: false });
}

async function ended(calls: SpawnCalls, pid: number): Promise<number> {
  const status = new Int32Array(1);
  await new Promise<void>((resolve, reject) =>
    calls.wait(pid, status, 0, (error) => (error === null ? resolve() : reject(error))),
  );
  const signal = status[0]! & 0x7f;
  return signal === 0 ? (status[0]! >> 8) & 0xff : 128 + signal;
}

type Native = ((...args: unknown[]) => number) & { async(...args: unknown[]): void };

interface Koffi {
  load(name: string | null): { func(prototype: string): Native };
  errno(): number;
}

let loaded: SpawnCalls | undefined;

function spawnCalls(): SpawnCalls {
  loaded ??= load();
  return loaded;
}

function load(): SpawnCalls {
  const koffi = createRequire(import.meta.url)('koffi') as Koffi;
  const libc = loadLibc(koffi);
  const spawnNative = libc.func(
    'int posix_spawn(_Out_ int *pid, const char *path, const void *actions, const void *attributes, const char **argv, const char **envp)',
  );
  const waitNative = libc.func('int waitpid(int pid, _Out_ int *status, int options)');
  return {
    pipe2: libc.func('int pipe2(_Out_ int *fds, int flags)'),
    actionsInit: libc.func('int posix_spawn_file_actions_init(void *actions)'),
    actionsDup: libc.func('int posix_spawn_file_actions_adddup2(void *actions, int fd, int target)'),
    actionsOpen: libc.func(
      'int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, uint32_t mode)',
    ),
    actionsChdir: libc.func('int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)'),
    actionsDestroy: libc.func('int posix_spawn_file_actions_destroy(void *actions)'),
    attributesInit: libc.func('int posix_spawnattr_init(void *attributes)'),
    attributesFlags: libc.func('int posix_spawnattr_setflags(void *attributes, short flags)'),
    attributesSignals: libc.func('int posix_spawnattr_setsigdefault(void *attributes, const void *signals)'),
    spawn: (...args) => spawnNative.async(...args),
    wait: (...args) => waitNative.async(...args),
    close: libc.func('int close(int fd)'),
    errno: () => koffi.errno(),
  };
}

function loadLibc(koffi: Koffi): ReturnType<Koffi['load']> {
  try {
    return koffi.load('libc.so.6');
  } catch {
    return koffi.load('libc.so');
  }
}
