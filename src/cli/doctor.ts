/** `k8ts doctor`: what is missing on this machine, and how to get it. */
import fs from 'node:fs';
import os from 'node:os';
import { isInstalled, NODE_PROGRAMS } from '../cluster/index.ts';
import { flagsHelp, type FlagTable, parseFlags } from '../flags/index.ts';
import { outputFlag } from './command.ts';
import { checkFileLimit } from './file-limit.ts';
import { green, print, red } from './output.ts';

export const flags = { ...outputFlag } as const satisfies FlagTable;

interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What it is needed for. */
  readonly purpose: string;
  /** How to get it, when it is missing. */
  readonly remedy?: string;
  /** Without it there is no cluster at all; otherwise only a part is missing. */
  readonly needed: boolean;
}

export function run(argv: readonly string[]): Promise<number> {
  const { values, help } = parseFlags(argv, flags);
  if (help) {
    console.log(
      flagsHelp(flags, { usage: 'k8ts doctor: check what is missing on this machine, and how to install it' }),
    );
    return Promise.resolve(0);
  }
  const checks = [...needed(), ...forContainers()];
  print(values.output, checks, (all) =>
    all
      .map(
        ({ name, ok, purpose, remedy }) =>
          `${ok ? green('✓') : red('✗')} ${name.padEnd(22)} ${ok ? purpose : `${purpose}: ${remedy ?? ''}`}`,
      )
      .join('\n'),
  );
  return Promise.resolve(checks.some(({ ok, needed: must }) => must && !ok) ? 1 : 0);
}

function needed(): Check[] {
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
      needed: true,
    },
    {
      name: 'open files',
      ok: fileLimit === undefined,
      purpose: 'the store and connections',
      remedy: fileLimit ?? '',
      needed: true,
    },
    {
      name: 'memory',
      ok: os.totalmem() > 512 * 2 ** 20,
      purpose: `${Math.round(os.totalmem() / 2 ** 20)} MB; a control plane takes about 150 MB`,
      remedy: 'a machine with at least 512 MB',
      needed: true,
    },
    {
      name: 'kubectl',
      ok: isInstalled('kubectl'),
      purpose: 'talks to the cluster',
      remedy: 'see kubernetes.io/docs/tasks/tools; any client will do',
      needed: false,
    },
  ];
}

function forContainers(): Check[] {
  const linux = process.platform === 'linux';
  const checks: Check[] = [
    {
      name: 'Linux',
      ok: linux,
      purpose: 'real containers',
      remedy: `this is ${process.platform}: nodes are simulated here`,
      needed: false,
    },
    {
      name: 'root',
      ok: process.getuid?.() === 0,
      purpose: 'real containers',
      remedy: 'start with sudo; without it nodes are simulated',
      needed: false,
    },
  ];
  if (!linux) return checks;
  for (const [name, { package: debianPackage, purpose }] of Object.entries(NODE_PROGRAMS)) {
    checks.push({ name, ok: isInstalled(name), purpose, remedy: `apt install ${debianPackage}`, needed: false });
  }
  checks.push({
    name: 'cgroup v2',
    ok: fs.existsSync('/sys/fs/cgroup/cgroup.controllers'),
    purpose: 'limits of containers',
    remedy: 'boot with systemd.unified_cgroup_hierarchy=1',
    needed: false,
  });
  checks.push({
    name: 'overlayfs',
    ok: hasOverlay(),
    purpose: 'layers of images',
    remedy: 'modprobe overlay',
    needed: false,
  });
  return checks;
}

function hasOverlay(): boolean {
  try {
    return fs.readFileSync('/proc/filesystems', 'utf8').includes('overlay');
  } catch {
    return false;
  }
}
