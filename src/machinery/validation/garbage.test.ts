import { describe, expect, it } from 'vitest';
import { schema } from '../../api/index.ts';
import { applyDefaults } from '../defaulting/index.ts';
import type { KubeObject } from '../object.ts';
import { objectGenerator } from '../testing/index.ts';
import {
  DEFAULT_VALIDATION_CONTEXT,
  validateCreate,
  validateStatusUpdate,
  validateSubresourceUpdate,
  validateUpdate,
  validationOf,
  warningsOnCreate,
  warningsOnUpdate,
} from './index.ts';

const OBJECTS = 40;
const context = DEFAULT_VALIDATION_CONTEXT;
const stored = schema.resources.filter(({ verbs }) => verbs.includes('create') && verbs.includes('get'));

describe('validation returns errors for any object, and never throws', () => {
  it.each(
    stored.map((resource, i) => [`${resource.group}/${resource.version} ${resource.plural}`, resource, i] as const),
  )('%s', (_, resource, i) => {
    const generate = objectGenerator(i + 1);
    let old = generate.object(resource.message, resource);
    for (let n = 0; n < OBJECTS; n++) {
      const object = applyDefaults(resource, generate.object(resource.message, resource) as KubeObject);
      const errors = [
        ...validateCreate(resource, object, context),
        ...validateUpdate(resource, object, old, context),
        ...validateUpdate(resource, object, object, context),
        ...validateStatusUpdate(resource, object, old, context),
      ];
      for (const subresource of Object.keys(validationOf(resource).subresources ?? {})) {
        errors.push(...validateSubresourceUpdate(resource, subresource, { object, old, context }));
      }
      // One `expect` for all: there are half a million.
      expect(errors.every((error) => typeof error.toString() === 'string')).toBe(true);
      expect(
        [...warningsOnCreate(resource, object, context), ...warningsOnUpdate(resource, object, old, context)].every(
          (text) => typeof text === 'string',
        ),
      ).toBe(true);
      old = object;
    }
  });
});
