/**
 * CreateContainer: mounts the root file system and writes the OCI spec. No process is created before StartContainer,
 * so that errors of the OCI runtime are reported there.
 */
import fs from 'node:fs';
import path from 'node:path';
import { CriError, type CreateContainerRequest, type Mount } from '../../cri/index.ts';
import { makeDirectorySync } from '../../kernel/index.ts';
import { cgroupsPath } from '../cgroup-path.ts';
import type { Snapshot, StoredImage, UserNamespaceMapping } from '../images/index.ts';
import { containerSpec } from '../oci-spec/container-spec.ts';
import type { OciMount, OciSpec } from '../oci-spec/oci-types.ts';
import { stopSignalOf } from '../oci-spec/process.ts';
import { signalNumber } from '../oci-spec/signals.ts';
import { resolveUser, type ResolvedUser } from '../oci-spec/users.ts';
import type { ContainerRecord } from '../records/container-record.ts';
import type { SandboxRecord } from '../records/sandbox-record.ts';
import { newId, nowNanoseconds, type RuntimeParts } from '../runtime-parts.ts';
import { sandboxHostname, sandboxModes, sandboxNamespaces } from '../sandboxes/sandbox-namespaces.ts';
import { findSandbox, publishEvent, sandboxState } from '../sandboxes/sandbox-status.ts';
import { applyCdiDevices } from './cdi-devices.ts';
import { everyDevice, grantedDevices } from './host-devices.ts';
import { prepareMounts } from './prepare-mounts.ts';
import { releaseContainer } from './remove-container.ts';
import { readRootfsFile, resolveInRoot } from './rootfs-files.ts';

export async function createContainer(parts: RuntimeParts, request: CreateContainerRequest): Promise<string> {
  const { config } = request;
  if (config?.metadata?.name === undefined)
    throw new CriError('INVALID_ARGUMENT', 'the container config has no metadata');
  const sandbox = findSandbox(parts, request.podSandboxId);
  if (sandboxState(sandbox) !== 'SANDBOX_READY')
    throw new CriError('UNKNOWN', `sandbox container ${JSON.stringify(sandbox.id)} is not running`);
  checkNameIsFree(parts, sandbox.id, config.metadata.name, config.metadata.attempt ?? 0);
  const reference = config.image?.image ?? '';
  const image = parts.images.resolve(reference);
  if (image === undefined)
    throw new CriError('NOT_FOUND', `failed to get image ${JSON.stringify(reference)}: not found`);
  const defaults = image.config.config ?? {};
  const stopSignal = stopSignalOf(config, defaults);
  signalNumber(stopSignal);

  const id = newId(parts.ctx);
  const record = parts.containers.put({
    ...{ id, phase: 'creating', sandboxId: sandbox.id, config, runtimeHandler: sandbox.runtimeHandler, stopSignal },
    ...{ imageId: image.id, imageRef: image.digests[0] ?? image.id, createdAt: nowNanoseconds(parts.ctx) },
    cgroupPath: cgroupsPath(parts, sandbox.config.linux?.cgroupParent, id).absolute,
    ...(config.linux?.resources && { resources: config.linux.resources }),
    ...(config.logPath ? { logPath: logPathOf(sandbox, config.logPath) } : {}),
  });
  return parts.locks.run(id, async () => {
    try {
      const user = await setUp(parts, { record, sandbox, image });
      parts.containers.put({ ...record, phase: 'created', user });
    } catch (error) {
      await releaseContainer(parts, record);
      parts.containers.remove(id);
      throw error;
    }
    publishEvent(parts, { containerId: id, sandboxId: sandbox.id, type: 'CONTAINER_CREATED_EVENT' });
    return id;
  });
}

interface NewContainer {
  readonly record: ContainerRecord;
  readonly sandbox: SandboxRecord;
  readonly image: StoredImage;
}

async function setUp(parts: RuntimeParts, { record, sandbox, image }: NewContainer): Promise<ResolvedUser> {
  const { id, config } = record;
  const security = config.linux?.securityContext;
  const paths = parts.paths.container(id);
  const modes = sandboxModes(sandbox.config, parts.nodeNetns);
  const sandboxPaths = parts.paths.sandbox(sandbox.id);
  makeDirectorySync(paths.persist, { mode: 0o700 });
  const userNamespace = modes.userNamespace ? mappingOf(sandbox, sandboxPaths.user) : undefined;
  const [snapshot, mounts] = await Promise.all([
    parts.images.snapshots.prepare(id, image.id, userNamespace === undefined ? {} : { userNamespace }),
    prepareMounts(parts, { id, mounts: config.mounts ?? [], ...(userNamespace && { userNamespace }) }),
  ]);
  const user = resolveUser(security, image.config.config?.User, {
    passwd: readRootfsFile(snapshot.rootfs, '/etc/passwd'),
    group: readRootfsFile(snapshot.rootfs, '/etc/group'),
  });
  const spec = containerSpec({
    ...{ sandboxId: sandbox.id, config, user, mounts, hostNetwork: modes.hostNetwork },
    podName: sandbox.config.metadata?.name ?? '',
    podNamespace: sandbox.config.metadata?.namespace ?? '',
    podUid: sandbox.config.metadata?.uid ?? '',
    image: image.config.config ?? {},
    imageName: image.tags[0] ?? image.id,
    rootfs: snapshot.rootfs,
    hostname: sandboxHostname(sandbox.config, parts.nodeHostname),
    namespaces: sandboxNamespaces(sandboxPaths, modes, parts.nodeNetns),
    ...targetNamespace(parts, record),
    sandboxMounts: sandboxMounts(parts, sandbox, config.mounts ?? []),
    devices: [...(security?.privileged ? everyDevice() : []), ...grantedDevices(config.devices ?? [])],
    allowEveryDevice: security?.privileged ?? false,
    cgroupsPath: cgroupsPath(parts, sandbox.config.linux?.cgroupParent, id).runtime,
    host: parts.host,
    readSeccompProfile: (file) => fs.readFileSync(file, 'utf8'),
  });
  applyCdiDevices(spec, config.CDIDevices ?? [], parts.cdiDirectories);
  addImageVolumes(parts, { spec, snapshot, image, id });
  fs.writeFileSync(paths.spec, JSON.stringify(spec), { mode: 0o600 });
  if (record.logPath !== undefined) makeDirectorySync(path.dirname(record.logPath), { mode: 0o755 });
  return user;
}

function logPathOf(sandbox: SandboxRecord, logPath: string): string {
  const directory = sandbox.config.logDirectory ?? '';
  if (directory === '')
    throw new CriError(
      'INVALID_ARGUMENT',
      `the container asks for the log ${JSON.stringify(logPath)}, but its sandbox has no log directory`,
    );
  const joined = path.join(directory, logPath);
  if (!joined.startsWith(`${path.normalize(directory).replace(/\/$/, '')}/`))
    throw new CriError(
      'INVALID_ARGUMENT',
      `the log path ${JSON.stringify(logPath)} leaves the sandbox's log directory`,
    );
  return joined;
}

/** The PID namespace of an ephemeral container's target container. */
function targetNamespace(parts: RuntimeParts, { config, sandboxId }: ContainerRecord): { targetPid?: string } {
  const { pid, targetId = '' } = config.linux?.securityContext?.namespaceOptions ?? {};
  if (pid !== 'TARGET') return {};
  const target = parts.containers.find(targetId);
  if (target === undefined || target.sandboxId !== sandboxId)
    throw new CriError('INVALID_ARGUMENT', `the target container ${JSON.stringify(targetId)} is not in the sandbox`);
  if (target.phase !== 'running' || target.process === undefined)
    throw new CriError('FAILED_PRECONDITION', `the target container ${JSON.stringify(targetId)} is not running`);
  return { targetPid: `/proc/${target.process.pid}/ns/pid` };
}

function sandboxMounts(parts: RuntimeParts, sandbox: SandboxRecord, containerMounts: readonly Mount[]): OciMount[] {
  const paths = parts.paths.sandbox(sandbox.id);
  const modes = sandboxModes(sandbox.config, parts.nodeNetns);
  const mounted = new Set(containerMounts.map((mount) => path.posix.normalize(mount.containerPath ?? '')));
  const bind = (destination: string, source: string, options: string[] = []): OciMount => ({
    destination,
    type: 'bind',
    source,
    options: ['rbind', 'rprivate', 'rw', ...options],
  });
  return [
    bind('/etc/resolv.conf', paths.resolvConf),
    bind('/etc/hosts', paths.hosts),
    ...(modes.hostUts ? [] : [bind('/etc/hostname', paths.hostname)]),
    bind('/dev/shm', modes.hostIpc ? '/dev/shm' : paths.shm, ['nosuid', 'nodev', 'noexec']),
  ].filter((mount) => !mounted.has(mount.destination));
}

function mappingOf(sandbox: SandboxRecord, pinned: string): UserNamespaceMapping {
  const { uids = [], gids = [] } = sandbox.config.linux?.securityContext?.namespaceOptions?.usernsOptions ?? {};
  const complete = (mappings: typeof uids) =>
    mappings.map(({ hostId = 0, containerId = 0, length = 0 }) => ({ hostId, containerId, length }));
  return { uidMappings: complete(uids), gidMappings: complete(gids), path: pinned };
}

/**
 * Directories that the image declares as volumes stay writable in a container with readOnlyRootFilesystem; other
 * containers use their writable layer.
 */
function addImageVolumes(
  parts: RuntimeParts,
  { spec, snapshot, image, id }: { spec: OciSpec; snapshot: Snapshot; image: StoredImage; id: string },
): void {
  if (!spec.root.readonly) return;
  for (const declared of Object.keys(image.config.config?.Volumes ?? {})) {
    const destination = path.posix.join('/', declared);
    if (spec.mounts.some((mount) => mount.destination === destination)) continue;
    const source = path.join(parts.rootDirectory, 'volumes', id, destination);
    const inside = resolveInRoot(snapshot.rootfs, destination);
    makeDirectorySync(source);
    if (fs.existsSync(inside) && fs.statSync(inside).isDirectory())
      fs.cpSync(inside, source, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    spec.mounts.push({ destination, type: 'bind', source, options: ['rbind', 'rprivate', 'rw'] });
  }
}

function checkNameIsFree(parts: RuntimeParts, sandboxId: string, name: string, attempt: number): void {
  for (const other of parts.containers) {
    if (
      other.sandboxId !== sandboxId ||
      other.config.metadata?.name !== name ||
      (other.config.metadata.attempt ?? 0) !== attempt
    )
      continue;
    throw new CriError(
      'UNKNOWN',
      `failed to reserve container name "${name}_${sandboxId}_${attempt}": name is reserved for "${other.id}"`,
    );
  }
}
