import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../src/client/index.ts';
import { GrpcError, GrpcServer } from '../src/grpc/index.ts';
import * as registration from '../src/kubelet/devices/plugin-registration-v1.generated.ts';
import * as csi from '../src/kubelet/volumes/csi/csi-v1.generated.ts';

/** A CSI driver whose volumes are directories: node plugin and attacher, both in this process, with real mounts. */
export interface TestCsiDriver {
  readonly name: string;
  /** What it was asked to do, in order. */
  readonly calls: string[];
  readonly registered: registration.RegistrationStatus[];
  /** The volume contexts of what was published, by the volume. */
  readonly contexts: Map<string, Readonly<Record<string, string>>>;
  /** Whether its attacher does what it is asked. */
  attaches: boolean;
  /** Up to where it lets volumes grow. */
  largestBytes: number;
  /** Where a volume's files are. */
  files(volumeId: string): string;
  close(): Promise<void>;
}

export interface TestCsiDriverOptions {
  readonly name: string;
  readonly directory: string;
  readonly kubeletRoot: string;
  readonly client: Client;
}

const isMountPoint = (path: string): boolean =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[4] === path);

export async function startCsiDriver({
  name,
  directory,
  kubeletRoot,
  client,
}: TestCsiDriverOptions): Promise<TestCsiDriver> {
  const calls: string[] = [];
  const contexts = new Map<string, Readonly<Record<string, string>>>();
  const files = (volumeId: string): string => join(directory, 'volumes', volumeId.slice(0, 40));
  const bind = (from: string, to: string, readOnly = false): void => {
    mkdirSync(to, { recursive: true });
    if (isMountPoint(to)) return;
    execFileSync('mount', ['--bind', from, to]);
    if (readOnly) execFileSync('mount', ['-o', 'remount,bind,ro', to]);
  };
  const unmount = (path: string): void => {
    if (isMountPoint(path)) execFileSync('umount', [path]);
  };
  const node: Partial<csi.Node> = {
    nodeGetInfo: () => Promise.resolve({ nodeId: 'machine-1', maxVolumesPerNode: 5 }),
    nodeGetCapabilities: () =>
      Promise.resolve({
        capabilities: (['STAGE_UNSTAGE_VOLUME', 'EXPAND_VOLUME', 'GET_VOLUME_STATS', 'VOLUME_CONDITION'] as const).map(
          (type) => ({ rpc: { type } }),
        ),
      }),
    nodeGetVolumeStats: async ({ volumeId = '', volumePath = '' }) => {
      if (!isMountPoint(volumePath)) throw new GrpcError('NOT_FOUND', `${volumeId} is not at ${volumePath}`);
      return Promise.resolve({
        usage: [
          { unit: 'BYTES', total: 1000, used: 400, available: 600 },
          { unit: 'INODES', total: 100, used: 30, available: 70 },
        ],
        volumeCondition: { abnormal: false, message: 'fine' },
      });
    },
    nodeExpandVolume: async ({
      volumeId = '',
      volumePath = '',
      stagingTargetPath = '',
      capacityRange,
      volumeCapability,
      secrets = {},
    }) => {
      const bytes = capacityRange?.requiredBytes ?? 0;
      calls.push(`expand ${volumeId} ${bytes} ${volumeCapability?.mount?.fsType} ${secrets['key']}`);
      if (!isMountPoint(volumePath) || !isMountPoint(stagingTargetPath))
        throw new GrpcError('NOT_FOUND', `${volumeId} is not at ${volumePath}`);
      if (bytes > driver.largestBytes) throw new GrpcError('OUT_OF_RANGE', 'too large');
      return Promise.resolve({ capacityBytes: bytes });
    },
    nodeStageVolume: async ({ volumeId = '', stagingTargetPath = '', publishContext = {} }) => {
      calls.push(`stage ${volumeId} ${publishContext['device']}`);
      mkdirSync(files(volumeId), { recursive: true });
      bind(files(volumeId), stagingTargetPath);
      return Promise.resolve({});
    },
    nodePublishVolume: async ({
      volumeId = '',
      stagingTargetPath = '',
      targetPath = '',
      readonly = false,
      volumeContext = {},
    }) => {
      calls.push(`publish ${volumeId}`);
      contexts.set(volumeId, volumeContext);
      if (stagingTargetPath === '') {
        mkdirSync(files(volumeId), { recursive: true });
        writeFileSync(join(files(volumeId), 'pod'), volumeContext['csi.storage.k8s.io/pod.name'] ?? '');
      }
      bind(stagingTargetPath || files(volumeId), targetPath, readonly);
      return Promise.resolve({});
    },
    nodeUnpublishVolume: async ({ volumeId = '', targetPath = '' }) => {
      calls.push(`unpublish ${volumeId}`);
      unmount(targetPath);
      if (existsSync(targetPath)) rmdirSync(targetPath);
      return Promise.resolve({});
    },
    nodeUnstageVolume: async ({ volumeId = '', stagingTargetPath = '' }) => {
      calls.push(`unstage ${volumeId}`);
      unmount(stagingTargetPath);
      return Promise.resolve({});
    },
  };
  const registered: registration.RegistrationStatus[] = [];
  const socket = join(directory, 'csi.sock');
  mkdirSync(directory, { recursive: true });
  const plugin = new GrpcServer().add({ package: csi.PACKAGE, descriptor: csi.descriptor }, 'Node', node);
  plugin.add({ package: csi.PACKAGE, descriptor: csi.descriptor }, 'Identity', {
    getPluginInfo: () => Promise.resolve({ name, vendorVersion: '1' }),
  });
  await plugin.listen(`unix://${socket}`);
  const announced = new GrpcServer().add(
    { package: registration.PACKAGE, descriptor: registration.descriptor },
    'Registration',
    {
      getInfo: () => Promise.resolve({ type: 'CSIPlugin', name, endpoint: socket, supportedVersions: ['1.0.0'] }),
      notifyRegistrationStatus: (told: registration.RegistrationStatus) => {
        registered.push(told);
        return Promise.resolve({});
      },
    },
  );
  await announced.listen(`unix://${join(kubeletRoot, 'plugins_registry', `${name}-reg.sock`)}`);
  const stop = new AbortController();
  const driver: TestCsiDriver = {
    name,
    calls,
    registered,
    contexts,
    attaches: true,
    largestBytes: 2 * 2 ** 30,
    files,
    async close() {
      stop.abort();
      await attaching;
      announced.close();
      plugin.close();
    },
  };
  const attaching = attach(driver, client, stop.signal);
  return driver;
}

/** What the external attacher does: a volume that is wanted at a node is attached, at once. */
async function attach(driver: TestCsiDriver, client: Client, signal: AbortSignal): Promise<void> {
  const attachments = client.resource('storage.k8s.io/v1/volumeattachments');
  try {
    const { metadata } = await attachments.list();
    for await (const { type, object } of attachments.watch({ resourceVersion: metadata.resourceVersion, signal })) {
      if (!('spec' in object) || object.spec.attacher !== driver.name) continue;
      const volume = object.spec.source.persistentVolumeName ?? '';
      if (type === 'DELETED') driver.calls.push(`detach ${volume}`);
      if (type !== 'ADDED' || !driver.attaches) continue;
      driver.calls.push(`attach ${volume}`);
      await attachments.patch(
        { name: object.metadata.name ?? '' },
        { status: { attached: true, attachmentMetadata: { device: '/dev/of-the-test' } } },
        { type: 'merge', subresource: 'status' },
      );
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
