import { describe, expect, it } from 'vitest';
import type { FieldError } from '../machinery/errors/field-error.ts';
import type { Schema } from '../machinery/validation/apiextensions/index.ts';
import { Allowance, AllowanceExceededError, compileSchemaRules, schemaCelCompiler } from './index.ts';

const object = (properties: Record<string, Schema>, ...rules: Schema['x-kubernetes-validations'] & object): Schema => ({
  type: 'object',
  properties,
  ...(rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
});
const rule = (text: string, more: object = {}): { rule: string } => ({ rule: text, ...more });

function check(spec: Schema, value: unknown, old?: unknown): { errors: string[]; warnings: string[] } {
  const errors: FieldError[] = [];
  const warnings: string[] = [];
  const wrap = (inner: unknown): unknown =>
    inner === undefined
      ? undefined
      : { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: inner };
  compileSchemaRules(object({ spec }), true)?.validate(errors, warnings, wrap(value), wrap(old));
  return { errors: errors.map(String), warnings };
}

describe('conversions of constants', () => {
  const compile = (expression: string) =>
    schemaCelCompiler.compileSchemaRule({
      expression,
      use: 'rule',
      schema: { type: 'object', properties: { n: { type: 'integer' } } },
      rootSchema: {},
      isResourceRoot: false,
      optionalOldSelf: false,
    }).error?.detail;

  it.each([
    ['int("b") > 1', "program instantiation failed: type conversion error from 'string' to 'int'"],
    ['true || uint("-1") == 1u', "program instantiation failed: type conversion error from 'string' to 'uint'"],
    [
      '[1].all(x, double(string("a")) > 1.0)',
      "program instantiation failed: type conversion error from 'string' to 'double'",
    ],
    ['bool("maybe")', "program instantiation failed: type conversion error from 'string' to 'bool'"],
    ['[string].exists(t, t == string)', 'program instantiation failed: reference to undefined type: t'],
    ['[string].map(t, t)[0] == string', 'program instantiation failed: reference to undefined type: t'],
    ['[string].exists(int, int == string)', undefined],
    ['{string: 1}[string] == 1', 'program instantiation failed: invalid qualifier type: *types.Type'],
    ['{type(1): 1}[type(1)] == 1', 'program instantiation failed: invalid qualifier type: *types.Type'],
    ['{type(1): 1}[type(self.n)] == 1', undefined],
    ['[string][0] == string', undefined],
    ['int("1") == 1', undefined],
    ['int(string(self.n) + "x") == 1', undefined],
  ])('%s', (expression, detail) => expect(compile(expression)).toBe(detail));
});

const small: Schema = { type: 'integer', 'x-kubernetes-validations': [rule('self < 10')] };

describe('rules', () => {
  it.each<[name: string, schema: Schema, value: unknown, errors: string[]]>([
    ['pass', object({ a: small }), { a: 1 }, []],
    [
      'fail with the rule itself',
      object({ a: small }),
      { a: 10 },
      ['spec.a: Invalid value: 10: failed rule: self < 10'],
    ],
    [
      'fail with a message',
      object({ a: { type: 'integer' } }, rule('self.a < 10', { message: ' too big ' })),
      { a: 10 },
      ['spec: Invalid value: too big'],
    ],
    [
      'name a field',
      object(
        { a: { type: 'integer' } },
        rule('self.a < 10', { fieldPath: '.a', reason: 'FieldValueForbidden', message: 'no' }),
      ),
      { a: 10 },
      ['spec.a: Forbidden: no'],
    ],
    [
      'say what their expression says',
      object({ a: { type: 'string' } }, rule('self.a == "x"', { messageExpression: '"got " + self.a' })),
      { a: 'y' },
      ['spec: Invalid value: got y'],
    ],
    [
      'fall back when it fails',
      object(
        { a: { type: 'string' } },
        rule('self.a == "x"', { message: 'plain', messageExpression: 'self.a.substring(9)' }),
      ),
      { a: 'y' },
      ['spec: Invalid value: plain'],
    ],
    [
      'fail by an error',
      object({ a: { type: 'integer' } }, rule('10 / self.a > 0', { message: 'dividing' })),
      { a: 0 },
      ['spec: Invalid value: "object": division by zero evaluating rule: dividing'],
    ],
    ['reach items', { type: 'array', items: small }, [1, 20], ['spec[1]: Invalid value: 20: failed rule: self < 10']],
    [
      'reach values',
      { type: 'object', additionalProperties: small },
      { k: 20 },
      ['spec[k]: Invalid value: 20: failed rule: self < 10'],
    ],
    ['skip null', object({ a: { ...small, nullable: true } }), { a: null }, []],
    [
      'escape names',
      object(
        { 'a-b': { type: 'integer' }, namespace: { type: 'string' } },
        rule('self.a__dash__b == 1 && self.__namespace__ == "x"'),
      ),
      { 'a-b': 1, namespace: 'x' },
      [],
    ],
    [
      'know durations',
      object({ d: { type: 'string', format: 'duration' } }, rule('self.d <= duration("1h")')),
      { d: '30m' },
      [],
    ],
    ['leave old values alone on create', object({ a: { type: 'integer' } }, rule('self.a >= oldSelf.a')), { a: 1 }, []],
    [
      'see that there is no old value',
      object({ a: { type: 'integer' } }, rule('oldSelf.hasValue()', { optionalOldSelf: true, message: 'new' })),
      { a: 1 },
      ['spec: Invalid value: new'],
    ],
  ])('%s', (_name, schema, value, errors) => {
    expect(check(schema, value).errors).toEqual(errors);
  });

  it('compare with the value before', () => {
    const schema = object({ a: { type: 'integer' } }, rule('self.a >= oldSelf.a', { message: 'never less' }));
    expect(check(schema, { a: 1 }, { a: 2 }).errors).toEqual(['spec: Invalid value: never less']);
    expect(check(schema, { a: 3 }, { a: 2 }).errors).toEqual([]);
  });

  it('only warn about unchanged invalid values', () => {
    const schema = object({ a: small, b: { type: 'string' } });
    expect(check(schema, { a: 10, b: 'new' }, { a: 10, b: 'old' })).toEqual({
      errors: [],
      warnings: ['spec.a: Invalid value: 10: failed rule: self < 10'],
    });
    expect(check(schema, { a: 11, b: 'new' }, { a: 10, b: 'old' }).errors).toHaveLength(1);
  });

  it('cost no more than is allowed', () => {
    const items: Schema = { type: 'array', items: { type: 'integer' } };
    const rules = compileSchemaRules({ ...items, 'x-kubernetes-validations': [rule('self.all(x, x >= 0)')] }, false)!;
    const few = [1, 2, 3];
    const many = Array.from({ length: 1000 }, (_, i) => i);
    expect(() => rules.validate([], [], few, undefined, new Allowance(500))).not.toThrow();
    expect(() => rules.validate([], [], many, undefined, new Allowance(500))).toThrow(AllowanceExceededError);
    expect(() => rules.validate([], [], many, undefined)).not.toThrow();
  });

  it('stop when their budget is spent', () => {
    const items: Schema = {
      type: 'array',
      items: { type: 'integer', 'x-kubernetes-validations': [rule('lists.range(30000).all(x, x >= 0)')] },
    };
    const { errors } = check(
      items,
      Array.from({ length: 300 }, (_, i) => i),
    );
    expect(errors.at(-1)).toContain('running out of cost budget');
  });
});

describe('compilation for definitions', () => {
  const compile = (expression: string, schema: Schema): ReturnType<typeof schemaCelCompiler.compileSchemaRule> =>
    schemaCelCompiler.compileSchemaRule({
      expression,
      use: 'rule',
      rootSchema: schema,
      schema,
      isResourceRoot: false,
      optionalOldSelf: false,
    });

  it.each<[name: string, rule: string, schema: Schema, detail: string]>([
    ['a rule that is no bool', 'self', { type: 'string' }, 'cel expression must evaluate to a bool'],
    [
      'an unknown field',
      'self.z == 1',
      object({ a: { type: 'string' } }),
      "compilation failed: ERROR: <input>:1:5: undefined field 'z'\n | self.z == 1\n | ....^",
    ],
    [
      'what is preserved without a schema',
      'has(self.foo)',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      "compilation failed: ERROR: <input>:1:4: undefined field 'foo'\n | has(self.foo)\n | ...^",
    ],
  ])('%s', (_name, expression, schema, detail) => {
    expect(compile(expression, schema).error?.detail).toBe(detail);
  });

  it('estimates cost by the limits of the schema', () => {
    const list = (maxItems?: number): Schema => ({
      type: 'array',
      items: { type: 'string', maxLength: 10 },
      ...(maxItems === undefined ? {} : { maxItems }),
    });
    const nested = 'self.all(x, self.exists(y, x == y))';
    expect(compile(nested, list(100)).maxCost).toBeLessThan(10_000_000);
    expect(compile(nested, list()).maxCost).toBeGreaterThan(10_000_000);
    expect(compile('self == "a"', { type: 'string' }).maxCost).toBeLessThan(10_000_000);
  });

  it('knows which rules use oldSelf', () => {
    expect(compile('self == oldSelf', { type: 'string' }).usesOldSelf).toBe(true);
    expect(compile('self == "a"', { type: 'string' }).usesOldSelf).toBe(false);
  });
});
