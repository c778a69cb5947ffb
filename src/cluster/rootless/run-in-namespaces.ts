/** Starts a program as root of new namespaces, with the user's subordinate ids mapped. */
import { execFileSync, spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import type { Duplex } from 'node:stream';
import { delegation } from './delegation.ts';
import { INSIDE_VARIABLE, type Inside } from './inside.ts';
import { AS_ROOT_SCRIPT, ENTER_SCRIPT, FIRST_PROCESS_SCRIPT } from './namespace-scripts.ts';
import { mappedIds } from './obstacles.ts';
import { serveHostNetwork } from './serve-host-network.ts';
import { mappingArguments } from './subordinate-ids.ts';
import { startWayOut } from './way-out.ts';

interface NamespaceOptions {
  readonly program: readonly string[];
  readonly inside: Omit<Inside, 'limits'>;
  readonly environment?: NodeJS.ProcessEnv;
  /** Tells the user of what stops to work. */
  readonly warn: (message: string) => void;
}

/**
 * The program has an IPC channel, by which it gets sockets of the user's network. It ends with this process, also when
 * this process is killed, and everything that it has started ends with it.
 */
export async function runInNamespaces({ program, inside, environment, warn }: NamespaceOptions): Promise<ChildProcess> {
  const scope = delegation();
  const out = startWayOut();
  const child = await startMapped([...(scope ?? [])], {
    script: ENTER_SCRIPT,
    program,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
    environment: {
      ...process.env,
      ...environment,
      // An ordinary user's PATH often lacks the folders of runc, nft and ip.
      PATH: [process.env['PATH'], '/usr/local/sbin', '/usr/sbin', '/sbin'].filter(Boolean).join(':'),
      [INSIDE_VARIABLE]: JSON.stringify(inside),
      FIRST_PROCESS: FIRST_PROCESS_SCRIPT,
      DELEGATED: scope ? '1' : '',
      NAMESERVER: out?.nameserver ?? '',
    },
  });
  serveHostNetwork(child);
  if (out) child.once('message', () => out.connect(child, warn));
  return child;
}

/** `rm -rf` with the rights of the namespaces' root, for files of containers' users. */
export async function removeAsNamespaceRoot(directory: string): Promise<void> {
  const child = await startMapped([], {
    script: AS_ROOT_SCRIPT,
    program: ['rm', '-rf', '--', directory],
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'pipe'],
    environment: process.env,
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${directory} could not be removed: ${said.trim()}`);
}

interface MappedProgram {
  /** Gets the program as "$@", and waits for a line on fd 4 before it uses root's rights. */
  readonly script: string;
  readonly program: readonly string[];
  readonly stdio: StdioOptions;
  readonly environment: NodeJS.ProcessEnv;
}

async function startMapped(prefix: readonly string[], mapped: MappedProgram): Promise<ChildProcess> {
  const ids = mappedIds();
  if (!ids) throw new Error('the user has no subordinate ids in /etc/subuid and /etc/subgid');
  const [command = '', ...args] = [
    ...prefix,
    ...['unshare', '--user', 'sh', '-c', mapped.script, 'sh'],
    ...mapped.program,
  ];
  // A process group of its own: Ctrl-C reaches only this process, which stops the program in order.
  const child = spawn(command, args, { stdio: mapped.stdio, env: mapped.environment, detached: true });
  const gate = child.stdio[4] as Duplex;
  gate.on('error', () => undefined);
  await Promise.race([
    once(gate, 'data'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`the user namespace could not be made (unshare exited with ${String(code)})`);
    }),
  ]);
  try {
    const { uid, gid } = os.userInfo();
    map('newuidmap', child.pid!, mappingArguments(uid, ids.uids));
    map('newgidmap', child.pid!, mappingArguments(gid, ids.gids));
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  gate.end('\n');
  return child;
}

function map(program: 'newuidmap' | 'newgidmap', pid: number, mapping: readonly string[]): void {
  try {
    execFileSync(program, [String(pid), ...mapping], { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr ?? (error as Error).message).trim();
    throw new Error(`the ids of the user namespace could not be mapped: ${said}`, { cause: error });
  }
}
