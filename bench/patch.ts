/** How fast patches and applied configurations become objects, and what keeping managedFields costs every write. */
import { schema } from '../src/api/index.ts';
import type { GroupVersionKind } from '../src/api/schema.ts';
import { applyPatch, updateManagedFields } from '../src/machinery/apply/index.ts';
import { canonicalize } from '../src/machinery/decode/index.ts';
import type { KubeObject } from '../src/machinery/object.ts';
import { patchObject, type PatchRequest } from '../src/machinery/patch/index.ts';
import { callsPerSecond, type BenchOptions, type Row } from './harness.ts';
import { samplePod } from './sample-pod.ts';

export const name = 'patch';

const POD: GroupVersionKind = { group: '', version: 'v1', kind: 'Pod' };
const RESET_STATUS = [['status']];
const RESET_SPEC = [['spec']];

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const message = schema.kind(POD)!;
  const pod = canonicalize(message, samplePod()) as KubeObject;
  const tracking = {
    manager: 'kubectl',
    apiVersion: 'v1',
    schemaMessage: message,
    now: '2026-03-01T10:20:30Z',
    resetFields: RESET_STATUS,
  };
  const { managedFields: _tracked, ...metadata } = pod.metadata;
  const created = { ...pod, metadata };
  const live = updateManagedFields({ ...tracking, live: undefined, updated: created });

  const status = { ...(pod['status'] as object), phase: 'Running', message: 'changed' };
  const replaced = canonicalize(message, {
    ...pod,
    metadata: { ...live.metadata, labels: { ...pod.metadata.labels, changed: 'yes' } },
  }) as KubeObject;
  const spec = pod['spec'] as { containers: { name: string }[] };
  const patches: Record<string, unknown> = {
    'application/strategic-merge-patch+json': {
      metadata: { labels: { changed: 'yes' } },
      spec: { containers: [{ name: spec.containers[0]!.name, image: 'changed' }] },
    },
    'application/merge-patch+json': { metadata: { labels: { changed: 'yes' } } },
    'application/json-patch+json': [{ op: 'replace', path: '/spec/containers/0/image', value: 'changed' }],
  };
  const configuration = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: metadata.name, labels: metadata.labels },
    spec: pod['spec'],
  };
  const applying = {
    applied: configuration,
    manager: 'applier',
    force: true,
    kind: POD,
    schemaMessage: message,
    now: '2026-03-01T10:20:30Z',
    resetFields: RESET_STATUS,
  };
  const applied = applyPatch({ ...applying, live: undefined }).object;
  const changedConfiguration = {
    ...configuration,
    spec: { ...spec, containers: spec.containers.map((c) => ({ ...c, image: 'changed' })) },
  };

  const rate = (work: () => unknown): number => callsPerSecond(() => void work(), durationMs);
  return [
    ...Object.entries(patches).map(([type, patch]): Row => {
      const body = JSON.stringify(patch);
      const request = { type: type as PatchRequest['type'], body, live, message, fieldValidation: 'Warn' as const };
      return {
        work: `${type.slice('application/'.length)} on a 3.5 KB Pod`,
        value: rate(() => patchObject(request)),
        unit: '/s',
        atLeast: 3_000,
      };
    }),
    {
      work: 'apply a 3.5 KB Pod, new',
      value: rate(() => applyPatch({ ...applying, live: undefined })),
      unit: '/s',
      atLeast: 3_000,
    },
    {
      work: 'apply a 3.5 KB Pod, changed',
      value: rate(() => applyPatch({ ...applying, live: applied, applied: changedConfiguration })),
      unit: '/s',
      atLeast: 3_000,
    },
    {
      work: 'apply a 3.5 KB Pod, unchanged',
      value: rate(() => applyPatch({ ...applying, live: applied })),
      unit: '/s',
      atLeast: 3_000,
    },
    {
      work: 'managedFields of a created Pod',
      value: rate(() => updateManagedFields({ ...tracking, live: undefined, updated: created })),
      unit: '/s',
      atLeast: 30_000,
    },
    {
      work: 'managedFields of a replaced Pod',
      value: rate(() => updateManagedFields({ ...tracking, live, updated: replaced, manager: 'other' })),
      unit: '/s',
      atLeast: 30_000,
    },
    {
      work: 'managedFields of a Pod with a new status',
      value: rate(() =>
        updateManagedFields({
          ...tracking,
          live,
          updated: { ...live, status },
          manager: 'kubelet',
          subresource: 'status',
          resetFields: RESET_SPEC,
        }),
      ),
      unit: '/s',
      atLeast: 50_000,
    },
  ];
}
