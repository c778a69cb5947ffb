/** What an ordinary user needs for containers, and how to get it. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { isInstalled, missingPrograms, type NODE_PROGRAMS, type Obstacle } from '../real-nodes.ts';
import { delegation, DELEGATED_CONTROLLERS } from './delegation.ts';
import { NEEDED_IDS, subordinateRange, type IdRange } from './subordinate-ids.ts';

interface RootlessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly purpose: string;
  /** What to do about it. */
  readonly remedy: string;
  readonly optional?: true;
}

/** Programs that only an ordinary user needs, and the Debian packages that have them. */
const USER_PROGRAMS: typeof NODE_PROGRAMS = {
  newuidmap: { package: 'uidmap', purpose: "maps the user's subordinate ids" },
  newgidmap: { package: 'uidmap', purpose: "maps the user's subordinate ids" },
  unshare: { package: 'util-linux', purpose: 'makes the namespaces' },
  setpriv: { package: 'util-linux', purpose: 'ends them with the command' },
  mount: { package: 'mount', purpose: 'makes the file systems of the namespaces' },
};

/** Programs for the way out of the network namespace; one of them is enough. */
const WAYS_OUT = ['pasta', 'slirp4netns'] as const;

/** The first of the programs for the way out that is installed. */
export const wayOutProgram = (): (typeof WAYS_OUT)[number] | undefined => WAYS_OUT.find(isInstalled);

interface MappedIds {
  readonly uids: IdRange;
  readonly gids: IdRange;
}

export function mappedIds(): MappedIds | undefined {
  const { username: name, uid } = os.userInfo();
  const uids = subordinateRange(read('/etc/subuid'), { name, id: uid });
  const gids = subordinateRange(read('/etc/subgid'), { name, id: uid });
  return uids && gids ? { uids, gids } : undefined;
}

/** The checks of `k8ts doctor` for a user who is not root. */
export function rootlessChecks(): RootlessCheck[] {
  const { username } = os.userInfo();
  const kernel = kernelRefusal();
  const programs = Object.entries(USER_PROGRAMS).map(([name, { package: debianPackage, purpose }]) => ({
    name,
    ok: isInstalled(name),
    purpose,
    remedy: `sudo apt install ${debianPackage}`,
  }));
  return [
    ...programs,
    {
      name: 'user namespaces',
      ok: kernel === undefined,
      purpose: 'containers without root',
      remedy: kernel ?? '',
    },
    {
      name: 'subordinate ids',
      ok: mappedIds() !== undefined,
      purpose: `users of containers: ${NEEDED_IDS} in /etc/subuid and in /etc/subgid`,
      remedy: `sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 ${username} (ids that nobody else has there)`,
    },
    {
      name: 'cgroup delegation',
      ok: delegation() !== undefined,
      purpose: 'limits of containers',
      remedy: delegationRemedy(),
      optional: true,
    },
    {
      name: WAYS_OUT.join(' or '),
      ok: wayOutRemedy() === undefined,
      purpose: 'the way out of containers (--egress)',
      remedy: wayOutRemedy() ?? '',
      optional: true,
    },
  ];
}

/** What to do before containers can reach addresses outside; undefined when they can. */
export function wayOutRemedy(): string | undefined {
  if (wayOutProgram() === undefined) return 'sudo apt install passt';
  return canOpenTun() ? undefined : 'sudo chmod 666 /dev/net/tun';
}

/** Why this user cannot run containers; undefined when nothing is in the way. */
export function rootlessObstacle(): Obstacle | undefined {
  const failed = rootlessChecks().filter(({ ok, optional }) => !ok && !optional);
  const missing = [...missingPrograms(), ...failed.map(({ name }) => name)];
  if (missing.length === 0) return undefined;
  return {
    kind: 'impossible',
    reason: `containers need root, or ${missing.join(' and ')}; "k8ts doctor" says how to get ${missing.length === 1 ? 'that' : 'those'}`,
  };
}

const DELEGATION_FOLDER = '/etc/systemd/system/user@.service.d';

const delegationRemedy = (): string =>
  fs.existsSync('/run/systemd/system') && fs.existsSync('/sys/fs/cgroup/cgroup.controllers')
    ? `sudo mkdir -p ${DELEGATION_FOLDER} && printf '[Service]\\nDelegate=${DELEGATED_CONTROLLERS.join(' ')}\\n' | sudo tee ${DELEGATION_FOLDER}/k8ts.conf && sudo systemctl daemon-reload, and log in again`
    : 'limits are not enforced without systemd and cgroup v2';

/** Whether the kernel, or its security module, lets this user make a user namespace and be root there. */
function kernelRefusal(): string | undefined {
  if (!isInstalled('unshare')) return undefined;
  try {
    execFileSync('unshare', ['--user', '--map-root-user', '--mount', 'true'], { stdio: 'pipe', timeout: 5000 });
    return undefined;
  } catch (error) {
    if (read('/proc/sys/user/max_user_namespaces').trim() === '0')
      return 'sudo sysctl -w user.max_user_namespaces=15000';
    if (read('/proc/sys/kernel/unprivileged_userns_clone').trim() === '0')
      return 'sudo sysctl -w kernel.unprivileged_userns_clone=1';
    if (read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns').trim() === '1')
      return 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0';
    const said = String((error as { stderr?: Buffer }).stderr ?? '').trim();
    return `the kernel refuses them to this user${said === '' ? '' : ` (${said})`}`;
  }
}

function canOpenTun(): boolean {
  try {
    fs.accessSync('/dev/net/tun', fs.constants.R_OK | fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
