import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FieldError } from '../../machinery/errors/index.ts';
import { validateValue, type Schema } from '../../machinery/validation/apiextensions/index.ts';
import { compileValidator } from './compile-validator.ts';

const scalar: fc.Arbitrary<Schema> = fc.oneof(
  fc.record(
    {
      type: fc.constant('string'),
      minLength: fc.nat(3),
      maxLength: fc.integer({ min: 2, max: 5 }),
      nullable: fc.boolean(),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constant('string'), pattern: fc.constantFrom('^a+$', 'b', '^(a|b)*$') }),
  fc.record({ type: fc.constant('string'), format: fc.constantFrom('ipv4', 'date', 'byte', 'unknown') }),
  fc.record(
    {
      type: fc.constant('integer'),
      minimum: fc.integer({ min: -2, max: 2 }),
      maximum: fc.integer({ min: 1, max: 9 }),
      exclusiveMaximum: fc.boolean(),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record(
    { type: fc.constant('integer'), format: fc.constantFrom('int32', 'int64'), multipleOf: fc.constantFrom(1, 2, 3) },
    { requiredKeys: ['type'] },
  ),
  fc.record({ type: fc.constant('number'), multipleOf: fc.constantFrom(0.5, 2) }, { requiredKeys: ['type'] }),
  fc.constant<Schema>({ type: 'boolean' }),
  fc.constant<Schema>({ 'x-kubernetes-int-or-string': true }),
  fc.constant<Schema>({ type: 'string', enum: ['a', 'b'] }),
  fc.constant<Schema>({ type: 'integer', enum: [1, 2] }),
  fc.constant<Schema>({ 'x-kubernetes-preserve-unknown-fields': true }),
);

const schema = fc.letrec<{ any: Schema }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.record(
      { type: fc.constant('array'), items: tie('any'), minItems: fc.nat(2), maxItems: fc.integer({ min: 1, max: 3 }) },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('any')),
        required: fc.subarray(['a']),
        maxProperties: fc.constant(2),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
    fc.record(
      { type: fc.constant('object'), additionalProperties: tie('any'), minProperties: fc.nat(1) },
      { requiredKeys: ['type', 'additionalProperties'] },
    ),
    fc.record({ anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
    fc.record({ oneOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
    fc.record(
      { allOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }), not: tie('any') },
      { requiredKeys: ['allOf'] },
    ),
  ),
})).any;

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(
      '',
      'a',
      'ab',
      'aaaa',
      'ä😀',
      '1.2.3.4',
      '2024-01-02',
      0,
      1,
      2,
      -3,
      1.5,
      2 ** 31,
      2n ** 62n,
      true,
      null,
    ),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any')),
  ),
})).any;

it('agrees with the validation that reports the errors', () => {
  fc.assert(
    fc.property(schema, value, (one, given) => {
      const errors: FieldError[] = [];
      validateValue(errors, given, one);
      expect(compileValidator(one)(given)).toBe(errors.length === 0);
    }),
    { numRuns: 2000 },
  );
});
