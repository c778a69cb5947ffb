/**
 * Machines of a test: network namespaces with a data directory each, joined by links. A link is a bridge in a namespace
 * of its own; with several links, that namespace routes between them. The addresses exist only in there.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../src/kernel/testing/index.ts';
import { builtProgram } from '../k8ts-process.ts';

export interface MachinesOptions {
  /** Default 1. */
  readonly links?: number;
  /** The links have IPv6 addresses, too. */
  readonly dualStack?: boolean;
  /** Default 1500. */
  readonly mtu?: number;
}

export interface Machine {
  readonly name: string;
  readonly netns: string;
  readonly address: string;
  readonly address6: string;
  readonly directory: string;
  /** Starts `k8ts ARGS` on the machine and waits for its "ready in". */
  start(args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<MachineProcess>;
  /** Runs `k8ts ARGS` to its end; its output. */
  k8ts(args: readonly string[]): Promise<string>;
  /** Runs a program to its end on the machine; its stdout, or an error with its stderr. */
  run(program: string, ...args: string[]): string;
  /** As `run`, without blocking this process: what it talks to may be here. */
  runAsync(program: string, ...args: string[]): Promise<string>;
  cut(): void;
  mend(): void;
}

export interface MachineProcess {
  readonly pid: number;
  readonly readySeconds: number;
  /** What it had used of a processor when it was ready: on a busy machine this tells more. */
  readonly processorSeconds: number;
  output(): string;
  kill(signal: NodeJS.Signals): void;
  stop(signal?: NodeJS.Signals): Promise<void>;
  readonly exited: boolean;
}

const START_LIMIT_MS = 180_000;
let worlds = 0;

export class Machines {
  readonly #prefix = `k8m${process.pid}x${worlds++}`;
  readonly #scratch = mkdtempSync(join(tmpdir(), 'k8ts-machines-'));
  readonly #processes = new Set<ChildProcess>();
  readonly #machines: Machine[] = [];
  readonly #options: Required<MachinesOptions>;

  constructor(options: MachinesOptions = {}) {
    this.#options = { links: 1, dualStack: false, mtu: 1500, ...options };
    const world = this.#world;
    ip('netns', 'add', world);
    ip('-n', world, 'link', 'set', 'lo', 'up');
    for (let link = 0; link < this.#options.links; link++) {
      ip('-n', world, 'link', 'add', `link${link}`, 'mtu', String(this.#options.mtu), 'type', 'bridge');
      ip('-n', world, 'addr', 'add', `${addressOn(link, 254)}/24`, 'dev', `link${link}`);
      if (this.#options.dualStack)
        ip('-n', world, 'addr', 'add', `${address6On(link, 254)}/64`, 'dev', `link${link}`, 'nodad');
      ip('-n', world, 'link', 'set', `link${link}`, 'up');
    }
    for (const sysctl of ['net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'])
      execFileSync('nsenter', [`--net=/run/netns/${world}`, 'sysctl', '-qw', sysctl]);
  }

  get #world(): string {
    return `${this.#prefix}-world`;
  }

  /** The directory of the whole test. */
  get scratch(): string {
    return this.#scratch;
  }

  /** The namespace of the links, where clients outside the cluster are. */
  get outside(): string {
    return `/run/netns/${this.#world}`;
  }

  get list(): readonly Machine[] {
    return this.#machines;
  }

  add(name: string, { link = 0 } = {}): Machine {
    const number = this.#machines.length + 1;
    const namespace = `${this.#prefix}-${name}`;
    const port = `p${number}`;
    ip('netns', 'add', namespace);
    const peer = ['peer', 'name', 'eth0', 'netns', namespace, 'mtu', String(this.#options.mtu)];
    ip('-n', this.#world, 'link', 'add', port, 'mtu', String(this.#options.mtu), 'type', 'veth', ...peer);
    ip('-n', this.#world, 'link', 'set', port, 'master', `link${link}`, 'up');
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    ip('-n', namespace, 'addr', 'add', `${addressOn(link, number)}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'route', 'add', 'default', 'via', addressOn(link, 254));
    if (this.#options.dualStack) {
      ip('-n', namespace, 'addr', 'add', `${address6On(link, number)}/64`, 'dev', 'eth0', 'nodad');
      ip('-n', namespace, '-6', 'route', 'add', 'default', 'via', address6On(link, 254));
    }
    const netns = `/run/netns/${namespace}`;
    const machine: Machine = {
      name,
      netns,
      address: addressOn(link, number),
      address6: address6On(link, number),
      directory: join(this.#scratch, name),
      start: (args, environment) => this.#start(netns, args, environment),
      k8ts: async (args) => this.#runToEnd(netns, process.execPath, [await builtProgram(), ...args]),
      run: (program, ...args) => runIn(netns, program, ...args),
      runAsync: (program, ...args) => this.#runToEnd(netns, program, args),
      cut: () => ip('-n', this.#world, 'link', 'set', port, 'down'),
      mend: () => ip('-n', this.#world, 'link', 'set', port, 'up'),
    };
    this.#machines.push(machine);
    return machine;
  }

  async #start(netns: string, args: readonly string[], env = process.env): Promise<MachineProcess> {
    const child = spawn(
      'nsenter',
      [`--net=${netns}`, process.execPath, await builtProgram(), ...args, '--wait', '3m'],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        cwd: this.#scratch,
        env,
      },
    );
    this.#processes.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-1_000_000)));
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const isReady = (): boolean => {
      if (hasEnded()) throw new Error(`k8ts ${args.join(' ')} ended before it was ready:\n${output}`);
      return output.includes('ready in');
    };
    await until('k8ts is ready', isReady, { limitMs: START_LIMIT_MS, intervalMs: 5, details: () => output });
    return {
      pid: child.pid!,
      processorSeconds: processorSeconds(child.pid!),
      readySeconds: Number(/ready in ([\d.]+) s/.exec(output)?.[1]),
      output: () => output,
      kill: (signal) => void child.kill(signal),
      stop: async (signal = 'SIGTERM') => {
        if (hasEnded()) return;
        child.kill(signal);
        await once(child, 'exit');
        this.#processes.delete(child);
      },
      get exited() {
        return hasEnded();
      },
    };
  }

  async #runToEnd(netns: string, program: string, args: readonly string[]): Promise<string> {
    const child = spawn('nsenter', [`--net=${netns}`, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`${program} ${args.slice(-6).join(' ')} ended with ${code}: ${stderr || stdout}`);
    return stdout;
  }

  /** Also after failures: processes, containers, mounts and namespaces of the machines go. */
  async remove(): Promise<void> {
    for (const child of this.#processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    killIn(this.#machines.map(({ netns }) => netns));
    for (const point of mountsBelow(this.#scratch)) spawnSync('umount', ['--lazy', point]);
    for (const { netns } of this.#machines) spawnSync('ip', ['netns', 'delete', netns.slice('/run/netns/'.length)]);
    spawnSync('ip', ['netns', 'delete', this.#world]);
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

const addressOn = (link: number, number: number): string => `10.99.${link}.${number}`;
const address6On = (link: number, number: number): string => `fd99:${link}::${number.toString(16)}`;

function runHere(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr || stdout}`);
  return stdout;
}

/** Runs a program to its end in a namespace. */
export const runIn = (netns: string, program: string, ...args: string[]): string =>
  runHere('nsenter', [`--net=${netns}`, program, ...args]);

const ip = (...args: string[]): void => void runHere('ip', args);

/** The 14th and 15th field, in hundredths; nsenter has become the program. */
function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Processes that a killed k8ts left in the machines' directories and namespaces: conmon and containers. */
const killIn = (namespaces: readonly string[]): void => {
  for (const netns of namespaces) signalIn({ netns }, 'SIGKILL');
};

/** All processes of a machine, the containers too: conmon is in its namespace, and its container is conmon's child. */
export function signalIn({ netns }: Pick<Machine, 'netns'>, signal: NodeJS.Signals): void {
  const pids = spawnSync('ip', ['netns', 'pids', netns.slice('/run/netns/'.length)], { encoding: 'utf8' }).stdout;
  for (const pid of pids.split('\n').filter((line) => line !== '')) signalTree(Number(pid), signal);
}

function signalTree(pid: number, signal: NodeJS.Signals): void {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '');
    process.kill(pid, signal);
    for (const child of children) signalTree(Number(child), signal);
  } catch {
    // It has ended.
  }
}

function mountsBelow(directory: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point.startsWith(`${directory}/`))
    .sort((a, b) => b.length - a.length);
}
