/** `k8ts doctor`: what is missing on this machine, and how to install it. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isInstalled, NODE_PROGRAMS, rootlessChecks } from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { outputFlag } from './command.ts';
import { checkFileLimit } from './file-limit.ts';
import { dim, green, print, red } from './output.ts';

export const flags = { ...outputFlag } as const satisfies FlagTable;

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What it is needed for. */
  readonly purpose: string;
  /** How to get it, when it is missing. */
  readonly remedy?: string;
  /** Nothing is wrong without it: `–` instead of `✗`. */
  readonly optional?: true;
}

export function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(
      flagsHelp(flags, {
        usage:
          'k8ts doctor: check what is missing on this machine, and how to install it; exits with 1 if something is missing',
      }),
    );
    return Promise.resolve(0);
  }
  const checks = [...forEveryCluster(), ...forContainers(), ...forOtherMachines()];
  print(values.output, checks, (all) => all.map(line).join('\n'));
  return Promise.resolve(exitCode(checks));
}

/** 1 when a check that is not optional fails. */
export const exitCode = (checks: readonly Check[]): number =>
  checks.some(({ ok, optional }) => !ok && !optional) ? 1 : 0;

function line({ name, ok, optional, purpose, remedy }: Check): string {
  const mark = ok ? green('✓') : optional ? dim('–') : red('✗');
  return `${mark} ${name.padEnd(22)} ${ok ? purpose : `${purpose}: ${remedy ?? ''}`}`;
}

function forEveryCluster(): Check[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  let fileLimit: string | undefined;
  try {
    checkFileLimit();
  } catch (error) {
    fileLimit = (error as Error).message;
  }
  return [
    {
      name: `Node ${process.versions.node}`,
      ok: major > 20 || (major === 20 && minor >= 19),
      purpose: 'runs k8ts',
      remedy: 'install Node 20.19 or newer',
    },
    {
      name: 'open files',
      ok: fileLimit === undefined,
      purpose: 'the store and connections',
      remedy: fileLimit ?? '',
    },
    {
      name: 'memory',
      ok: os.totalmem() > 512 * 2 ** 20,
      purpose: `${Math.round(os.totalmem() / 2 ** 20)} MB; a control plane takes about 150 MB`,
      remedy: 'a machine with at least 512 MB',
    },
    {
      name: 'kubectl',
      ok: isInstalled('kubectl'),
      purpose: 'talks to the cluster',
      remedy: 'see kubernetes.io/docs/tasks/tools; any client will do',
      optional: true,
    },
  ];
}

function forContainers(): Check[] {
  if (process.platform !== 'linux')
    return [
      {
        name: 'Linux',
        ok: false,
        purpose: 'real containers',
        remedy: `this is ${process.platform}: nodes are simulated here`,
        optional: true,
      },
    ];
  const programs = Object.entries(NODE_PROGRAMS).map(([name, { package: debianPackage, purpose }]) => ({
    name,
    ok: isInstalled(name),
    purpose,
    remedy: `apt install ${debianPackage}`,
  }));
  return [
    { name: 'Linux', ok: true, purpose: 'real containers' },
    ...programs,
    ...(process.getuid?.() === 0
      ? [cgroupCheck(readFile('/proc/self/mountinfo'), readFile('/sys/fs/cgroup/cgroup.controllers'))]
      : rootlessChecks()),
    {
      name: 'overlayfs',
      ok: readFile('/proc/filesystems').includes('overlay'),
      purpose: 'layers of images',
      remedy: 'modprobe overlay',
    },
  ];
}

/** What `k8ts join` and a server for other machines need besides. */
function forOtherMachines(): Check[] {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return [];
  const modules = `/lib/modules/${os.release()}`;
  const known = `${readFile(path.join(modules, 'modules.builtin'))}\n${readFile(path.join(modules, 'modules.dep'))}`;
  const kernelHas = (name: string): boolean => fs.existsSync(`/sys/module/${name}`) || isModule(name, known);
  return [
    {
      name: 'VXLAN',
      ok: kernelHas('vxlan'),
      purpose: 'pods of machines on different links',
      remedy: 'modprobe vxlan, or a kernel with CONFIG_VXLAN; machines on one link need none',
      optional: true,
    },
    {
      name: 'WireGuard',
      ok: kernelHas('wireguard'),
      purpose: 'k8ts join --encrypt',
      remedy: 'modprobe wireguard, or a kernel with CONFIG_WIREGUARD',
      optional: true,
    },
    forwardCheck(readChain()),
  ];
}

/** By the kernel's lists of modules: lines such as `kernel/drivers/net/vxlan/vxlan.ko.xz: …`. */
export const isModule = (name: string, lists: string): boolean =>
  lists.split('\n').some((entry) => /\/([\w-]+)\.ko/.exec(entry.split(':')[0] ?? '')?.[1] === name);

/** Docker, for one, lets the machine forward only its own containers' packets. */
export const forwardCheck = (chain: string): Check => ({
  name: 'forwarding',
  ok: !chain.includes('policy drop'),
  purpose: 'packets of pods between machines',
  remedy: 'the chain FORWARD drops packets: iptables -P FORWARD ACCEPT, or rules that accept the pod ranges',
  optional: true,
});

function readChain(): string {
  try {
    return execFileSync('nft', ['list', 'chain', 'ip', 'filter', 'FORWARD'], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return '';
  }
}

const LIMITING_CONTROLLERS = ['cpu', 'memory', 'pids'];

/** Limits work in cgroup v2, and in v1 where each controller has its hierarchy. */
export function cgroupCheck(mountinfo: string, controllers: string): Check {
  const version = controllers === '' ? 1 : 2;
  const offered = version === 2 ? controllers.trim().split(' ') : v1Controllers(mountinfo);
  const missing = LIMITING_CONTROLLERS.filter((name) => !offered.includes(name));
  return {
    name: offered.length === 0 ? 'cgroups' : `cgroup v${version}`,
    ok: missing.length === 0,
    purpose: 'limits of containers',
    remedy:
      offered.length === 0
        ? 'mount -t cgroup2 none /sys/fs/cgroup'
        : `the kernel offers no controller ${missing.join(', ')}; limits of it are not enforced`,
  };
}

/** From lines such as `33 32 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu`. */
const v1Controllers = (mountinfo: string): string[] =>
  mountinfo
    .split('\n')
    .map((mount) => mount.split(' - ')[1]?.split(' ') ?? [])
    .flatMap(([type, , options = '']) => (type === 'cgroup' ? options.split(',') : []));

function readFile(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
