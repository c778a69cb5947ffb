import { execFileSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { requires } from './requires.ts';

/** An ordinary user of this machine, with subordinate ids, for as long as a test needs it. */
export interface TestUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  /** For programs that it starts. */
  readonly environment: NodeJS.ProcessEnv;
  /** Command lines of its processes, and of those with its subordinate ids. */
  processes(): string[];
  remove(): void;
}

/** Why a test cannot run containers without root; undefined when it can. */
export function whyNotRootless(): string | undefined {
  const missing = requires(
    ...['root', 'useradd', 'newuidmap', 'newgidmap', 'unshare', 'setpriv', 'mount'],
    ...['runc', 'conmon', 'nft', 'ip', 'busybox'],
  );
  if (missing !== undefined) return missing;
  try {
    execFileSync('setpriv', ['--reuid=65534', '--clear-groups', 'unshare', '--user', '--map-root-user', 'true'], {
      stdio: 'ignore',
    });
  } catch {
    return 'the kernel refuses user namespaces to ordinary users';
  }
  return isOpenToAll(join(import.meta.dirname, '..')) ? undefined : 'other users cannot read this working copy';
}

/** Whether every folder on the way lets other users pass. */
function isOpenToAll(folder: string): boolean {
  accessSync(folder, constants.R_OK);
  if ((statSync(folder).mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}

let users = 0;

export function createTestUser(): TestUser {
  const name = `k8ts-${process.pid}-${users++}`;
  const folder = mkdtempSync(join(tmpdir(), 'k8ts-user-'));
  execFileSync('chmod', ['755', folder]);
  const home = join(folder, 'home');
  execFileSync('useradd', ['--create-home', '--home-dir', home, '--shell', '/bin/sh', name], { stdio: 'pipe' });
  const { uid, gid } = statSync(home);
  const [, first = '', count = ''] =
    new RegExp(`^${name}:(\\d+):(\\d+)$`, 'm').exec(readFileSync('/etc/subuid', 'utf8')) ?? [];
  const subordinate = { first: Number(first), end: Number(first) + Number(count) };
  const isIts = (id: number): boolean => id === uid || (id >= subordinate.first && id < subordinate.end);
  return {
    name,
    uid,
    gid,
    home,
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, USER: name, LOGNAME: name, LANG: 'C' },
    processes: () =>
      readdirSync('/proc')
        .filter((pid) => /^\d+$/.test(pid))
        .flatMap((pid) => {
          try {
            if (!isIts(statSync(`/proc/${pid}`).uid) || /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8')))
              return [];
            return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()];
          } catch {
            return [];
          }
        }),
    remove() {
      execFileSync('userdel', [name], { stdio: 'pipe' });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
