/** RUN: one command in a container of the stage's root file system, on the machine's network. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { inUserNamespace } from '../linux/user-namespace.ts';
import type { OciRuntime } from '../oci-runtime.ts';
import { containerCapabilities } from '../oci-spec/capabilities.ts';
import { capabilitiesOfMask } from '../oci-spec/capabilities.ts';
import { systemMounts } from '../oci-spec/mounts.ts';
import { defaultSeccompProfile } from '../oci-spec/seccomp-default.ts';
import type { ResolvedUser } from '../oci-spec/users.ts';

interface Command {
  readonly rootfs: string;
  /** A directory for the container's spec, which nobody else uses. */
  readonly bundle: string;
  readonly id: string;
  readonly words: readonly string[];
  readonly environment: readonly string[];
  readonly directory: string;
  readonly user: ResolvedUser;
  /** Absent where none can be created. */
  readonly cgroup?: string;
  readonly signal?: AbortSignal;
  readonly write: (text: string) => void;
}

/** Resolves to the command's exit code. */
export async function runCommand(runtime: OciRuntime, command: Command): Promise<number> {
  await fs.promises.writeFile(path.join(command.bundle, 'config.json'), JSON.stringify(specOf(command)));
  const args = [...runtime.globalArguments, 'run', '--bundle', command.bundle, command.id];
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(runtime.path, args, { stdio: ['ignore', 'pipe', 'pipe'], signal: command.signal });
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => command.write(text));
      child.once('error', reject).once('close', (code, signal) => resolve(code ?? (signal ? 128 : 1)));
    });
  } finally {
    /** An interrupted runc leaves its container. */
    await new Promise<void>((resolve) => {
      const removal = spawn(runtime.path, [...runtime.globalArguments, 'delete', '--force', command.id], {
        stdio: 'ignore',
      });
      removal.once('error', () => resolve()).once('close', () => resolve());
    });
  }
}

function specOf({ rootfs, words, environment, directory, user, cgroup, id }: Command): object {
  const capabilities = containerCapabilities({
    privileged: false,
    capabilities: undefined,
    available: capabilitiesOfMask(/^CapEff:\s*(\w+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'),
  });
  const hostFiles = fs.existsSync(path.join(rootfs, 'etc')) ? ['/etc/resolv.conf', '/etc/hosts'] : [];
  return {
    ociVersion: '1.0.2',
    root: { path: rootfs },
    hostname: 'k8ts-build',
    process: {
      args: words,
      env: environment,
      cwd: directory,
      user: { uid: user.uid, gid: user.gid, additionalGids: user.supplementalGroups },
      capabilities,
      noNewPrivileges: false,
    },
    mounts: [
      ...systemMounts({
        privileged: false,
        userNamespace: inUserNamespace(),
        hostNetwork: true,
        cgroups: false,
      }),
      ...hostFiles
        .filter((file) => fs.existsSync(file))
        .map((file) => ({ destination: file, type: 'bind', source: file, options: ['rbind', 'ro'] })),
    ],
    linux: {
      ...(cgroup === undefined ? {} : { cgroupsPath: `${cgroup}/${id}` }),
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      seccomp: defaultSeccompProfile(process.arch, capabilities.effective),
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/timer_list', '/proc/sched_debug', '/sys/firmware'],
      readonlyPaths: ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'],
    },
  };
}
