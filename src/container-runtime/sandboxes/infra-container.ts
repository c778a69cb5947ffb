/**
 * The infra (pause) container of a sandbox. Only two kinds of sandboxes need one: a shared PID namespace needs a first
 * process, and a user namespace is created by a process that is mapped into it.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { PodSandboxConfig } from '../../cri/index.ts';
import { makeDirectorySync } from '../../kernel/index.ts';
import { cgroupsPath } from '../cgroup-path.ts';
import { identify, readPidFile, type ProcessIdentity } from '../linux/processes.ts';
import { createOciContainer, deleteOciContainer, startOciContainer, type OciRuntime } from '../oci-runtime.ts';
import { containerCapabilities } from '../oci-spec/capabilities.ts';
import { idMappings } from '../oci-spec/namespaces.ts';
import type { OciNamespace, OciSpec } from '../oci-spec/oci-types.ts';
import { defaultSeccompProfile } from '../oci-spec/seccomp-default.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { pauseProgram } from './pause-program.ts';
import { pinProcessNamespaces, type SandboxModes } from './sandbox-namespaces.ts';

interface InfraOptions {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly runtime: OciRuntime;
  readonly modes: SandboxModes;
  readonly hostname: string;
  readonly sysctls: Readonly<Record<string, string>>;
}

/** The kernel's OOM killer should kill it last: without it the whole pod would have to restart. */
const INFRA_OOM_SCORE_ADJ = -998;

/** A user id that a pod's user namespace maps. */
const NOBODY = 65_534;

/**
 * Creates the infra process and pins its namespaces. With a shared PID namespace it keeps running and is returned; a
 * user namespace alone needs it only until it is pinned.
 */
export async function startInfra(parts: RuntimeParts, options: InfraOptions): Promise<ProcessIdentity | undefined> {
  const { id, runtime, modes } = options;
  const paths = parts.paths.sandbox(id);
  installPauseProgram(parts);
  makeDirectorySync(paths.infraBundle);
  fs.writeFileSync(path.join(paths.infraBundle, 'config.json'), JSON.stringify(infraSpec(parts, options)));
  await createOciContainer(runtime, id, { bundle: paths.infraBundle, pidFile: paths.infraPid });
  const pid = readPidFile(paths.infraPid);
  const identity = pid === undefined ? undefined : identify(pid);
  if (identity === undefined) throw new Error('the infra process has exited');
  pinProcessNamespaces(identity.pid, paths, modes);
  if (!modes.sharedPid) {
    await deleteOciContainer(runtime, id);
    return undefined;
  }
  await startOciContainer(parts.ctx, runtime, id, { hasHooks: false });
  return identity;
}

function installPauseProgram(parts: RuntimeParts): void {
  const root = parts.paths.pause;
  const program = path.join(root, 'pause');
  if (fs.existsSync(program)) return;
  for (const folder of ['proc', 'dev']) makeDirectorySync(path.join(root, folder), { mode: 0o755 });
  const temporary = `${program}.tmp`;
  fs.writeFileSync(temporary, pauseProgram(parts.host.architecture), { mode: 0o755 });
  fs.renameSync(temporary, program);
}

function infraSpec(parts: RuntimeParts, { id, config, modes, hostname, sysctls }: InfraOptions): OciSpec {
  const { host } = parts;
  const paths = parts.paths.sandbox(id);
  const mappings = config.linux?.securityContext?.namespaceOptions?.usernsOptions;
  // With a user namespace, the infra process creates all namespaces, so that the user namespace owns them.
  const namespace = (type: OciNamespace['type'], file: string, ofHost: boolean): OciNamespace[] =>
    ofHost ? [] : [modes.userNamespace ? { type } : { type, path: file }];
  const none = containerCapabilities({ privileged: false, capabilities: { dropCapabilities: ['ALL'] }, available: [] });
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid: NOBODY, gid: NOBODY },
      args: ['/pause'],
      env: [],
      cwd: '/',
      capabilities: none,
      noNewPrivileges: true,
      oomScoreAdj: Math.max(INFRA_OOM_SCORE_ADJ, host.minOomScoreAdj),
    },
    root: { path: parts.paths.pause, readonly: true },
    ...(modes.userNamespace && !modes.hostUts ? { hostname } : {}),
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
      {
        destination: '/dev',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'strictatime', 'mode=755', 'size=64k'],
      },
    ],
    linux: {
      namespaces: [
        { type: 'mount' },
        { type: 'pid' },
        ...(modes.userNamespace ? [{ type: 'user' as const }] : []),
        ...namespace('network', paths.net, modes.hostNetwork),
        ...namespace('ipc', paths.ipc, modes.hostIpc),
        ...namespace('uts', paths.uts, modes.hostUts),
      ],
      ...(modes.userNamespace
        ? { uidMappings: idMappings(mappings?.uids), gidMappings: idMappings(mappings?.gids), sysctl: { ...sysctls } }
        : {}),
      resources: { devices: [{ allow: false, access: 'rwm' }] },
      ...(host.limits ? { cgroupsPath: cgroupsPath(parts, config.linux?.cgroupParent, id).runtime } : {}),
      seccomp: defaultSeccompProfile(host.architecture, []),
    },
  };
}
