import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import {
  DEFAULT_VALIDATION_CONTEXT,
  validateCreate,
  validateSubresourceUpdate,
  validateUpdate,
  validationOf,
} from './index.ts';
import { testedKind } from './testing/manifests.ts';

const writable = schema.resources.filter(({ verbs }) => verbs.includes('create') && verbs.includes('get'));

describe('the registry', () => {
  it.each(writable.map((resource) => [`${resource.group}/${resource.version} ${resource.plural}`, resource] as const))(
    '%s has validation',
    (_, resource) => {
      expect(validationOf(resource).create.length).toBeGreaterThan(0);
    },
  );

  it('a kind without validation is a mistake', () => {
    expect(() => validationOf({ group: 'x', version: 'v1', plural: 'ys', namespaced: true })).toThrow(
      'x/v1 ys has no validation',
    );
  });

  it('a subresource without validation is a mistake', () => {
    const update = { object: {}, old: {}, context: DEFAULT_VALIDATION_CONTEXT };
    expect(() => validateSubresourceUpdate(testedKind('pods'), 'log', update)).toThrow(
      'pods/log has no validation of its own',
    );
  });

  it('an event needs a name', () => {
    const event = { metadata: { namespace: 'default' }, involvedObject: {} };
    expect(validateCreate(testedKind('events'), event, DEFAULT_VALIDATION_CONTEXT).map(String)).toEqual([
      'metadata.name: Required value: name or generateName is required',
    ]);
  });

  it('an update is checked twice in common, and again by the kind', () => {
    const old = { metadata: { name: 'a', namespace: 'ns', resourceVersion: '1', uid: 'u' } };
    const object = { metadata: { ...old.metadata, uid: 'v', labels: { 'a b': '' } } };
    const fields = validateUpdate(testedKind('configmaps'), object, old, DEFAULT_VALIDATION_CONTEXT).map(
      ({ field }) => field,
    );
    expect(fields).toEqual([
      'metadata.labels',
      'metadata.uid',
      'metadata.labels',
      'metadata.uid',
      'metadata.labels',
      'metadata.labels',
    ]);
  });
});
