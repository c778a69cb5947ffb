/**
 * systemd-logind over D-Bus: signals PrepareForShutdown, and delays the shutdown while a process holds an inhibitor
 * lock, up to InhibitDelayMaxSec.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs/promises';
import path from 'node:path';
import { makeDirectory } from '../../kernel/index.ts';
import { DbusConnection } from './dbus-connection.ts';

export interface Logind {
  /** InhibitDelayMaxSec in milliseconds. */
  inhibitDelayMs(): Promise<number>;
  /** Sets InhibitDelayMaxSec. */
  overrideInhibitDelay(ms: number): Promise<void>;
  /** Takes an inhibitor lock, which delays a shutdown until it is released or our process ends. */
  inhibit(): Promise<InhibitLock>;
  /**
   * Calls `onShutdown` with true for a shutdown, with false when it is cancelled. Resolves when the bus will deliver
   * the signals.
   */
  subscribe(onShutdown: (isComing: boolean) => void): Promise<void>;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
  close(): void;
}

export interface InhibitLock {
  release(): void;
}

export interface LogindOptions {
  /** Default: the system's bus. */
  readonly socket?: string;
  readonly configurationDirectory?: string;
  readonly inhibit?: () => Promise<InhibitLock>;
}

const SOCKET = '/run/dbus/system_bus_socket';
const CONFIGURATION = '/etc/systemd/logind.conf.d';
const OVERRIDE = '99-kubelet.conf';
const MANAGER = {
  destination: 'org.freedesktop.login1',
  path: '/org/freedesktop/login1',
  interface: 'org.freedesktop.login1.Manager',
};

/** Undefined without D-Bus or logind. */
export async function openLogind({
  socket = SOCKET,
  configurationDirectory = CONFIGURATION,
  inhibit = systemdInhibit,
}: LogindOptions = {}): Promise<Logind | undefined> {
  const connection = await DbusConnection.open(socket).catch(() => undefined);
  if (connection === undefined) return undefined;
  const inhibitDelayMs = async (): Promise<number> => {
    const [value] = await connection.call({
      ...MANAGER,
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: [MANAGER.interface, 'InhibitDelayMaxUSec'],
    });
    return Number(value) / 1000;
  };
  try {
    await inhibitDelayMs();
  } catch {
    connection.close();
    return undefined;
  }
  return {
    inhibitDelayMs,
    overrideInhibitDelay: (ms) => overrideInhibitDelay(connection, configurationDirectory, ms),
    inhibit,
    async subscribe(onShutdown) {
      connection.listen(({ type, member, interface: name, path: object, body }) => {
        if (
          type === 'signal' &&
          member === 'PrepareForShutdown' &&
          name === MANAGER.interface &&
          object === MANAGER.path
        )
          onShutdown(body[0] === true);
      });
      await connection.addMatch(
        `type='signal',interface='${MANAGER.interface}',member='PrepareForShutdown',path='${MANAGER.path}'`,
      );
    },
    closed: connection.closed,
    close: () => connection.close(),
  };
}

async function overrideInhibitDelay(connection: DbusConnection, directory: string, ms: number): Promise<void> {
  await makeDirectory(directory, { mode: 0o755 });
  await fs.writeFile(
    path.join(directory, OVERRIDE),
    `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${Math.round(ms / 1000)}\n`,
    { mode: 0o755 },
  );
  // logind reloads its configuration on SIGHUP.
  await connection.call({
    destination: 'org.freedesktop.systemd1',
    path: '/org/freedesktop/systemd1',
    interface: 'org.freedesktop.systemd1.Manager',
    member: 'KillUnit',
    signature: 'ssi',
    body: ['systemd-logind.service', 'all', 1],
  });
}

/**
 * logind passes the lock as a file descriptor over D-Bus, which Node cannot receive: systemd-inhibit holds it for us.
 */
export async function systemdInhibit(program = 'systemd-inhibit'): Promise<InhibitLock> {
  const child = spawn(
    program,
    [
      '--what=shutdown',
      '--who=kubelet',
      '--why=Kubernetes Kubelet needs time to handle node shutdown',
      '--mode=delay',
      'sh',
      '-c',
      'echo locked; exec cat',
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let problem = '';
  child.stderr.on('data', (data: Buffer) => (problem += data.toString()));
  child.stdin.on('error', () => {});
  await new Promise<void>((resolve, reject) => {
    child.stdout.once('data', () => resolve());
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${program} ended with ${code}: ${problem.trim()}`)));
  });
  return { release: () => void child.stdin.end() };
}
