import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
  Pod,
} from '../../../api/generated/core-v1.ts';
import { startTestServer, type TestServer } from '../../../apiserver/testing/index.ts';
import { Client } from '../../../client/index.ts';
import { inProcessTransport } from '../../../cluster/in-process-transport.ts';
import { GrpcError } from '../../../grpc/index.ts';
import { childContext } from '../../../kernel/index.ts';
import type { ClaimUse } from './csi-drivers.ts';
import { ExpansionError } from './expansion-error.ts';
import { NodeExpansion } from './node-expansion.ts';

const NODE = 'n';
const PERIOD_MS = 60_000;

let server: TestServer;
/** What a kubelet may do is all that it takes. */
let kubelet: Client;
let admin: Client;
beforeAll(async () => {
  server = await startTestServer();
  const { ctx } = server;
  const clientAs = (name: string, groups: string[]): Client =>
    new Client({
      transport: inProcessTransport({ handle: server.pipeline.handle, user: { name, groups }, signal: ctx.signal }),
      clock: ctx.clock,
      userAgent: 'test',
    });
  kubelet = clientAs(`system:node:${NODE}`, ['system:nodes', 'system:authenticated']);
  admin = clientAs('admin', ['system:masters', 'system:authenticated']);
  await admin.resource('storage.k8s.io/v1/storageclasses').create({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'growing' },
    provisioner: 'csi.example.com',
    allowVolumeExpansion: true,
  });
});
afterAll(() => server.stop());

const calls: string[] = [];
const events: string[] = [];
let answer: (use: ClaimUse) => Promise<void>;
let stop: AbortController;
let expansion: NodeExpansion;
let running: Promise<void>;

function start(): void {
  stop = new AbortController();
  const ctx = childContext(server.ctx, 'csi', AbortSignal.any([server.ctx.signal, stop.signal]));
  expansion = new NodeExpansion(ctx, {
    client: kubelet,
    nodeName: NODE,
    periodMs: PERIOD_MS,
    recorder: {
      event: (object, type, reason, message) =>
        void events.push(
          `${'reference' in object ? object.reference.kind : object.kind} ${type} ${reason}: ${message}`,
        ),
    },
    expand: (use, bytes) => {
      calls.push(
        `${use.volume.metadata.name} ${bytes} ${use.claim.status?.allocatedResourceStatuses?.['storage'] ?? '-'}`,
      );
      return answer(use);
    },
  });
  running = expansion.run();
}
async function end(): Promise<void> {
  stop.abort(new Error('the kubelet is stopped'));
  await running;
}

let count = 0;
let name = '';
beforeEach(() => {
  calls.length = 0;
  events.length = 0;
  answer = () => Promise.resolve();
  name = `claim-${count++}`;
  start();
});
afterEach(end);

const claims = () => admin.resource('v1/persistentvolumeclaims');
const status = async (): Promise<PersistentVolumeClaimStatus> =>
  (await claims().get({ namespace: 'default', name })).status ?? {};
const conditions = async (): Promise<string[]> =>
  ((await status()).conditions ?? []).map(({ type, message }) => (message ? `${type}: ${message}` : type));
const state = async (): Promise<string | undefined> => (await status()).allocatedResourceStatuses?.['storage'];
const setStatus = (changed: object): Promise<PersistentVolumeClaim> =>
  claims().patch({ namespace: 'default', name }, { status: changed }, { type: 'merge', subresource: 'status' });

const PENDING = { type: 'FileSystemResizePending', status: 'True' };
const tracked = (of: string): object => ({
  allocatedResources: { storage: '2Gi' },
  allocatedResourceStatuses: { storage: of },
  conditions: [PENDING, { type: 'ModifyingVolume', status: 'True' }],
});
const untracked = { conditions: [PENDING, { type: 'Resizing', status: 'True' }] };

/**
 * A pod of this node that uses a claim of 2Gi, as published by the driver; the volume has grown already where nothing
 * else is said.
 */
async function use({
  size = '2Gi',
  mode = 'ReadWriteOnce',
  readOnly = false,
  claimStatus = {},
}: { size?: string; mode?: string; readOnly?: boolean; claimStatus?: object } = {}): Promise<ClaimUse> {
  await claims().create({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default' },
    spec: {
      accessModes: [mode],
      storageClassName: 'growing',
      volumeName: name,
      resources: { requests: { storage: size } },
    },
  });
  const claim = await setStatus({ phase: 'Bound', capacity: { storage: '1Gi' }, ...claimStatus });
  const volume: PersistentVolume = await admin.resource('v1/persistentvolumes').create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      capacity: { storage: size },
      accessModes: [mode],
      storageClassName: 'growing',
      claimRef: { namespace: 'default', name, uid: claim.metadata.uid },
      csi: { driver: 'csi.example.com', volumeHandle: name },
    },
  });
  const pod: Pod = await admin.resource('v1/pods').create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      nodeName: NODE,
      containers: [{ name: 'main', image: 'busybox' }],
      volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }],
    },
  });
  return { pod, claim, volume, directory: `/pods/${name}`, readOnly };
}

const fails = (error: Error): void => void (answer = () => Promise.reject(error));
const SUCCEEDED = (): string[] =>
  ['Pod', 'PersistentVolumeClaim'].map(
    (kind) =>
      `${kind} Normal FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "${name}" ${NODE}`,
  );

describe('before a pod uses the volume', () => {
  it.each<[string, object, string]>([
    ['what is pending is done', tracked('NodeResizePending'), 'NodeResizeInProgress'],
    ['what was begun is done', tracked('NodeResizeInProgress'), 'NodeResizeInProgress'],
    ['what an older resizer leaves to the node is done', untracked, '-'],
  ])('%s', async (_name, claimStatus, during) => {
    await expansion.published(await use({ claimStatus }));
    expect(calls).toEqual([`${name} ${2 * 2 ** 30} ${during}`]);
    expect(await status()).toMatchObject({ capacity: { storage: '2Gi' } });
    expect(await state()).toBeUndefined();
    expect((await conditions()).filter((type) => type !== 'ModifyingVolume')).toEqual([]);
    expect(events).toEqual(SUCCEEDED());
  });

  it('conditions of others stay', async () => {
    await expansion.published(await use({ claimStatus: tracked('NodeResizePending') }));
    expect(await conditions()).toEqual(['ModifyingVolume']);
    expect((await status()).allocatedResources).toEqual({ storage: '2Gi' });
  });

  it.each<[string, Parameters<typeof use>[0]]>([
    ['while the controller is at it', { claimStatus: tracked('ControllerResizeInProgress') }],
    ['after it was found infeasible', { claimStatus: tracked('NodeResizeInfeasible') }],
    ['for a volume that has its size', { size: '1Gi' }],
  ])('nothing is done %s', async (_name, given) => {
    const before = await use(given);
    await expansion.published(before);
    expect({ calls, events }).toEqual({ calls: [], events: [] });
    expect(await status()).toEqual(before.claim.status);
  });

  it('a pod that only reads cannot have it grown', async () => {
    await expansion.published(await use({ readOnly: true, claimStatus: tracked('NodeResizePending') }));
    expect(calls).toEqual([]);
    expect(events).toEqual(
      ['Pod', 'PersistentVolumeClaim'].map(
        (kind) =>
          `${kind} Warning FileSystemResizeFailed: MountVolume.NodeExpandVolume failed for volume "${name}" requested read-only file system`,
      ),
    );
    expect(await state()).toBe('NodeResizePending');
  });

  it.each(['OUT_OF_RANGE', 'INVALID_ARGUMENT', 'NOT_FOUND'] as const)(
    '%s is reported once, and the pod then gets the volume unchanged',
    async (code) => {
      fails(new GrpcError(code, 'no'));
      const given = await use({ claimStatus: tracked('NodeResizePending') });
      await expect(expansion.published(given)).rejects.toThrow(
        /^Expander\.NodeExpand failed to expand the volume rpc error: code = \w+ desc = no$/,
      );
      expect(await state()).toBe('NodeResizeInfeasible');
      expect((await conditions()).at(-1)).toMatch(
        /^NodeResizeError: failed to expand pvc with Expander\.NodeExpand failed to expand the volume rpc error: code = /,
      );
      expect((await status()).capacity).toEqual({ storage: '1Gi' });
      await expansion.published(given);
      expect(calls).toHaveLength(1);
    },
  );

  it('another failure is reported and retried, and cleared on success', async () => {
    fails(new GrpcError('INTERNAL', 'disk'));
    const given = await use({ claimStatus: tracked('NodeResizePending') });
    await expect(expansion.published(given)).rejects.toThrow(
      'Expander.NodeExpand failed to expand the volume : rpc error: code = Internal desc = disk',
    );
    expect(await state()).toBe('NodeResizeInProgress');
    expect((await conditions()).at(-1)).toBe(
      'NodeResizeError: failed to expand pvc with Expander.NodeExpand failed to expand the volume : rpc error: code = Internal desc = disk',
    );
    answer = () => Promise.resolve();
    await expansion.published(given);
    expect(await status()).toMatchObject({ capacity: { storage: '2Gi' } });
    expect(await conditions()).toEqual(['ModifyingVolume']);
  });

  it('a final failure is dropped when another size is requested', async () => {
    fails(new GrpcError('INTERNAL', 'disk'));
    const given = await use({ claimStatus: tracked('NodeResizePending') });
    await expect(expansion.published(given)).rejects.toThrow('disk');
    await claims().patch(
      { namespace: 'default', name },
      { spec: { resources: { requests: { storage: '3Gi' } } } },
      { type: 'merge' },
    );
    await expect(expansion.published(given)).rejects.toThrow('disk');
    expect(await state()).toBe('NodeResizeInfeasible');
  });

  it('a driver that may still be working causes no report', async () => {
    fails(new GrpcError('UNAVAILABLE', 'away'));
    await expect(expansion.published(await use({ claimStatus: tracked('NodeResizePending') }))).rejects.toThrow('away');
    expect(await state()).toBe('NodeResizeInProgress');
    expect(await conditions()).toEqual(['FileSystemResizePending', 'ModifyingVolume']);
  });

  it('a driver that cannot expand a volume in use does not delay the pod, and is not called again', async () => {
    fails(new GrpcError('FAILED_PRECONDITION', 'in use'));
    await expansion.published(await use({ claimStatus: tracked('NodeResizePending') }));
    expect((await conditions()).at(-1)).toContain('code = FailedPrecondition desc = in use');
    await server.ctx.clock.advance(3 * PERIOD_MS);
    expect(calls).toHaveLength(1);
  });

  it('a driver without node expansion leaves the claim to the resizer', async () => {
    fails(new ExpansionError('unsupported', 'NodeExpand is not supported'));
    const given = await use({ claimStatus: untracked });
    await expansion.published(given);
    await server.ctx.clock.advance(3 * PERIOD_MS);
    expect(calls).toHaveLength(1);
    expect(await status()).toEqual(given.claim.status);
  });

  it('a driver without node expansion that the claim waits for fails by name', async () => {
    fails(new ExpansionError('unsupported', 'NodeExpand is not supported'));
    await expect(expansion.published(await use({ claimStatus: tracked('NodeResizePending') }))).rejects.toThrow(
      'NodeExpand is not supported',
    );
    expect((await conditions()).at(-1)).toBe('NodeResizeError: failed to expand pvc with NodeExpand is not supported');
  });

  it('a kubelet that stopped before its report repeats the expansion', async () => {
    const given = await use({ claimStatus: tracked('NodeResizePending') });
    // The claim changes meanwhile, so that its status cannot be written by what was read before.
    answer = () =>
      claims()
        .patch({ namespace: 'default', name }, { metadata: { labels: { a: 'b' } } }, { type: 'merge' })
        .then(() => {});
    await expect(expansion.published(given)).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await status()).toMatchObject({
      capacity: { storage: '1Gi' },
      allocatedResourceStatuses: { storage: 'NodeResizeInProgress' },
    });
    await end();
    start();
    answer = () => Promise.resolve();
    await expansion.published({ ...given, claim: await claims().get({ namespace: 'default', name }) });
    expect(calls).toHaveLength(2);
    expect((await status()).capacity).toEqual({ storage: '2Gi' });
  });
});

describe('while pods use the volume', () => {
  const grow = async (changed: object): Promise<void> => {
    await admin
      .resource('v1/persistentvolumes')
      .patch({ name }, { spec: { capacity: { storage: '2Gi' } } }, { type: 'merge' });
    await setStatus(changed);
  };

  it('it grows within a period and a half', async () => {
    await expansion.published(await use({ size: '1Gi' }));
    await grow(tracked('NodeResizePending'));
    await server.ctx.clock.advance(1.5 * PERIOD_MS);
    expect(calls).toEqual([`${name} ${2 * 2 ** 30} NodeResizeInProgress`]);
    expect(await status()).toMatchObject({ capacity: { storage: '2Gi' } });
    expect(events).toEqual(SUCCEEDED());
    await server.ctx.clock.advance(3 * PERIOD_MS);
    expect(calls).toHaveLength(1);
  });

  it('it expands at once when the pod is updated', async () => {
    const given = await use({ size: '1Gi' });
    await expansion.published(given);
    await grow(tracked('NodeResizePending'));
    expansion.podChanged(given.pod.metadata.uid ?? '');
    await server.ctx.clock.advance(10);
    expect(calls).toHaveLength(1);
  });

  it('a failure is reported at each attempt, with growing pauses, until it succeeds', async () => {
    const given = await use({ size: '1Gi' });
    await expansion.published(given);
    await grow(tracked('NodeResizePending'));
    fails(new GrpcError('UNAVAILABLE', 'away'));
    expansion.podChanged(given.pod.metadata.uid ?? '');
    await server.ctx.clock.advance(10);
    await server.ctx.clock.advance(500 + 1000);
    expect(calls).toHaveLength(3);
    expect(events).toEqual(
      Array(3).fill(
        `Pod Warning VolumeResizeFailed: NodeExpandVolume.NodeExpandVolume failed for volume "${name}" : Expander.NodeExpand failed to expand the volume : rpc error: code = Unavailable desc = away`,
      ),
    );
    answer = () => Promise.resolve();
    await server.ctx.clock.advance(2000);
    expect(calls).toHaveLength(4);
    expect((await status()).capacity).toEqual({ storage: '2Gi' });
  });

  it.each<[string, string, number]>([
    ['a volume of several nodes grows on each, and its claim is left as it is', 'ReadWriteMany', 1],
    ['a volume of one node has grown when its claim says so', 'ReadWriteOnce', 0],
  ])('%s', async (_name, mode, expected) => {
    await expansion.published(await use({ size: '1Gi', mode }));
    await grow({ capacity: { storage: '2Gi' }, allocatedResources: { storage: '2Gi' } });
    const before = await status();
    await server.ctx.clock.advance(4 * PERIOD_MS);
    expect(calls).toHaveLength(expected);
    expect(await status()).toEqual(before);
  });

  it('a volume that is no longer mounted is not expanded', async () => {
    const given = await use({ size: '1Gi' });
    await expansion.published(given);
    await grow(tracked('NodeResizePending'));
    await expansion.unpublished(given.directory);
    await server.ctx.clock.advance(3 * PERIOD_MS);
    expect(calls).toEqual([]);
  });
});
