import { describe, expect, it } from 'vitest';
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import type { FieldError } from '../errors/field-error.ts';
import { path } from '../errors/field-error.ts';
import { nameIsDnsSubdomain, qualifiedName, labelValue, dns1123Subdomain, dns1123Label } from '../names/names.ts';
import {
  validateConditions,
  validateFieldManager,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const GOOD: ObjectMeta = { name: 'a', namespace: 'ns' };
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };

const create = (meta: ObjectMeta, rules = RULES): string[] => {
  const errors: FieldError[] = [];
  validateObjectMeta(errors, meta, rules);
  return errors.map(String);
};

const update = (meta: ObjectMeta, old: ObjectMeta): string[] => {
  const errors: FieldError[] = [];
  validateObjectMetaUpdate(
    errors,
    { ...GOOD, resourceVersion: '1', ...meta },
    { ...GOOD, resourceVersion: '1', ...old },
  );
  return errors.map(String);
};

describe('metadata on create', () => {
  it.each<[string, ObjectMeta, string[]]>([
    ['all is well', GOOD, []],
    ['no name', { namespace: 'ns' }, ['metadata.name: Required value: name or generateName is required']],
    ['a bad name', { ...GOOD, name: 'A' }, [`metadata.name: Invalid value: "A": ${dns1123Subdomain('A')[0]}`]],
    [
      'a bad generateName, and the name made of it',
      { ...GOOD, generateName: 'Ab-', name: 'Ab-x' },
      [
        `metadata.generateName: Invalid value: "Ab-": ${dns1123Subdomain('A')[0]}`,
        `metadata.name: Invalid value: "Ab-x": ${dns1123Subdomain('A')[0]}`,
      ],
    ],
    ['no namespace', { name: 'a' }, ['metadata.namespace: Required value']],
    [
      'a bad namespace',
      { ...GOOD, namespace: 'A' },
      [`metadata.namespace: Invalid value: "A": ${dns1123Label('A')[0]}`],
    ],
    [
      'a negative generation',
      { ...GOOD, generation: -1 },
      ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'a bad label',
      { ...GOOD, labels: { 'a b': 'c d' } },
      [
        `metadata.labels: Invalid value: "a b": ${qualifiedName('a b')[0]}`,
        `metadata.labels: Invalid value: "c d": ${labelValue('c d')[0]}`,
      ],
    ],
    ['the case of an annotation does not matter', { ...GOOD, annotations: { 'Example.COM/A': '' } }, []],
    [
      'a bad annotation',
      { ...GOOD, annotations: { 'A b': '' } },
      [`metadata.annotations: Invalid value: "A b": ${qualifiedName('a b')[0]}`],
    ],
    ['annotations of exactly 256 KiB', { ...GOOD, annotations: { a: 'x'.repeat(256 * 1024 - 1) } }, []],
    [
      'annotations of a byte more',
      { ...GOOD, annotations: { a: 'x'.repeat(256 * 1024) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'bytes count, not characters',
      { ...GOOD, annotations: { a: 'é'.repeat(128 * 1024) } },
      ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    ],
    [
      'an owner without anything',
      { ...GOOD, ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] },
      [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    ],
    [
      'an owner of a version with two slashes',
      { ...GOOD, ownerReferences: [{ ...OWNER, apiVersion: 'a/b/c' }] },
      ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
    ],
    [
      'an event as the owner',
      { ...GOOD, ownerReferences: [{ ...OWNER, kind: 'Event' }] },
      [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"o","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    ],
    [
      'two controllers',
      {
        ...GOOD,
        ownerReferences: [
          { ...OWNER, controller: true },
          { ...OWNER, name: 'p', controller: true },
        ],
      },
      [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"p","uid":"u","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for ConfigMap/o and ConfigMap/p',
      ],
    ],
    [
      'a finalizer without a domain',
      { ...GOOD, finalizers: ['x'] },
      [
        'metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
    [
      'both ways of deleting',
      { ...GOOD, finalizers: ['orphan', 'foregroundDeletion'] },
      [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    ],
    [
      'managed fields',
      {
        ...GOOD,
        managedFields: [{ operation: 'Guess', fieldsType: 'V9', manager: 'a\tb', subresource: 's'.repeat(257) }],
      },
      [
        'metadata.managedFields[0].operation: Invalid value: "Guess": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "V9": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Invalid value: "a\\tb": invalid character U+0009 (at position 1)',
        'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
      ],
    ],
  ])('%s', (_, meta, errors) => {
    expect(create(meta)).toEqual(errors);
  });

  it('a cluster-scoped object has no namespace', () => {
    expect(create(GOOD, { ...RULES, namespaced: false })).toEqual([
      'metadata.namespace: Forbidden: not allowed on this type',
    ]);
  });
});

describe('metadata on update', () => {
  it.each<[string, ObjectMeta, ObjectMeta, string[]]>([
    ['nothing changes', {}, {}, []],
    [
      'no version',
      { resourceVersion: '' },
      {},
      ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    ],
    [
      'the generation goes back',
      { generation: 1 },
      { generation: 2 },
      ['metadata.generation: Invalid value: 1: must not be decremented'],
    ],
    [
      'the zero time marks it',
      { deletionTimestamp: null as never },
      {},
      ['metadata.deletionTimestamp: Invalid value: null: field is immutable'],
    ],
    ['the uid changes', { uid: 'x' }, { uid: 'u' }, ['metadata.uid: Invalid value: "x": field is immutable']],
    ['the uid goes', {}, { uid: 'u' }, ['metadata.uid: Invalid value: "": field is immutable']],
    [
      'the grace period changes',
      { deletionGracePeriodSeconds: 3 },
      { deletionGracePeriodSeconds: 2 },
      ['metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable'],
    ],
    ['a finalizer is added', { finalizers: ['a.io/b'] }, {}, []],
    [
      'finalizers are added while it is being deleted',
      { finalizers: ['a.io/z', 'a.io/b'], deletionTimestamp: '2030-01-01T00:00:00Z' },
      { deletionTimestamp: '2030-01-01T00:00:00Z' },
      [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.io/b", "a.io/z"}',
      ],
    ],
    [
      'a finalizer without a domain',
      { finalizers: ['x'] },
      {},
      [
        'metadata.finalizers[0]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
      ],
    ],
  ])('%s', (_, meta, old, errors) => {
    expect(update(meta, old)).toEqual(errors);
  });
});

describe('field managers and conditions', () => {
  it.each([
    ['short', 'kubectl', []],
    ['128 bytes', 'm'.repeat(128), []],
    ['129 bytes', 'm'.repeat(129), ['fieldManager: Too long: may not be more than 128 bytes']],
    [
      'a position in bytes',
      'é\u0007',
      ['fieldManager: Invalid value: "é\\a": invalid character U+0007 (at position 2)'],
    ],
  ])('a manager: %s', (_, manager, expected) => {
    const errors: FieldError[] = [];
    validateFieldManager(errors, manager, path('fieldManager'));
    expect(errors.map(String)).toEqual(expected);
  });

  it('conditions have type, status, reason and transition time', () => {
    const errors: FieldError[] = [];
    const good = {
      type: 'Ready',
      status: 'True',
      reason: 'Fine',
      message: '',
      lastTransitionTime: '2030-01-01T00:00:00Z',
    };
    validateConditions(
      errors,
      [
        good,
        { ...good, status: 'Yes', reason: '1', observedGeneration: -1 },
        { ...good, type: 'Other', reason: '', lastTransitionTime: '' },
      ],
      path('c'),
    );
    expect(errors.map(String).map((text) => text.replace(/ \(e\.g\..*/, ''))).toEqual([
      'c[1].type: Duplicate value: "Ready"',
      'c[1].status: Unsupported value: "Yes": supported values: "False", "True", "Unknown"',
      'c[1].observedGeneration: Invalid value: -1: must be greater than or equal to zero',
      "c[1].reason: Invalid value: \"1\": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
      'c[2].lastTransitionTime: Required value',
      'c[2].reason: Required value',
    ]);
  });
});
