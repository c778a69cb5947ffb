/** A cluster of a few objects for tests of plugins that look at volumes: no API server, no informers. */
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../api/generated/core-v1.ts';
import { keyOf, type ApiObject, type BuiltInResource } from '../../client/index.ts';
import { Cache } from '../cache/cache.ts';
import { PodInfo } from '../cache/pod-info.ts';
import { CycleState } from '../framework/cycle-state.ts';
import type { Handle } from '../framework/handle.ts';
import type { Plugin } from '../framework/plugin.ts';
import type { Status } from '../framework/status.ts';
import { makeNode, makePod, type NodeBuilder, type PodBuilder } from './index.ts';

export type Objects = Partial<Record<BuiltInResource, readonly ApiObject[]>>;

interface VolumeFixture {
  readonly handle: Handle;
  readonly cache: Cache;
}

export function volumeFixture(
  options: {
    objects?: Objects;
    nodes?: readonly NodeBuilder[];
    pods?: readonly PodBuilder[];
    featureGates?: Record<string, boolean>;
  } = {},
): VolumeFixture {
  const { objects = {}, nodes = [makeNode('n')], pods = [], featureGates = {} } = options;
  const cache = new Cache();
  for (const node of nodes) cache.setNode(node.obj());
  for (const pod of pods) cache.setPod(pod.obj());
  const listers = {
    get: (resource: BuiltInResource, key: string) => objects[resource]?.find((object) => keyOf(object) === key),
    list: (resource: BuiltInResource) => objects[resource] ?? [],
  };
  return { handle: { cache, listers, featureGates } as unknown as Handle, cache };
}

interface Answer {
  /** What PreFilter said, if anything but yes: its code and reasons. */
  readonly preFilter?: string;
  /** What the filter said of each node that it was asked about: `fits`, or code and reasons. */
  readonly nodes: Readonly<Record<string, string>>;
  readonly state: CycleState;
  readonly pod: PodInfo;
}

/** Asks a plugin about a pod on every node. */
export function ask(plugin: Plugin, { cache }: VolumeFixture, pod: PodBuilder | Pod): Answer {
  const state = new CycleState();
  const info = new PodInfo('obj' in pod ? pod.obj() : pod);
  const status = plugin.preFilter?.(state, info)?.status;
  if (status !== undefined) return { preFilter: text(status), nodes: {}, state, pod: info };
  const filter = plugin.bindFilter?.(state, info) ?? ((node) => plugin.filter?.(state, info, node));
  return {
    nodes: Object.fromEntries([...cache.table.existing()].map((node) => [node.name, text(filter(node))])),
    state,
    pod: info,
  };
}

const text = (status: Status | undefined): string =>
  status === undefined ? 'fits' : `${status.code}: ${status.reasons.join('; ')}`.replace(/: $/, '');

export function claim(
  name: string,
  options: {
    className?: string;
    volumeName?: string;
    bound?: boolean;
    storage?: string;
    accessModes?: string[];
    annotations?: Record<string, string>;
    phase?: string;
    deleted?: boolean;
  } = {},
): PersistentVolumeClaim {
  const {
    className,
    volumeName,
    bound = volumeName !== undefined,
    storage = '1Gi',
    accessModes = ['ReadWriteOnce'],
    annotations = {},
    phase,
    deleted,
  } = options;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace: 'default',
      name,
      uid: `uid-${name}`,
      resourceVersion: '1',
      annotations: { ...annotations, ...(bound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {}) },
      ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      accessModes,
      resources: { requests: { storage } },
      ...(className === undefined ? {} : { storageClassName: className }),
      ...(volumeName === undefined ? {} : { volumeName }),
    },
    ...(phase === undefined ? {} : { status: { phase } }),
  };
}

export function volume(
  name: string,
  options: {
    className?: string;
    storage?: string;
    node?: string;
    labels?: Record<string, string>;
    csi?: { driver: string; volumeHandle: string };
    claimRef?: { name: string; uid?: string };
    accessModes?: string[];
  } = {},
): PersistentVolume {
  const { className, storage = '1Gi', node, labels, csi, claimRef, accessModes = ['ReadWriteOnce'] } = options;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, resourceVersion: '1', ...(labels ? { labels } : {}) },
    spec: {
      capacity: { storage },
      accessModes,
      ...(className === undefined ? {} : { storageClassName: className }),
      ...(csi ? { csi } : {}),
      ...(claimRef ? { claimRef: { namespace: 'default', ...claimRef } } : {}),
      ...(node === undefined
        ? {}
        : {
            nodeAffinity: {
              required: {
                nodeSelectorTerms: [
                  { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] },
                ],
              },
            },
          }),
    },
    status: { phase: claimRef ? 'Bound' : 'Available' },
  };
}

export const storageClass = (name: string, options: { provisioner?: string; delayed?: boolean } = {}): ApiObject =>
  ({
    metadata: { name },
    provisioner: options.provisioner ?? 'disks.example.com',
    volumeBindingMode: options.delayed ? 'WaitForFirstConsumer' : 'Immediate',
  }) as ApiObject;

export const podWithClaims = (name: string, ...claims: string[]): PodBuilder =>
  makePod(name)
    .uid(`uid-${name}`)
    .spec({ volumes: claims.map((claimName, i): Volume => ({ name: `v${i}`, persistentVolumeClaim: { claimName } })) });
