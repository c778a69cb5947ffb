/** cgroup v2 delegation: a scope of the user's systemd, in which limits can be enforced. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { isInstalled } from '../real-nodes.ts';

/** What enforces limits of containers. */
export const DELEGATED_CONTROLLERS = ['cpu', 'memory', 'pids'] as const;

const SCOPE = ['systemd-run', '--user', '--scope', '--quiet', '--collect', '--property=Delegate=yes', '--'] as const;

const LIST_CONTROLLERS = 'cat "/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/cgroup.controllers"';

/** The command that starts a program in a delegated scope; undefined where systemd gives none. */
export function delegation(): readonly string[] | undefined {
  if (!fs.existsSync('/sys/fs/cgroup/cgroup.controllers') || !isInstalled('systemd-run')) return undefined;
  try {
    const [command, ...args] = SCOPE;
    const text = execFileSync(command, [...args, 'sh', '-c', LIST_CONTROLLERS], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5000,
    });
    const delegated = text.trim().split(' ');
    return DELEGATED_CONTROLLERS.every((name) => delegated.includes(name)) ? SCOPE : undefined;
  } catch {
    return undefined;
  }
}
