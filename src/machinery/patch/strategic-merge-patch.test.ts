import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { patchObject } from './patch-object.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';
import { createStrategicMergePatch } from './testing/create-strategic-merge-patch.ts';

type JsonRecord = Record<string, unknown>;

const podSpec = schema.message('io.k8s.api.core.v1.PodSpec');
const deploymentSpec = schema.message('io.k8s.api.apps.v1.DeploymentSpec');
const objectMeta = schema.message('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
const podTemplate = schema.kind({ group: '', version: 'v1', kind: 'PodTemplate' })!;

const a = { name: 'a', image: 'a:1' };
const b = { name: 'b', image: 'b:1' };

describe('lists with a merge key', () => {
  it.each<[string, JsonRecord, JsonRecord, JsonRecord]>([
    [
      'an item is merged',
      { containers: [a, b] },
      { containers: [{ name: 'b', image: 'b:2' }] },
      { containers: [a, { name: 'b', image: 'b:2' }] },
    ],
    ['a new item goes first', { containers: [a] }, { containers: [b] }, { containers: [b, a] }],
    [
      'the last of equals counts',
      { containers: [a] },
      {
        containers: [
          { name: 'd', image: '1' },
          { name: 'd', image: '2' },
        ],
      },
      { containers: [{ name: 'd', image: '2' }, a] },
    ],
    [
      'an item is deleted',
      { containers: [a, b] },
      { containers: [{ name: 'a', $patch: 'delete' }] },
      { containers: [b] },
    ],
    [
      'the list is replaced',
      { containers: [a, b] },
      { containers: [{ $patch: 'replace' }, { name: 'c' }] },
      { containers: [{ name: 'c' }] },
    ],
    ['null removes the list', { containers: [a], hostname: 'h' }, { containers: null }, { hostname: 'h' }],
    [
      'lists in items',
      { containers: [{ ...a, env: [{ name: 'X', value: '1' }] }] },
      { containers: [{ name: 'a', env: [{ name: 'Y', value: '2' }] }] },
      {
        containers: [
          {
            ...a,
            env: [
              { name: 'Y', value: '2' },
              { name: 'X', value: '1' },
            ],
          },
        ],
      },
    ],
    [
      'lists without a key are replaced',
      { tolerations: [{ key: 'a' }] },
      { tolerations: [{ key: 'b' }] },
      { tolerations: [{ key: 'b' }] },
    ],
    [
      'numbers are keys',
      { containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
      { containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'web' }] }] },
      { containers: [{ name: 'a', ports: [{ containerPort: 80, protocol: 'TCP', name: 'web' }] }] },
    ],
    [
      'an order',
      { containers: [a, b] },
      { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      { containers: [b, a] },
    ],
    [
      'an order with a change',
      { containers: [a, b] },
      { '$setElementOrder/containers': [{ name: 'n' }, { name: 'b' }, { name: 'a' }], containers: [{ name: 'n' }] },
      { containers: [{ name: 'n' }, b, a] },
    ],
    [
      'a directive on what is not there',
      {},
      { containers: [{ name: 'a', $patch: 'delete' }, b], affinity: { $patch: 'delete' } },
      { containers: [b] },
    ],
    [
      'nulls on what is not there',
      {},
      { securityContext: { runAsUser: null, runAsGroup: 5 } },
      { securityContext: { runAsGroup: 5 } },
    ],
  ])('%s', (_name, target, patch, expected) => {
    const before = structuredClone(target);
    expect(applyStrategicMergePatch(podSpec, target, patch)).toEqual(expected);
    expect(target).toEqual(before);
  });
});

describe('maps and scalars', () => {
  it.each<[string, JsonRecord, JsonRecord, JsonRecord]>([
    ['a map merges', { labels: { a: '1' } }, { labels: { b: '2' } }, { labels: { a: '1', b: '2' } }],
    ['a map is replaced', { labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } }, { labels: { b: '2' } }],
    ['a map is emptied', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    [
      'scalars are added to a list',
      { finalizers: ['a', 'b'] },
      { finalizers: ['c', 'a'] },
      { finalizers: ['c', 'a', 'b'] },
    ],
    [
      'scalars are deleted from a list',
      { finalizers: ['a', 'b'] },
      { '$deleteFromPrimitiveList/finalizers': ['a'] },
      { finalizers: ['b'] },
    ],
    ['deleting from what is not there', {}, { '$deleteFromPrimitiveList/finalizers': 'x' }, {}],
  ])('%s', (_name, target, patch, expected) => {
    expect(applyStrategicMergePatch(objectMeta, target, patch)).toEqual(expected);
  });

  it('retainKeys removes all other keys', () => {
    const target = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } };
    const patch = { strategy: { $retainKeys: ['type'], type: 'Recreate' } };
    expect(applyStrategicMergePatch(deploymentSpec, target, patch)).toEqual({ strategy: { type: 'Recreate' } });
  });
});

describe('patches that fail', () => {
  it.each<[string, JsonRecord, JsonRecord, number, string]>([
    [
      'item without its key',
      { containers: [a] },
      { containers: [{ image: 'x' }] },
      500,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    [
      'deletion without its key',
      { containers: [a] },
      { containers: [{ $patch: 'delete' }] },
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'item of another kind',
      { containers: [{ name: 'a', command: ['x', 1] }] },
      { containers: ['x'] },
      500,
      'list element types are not identical: [[map[command:[x 1] name:a]] [x]]',
    ],
    [
      'unknown directive',
      { containers: [a] },
      { containers: [{ $patch: 'frob', name: 'a' }] },
      500,
      'unknown patch type: frob in map: map[$patch:frob name:a]',
    ],
    [
      'unknown directive in a map',
      { securityContext: { runAsUser: 1 } },
      { securityContext: { $patch: 'merge' } },
      500,
      'unknown patch type: merge in map: map[$patch:merge]',
    ],
    [
      'order that contradicts',
      { containers: [a] },
      { '$setElementOrder/containers': [{ name: 'z' }], containers: [{ name: 'a' }] },
      500,
      "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:z]]\n",
    ],
    [
      'order of no list',
      { containers: [a] },
      { '$setElementOrder/containers': 'x' },
      500,
      'expected a []interface {}, but received a string',
    ],
    [
      'retainKeys of no list',
      { securityContext: { runAsUser: 1 } },
      { securityContext: { $retainKeys: 'x' } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'retainKeys that lacks a field',
      { securityContext: { runAsUser: 1 } },
      { securityContext: { $retainKeys: ['a'], runAsUser: 2 } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'order of an unknown field',
      {},
      { '$setElementOrder/nope': [] },
      500,
      'unable to find api field in struct PodSpec for the json field "nope"',
    ],
  ])('%s', (_name, target, patch, code, message) => {
    expect(() => applyStrategicMergePatch(podSpec, target, patch)).toThrow(expect.objectContaining({ code, message }));
  });

  it.each<[string, string, string]>([
    ['list given a map', '{"template":{"spec":{"containers":{"name":"a"}}}}', 'cannot restore slice from map'],
    ['list given a string', '{"template":{"spec":{"containers":"a"}}}', 'cannot restore slice from string'],
    ['struct given a list', '{"template":{"spec":[]}}', 'cannot restore struct from: slice'],
    ['integer given a string', '{"template":{"spec":{"priority":"soon"}}}', 'unrecognized type: int32'],
    ['string given an integer', '{"template":{"spec":{"hostname":5}}}', 'cannot convert int64 to string'],
    ['integer given a fraction', '{"template":{"spec":{"priority":1.5}}}', 'cannot convert float64 to int32'],
  ])('a result that cannot be read back: %s', (_name, body, detail) => {
    const patched = () =>
      patchObject({
        type: 'application/strategic-merge-patch+json',
        body,
        live: { template: { spec: { containers: [a] } } },
        message: podTemplate,
        fieldValidation: 'Warn',
      });
    expect(patched).toThrow(
      expect.objectContaining({
        code: 422,
        message: expect.stringMatching(
          new RegExp(`^ "" is invalid: patch: Invalid value: "map\\[template:.*": ${detail}$`),
        ) as unknown,
      }),
    );
  });

  it('a refused patch is shown without the lists whose order it sets', () => {
    const patched = () =>
      patchObject({
        type: 'application/strategic-merge-patch+json',
        body: '{"template":{"spec":{"$setElementOrder/containers":[{"name":"a"}],"containers":[{"name":"a"}],"priority":"x"}}}',
        live: { template: { spec: { containers: [a] } } },
        message: podTemplate,
        fieldValidation: 'Warn',
      });
    expect(patched).toThrow('Invalid value: "map[template:map[spec:map[priority:x]]]": unrecognized type: int32');
  });
});

describe('patches from a difference', () => {
  it('has only the changes, and the order', () => {
    const original = { containers: [a, b], hostname: 'h', tolerations: [{ key: 'x' }] };
    const modified = { containers: [{ name: 'c' }, { ...a, image: 'a:2' }], tolerations: [{ key: 'y' }] };
    expect(createStrategicMergePatch(podSpec, original, modified)).toEqual({
      '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }],
      containers: [{ name: 'c' }, { name: 'a', image: 'a:2' }, { $patch: 'delete', name: 'b' }],
      hostname: null,
      tolerations: [{ key: 'y' }],
    });
  });

  it('retains the keys of a union', () => {
    const patch = createStrategicMergePatch(
      deploymentSpec,
      { strategy: { type: 'RollingUpdate', rollingUpdate: {} } },
      { strategy: { type: 'Recreate' } },
    );
    expect(patch).toEqual({ strategy: { $retainKeys: ['type'], type: 'Recreate', rollingUpdate: null } });
  });
});
