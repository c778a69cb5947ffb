/**
 * Values that do not fit: versions that are none, tokens that nobody gave out, numbers beyond all numbers. Each gets the
 * Status that upstream has for it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallOptions, TestAnswer, TestServer } from '../../src/apiserver/testing/index.ts';
import { quote } from '../../src/base/index.ts';
import { APPLY, JSON_PATCH, MAPS, MERGE, REVISIONS, startThingsServer, STRATEGIC, THINGS } from './things-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startThingsServer();
});
afterAll(() => server.stop());

const message = ({ body }: TestAnswer): string => body['message'] as string;
const call = (method: string, target: string, options?: CallOptions): Promise<TestAnswer> =>
  server.call(method, target, options);

/** Calls that wait for a version of the future are told after three seconds that there is none. */
async function callAndWait(method: string, target: string, options?: CallOptions): Promise<TestAnswer> {
  let answered = false;
  const answering = call(method, target, options).finally(() => (answered = true));
  for (let i = 0; i < 50 && !answered; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    await server.ctx.clock.advance(1000);
  }
  return answering;
}

describe('resourceVersion', () => {
  const LARGEST = '18446744073709551615';
  const SYNTAX = ['-1', 'abc', '1.5', '+5', ' 5', '5 ', '0x10', '1e3', '\u0663', '5\u0000', '_', '\u{1f600}'];
  const RANGE = ['18446744073709551616', '99999999999999999999', '9'.repeat(400), `${'9'.repeat(25)}x`];
  const parsing = [
    ...SYNTAX.map((text) => [text, 'invalid syntax'] as const),
    ...RANGE.map((text) => [text, 'value out of range'] as const),
  ];
  const fault = (text: string, why: string): string => `strconv.ParseUint: parsing ${quote(text)}: ${why}`;
  const path = (text: string): string => `resourceVersion=${encodeURIComponent(text)}`;
  const map = (metadata: object): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', ...metadata },
  });

  beforeEach(async () => {
    await call('POST', MAPS, { body: map({}) });
  });

  describe.each(parsing)('%j', (text, why) => {
    it('is refused where one object is read', async () => {
      const { body } = await call('GET', `${MAPS}/a?${path(text)}`);
      expect(body).toMatchObject({
        code: 500,
        message: `resourceVersion: Invalid value: ${quote(text)}: ${fault(text, why)}`,
      });
    });

    it.each(['', '&limit=1', '&resourceVersionMatch=Exact', '&resourceVersionMatch=NotOlderThan'])(
      'is refused where a collection is read %s',
      async (more) => {
        const { body } = await call('GET', `${MAPS}?${path(text)}${more}`);
        const expected = {
          code: 400,
          reason: 'BadRequest',
          message: `invalid resource version: resourceVersion: Invalid value: ${quote(text)}: ${fault(text, why)}`,
        };
        expect(body).toMatchObject(expected);
        expect((await call('DELETE', `${MAPS}?${path(text)}${more}`)).body).toMatchObject(expected);
        expect((await call('GET', `${MAPS}/a`)).status).toBe(200);
      },
    );

    it('is refused where a collection is watched', async () => {
      for (const more of ['', '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true']) {
        const { body } = await call('GET', `${MAPS}?watch=1&${path(text)}${more}`);
        expect(body).toMatchObject({
          code: 500,
          message: `resourceVersion: Invalid value: ${quote(text)}: ${fault(text, why)}`,
        });
      }
    });

    it('is refused in writes', async () => {
      const expected = { code: 500, message: fault(text, why) };
      const resourceVersion = text;
      expect((await call('PUT', `${MAPS}/a`, { body: map({ resourceVersion }) })).body).toMatchObject(expected);
      expect(
        (await call('PATCH', `${MAPS}/a`, { body: { metadata: { resourceVersion } }, contentType: MERGE })).body,
      ).toMatchObject(expected);
      expect(
        (await call('PATCH', `${MAPS}/a`, { body: { metadata: { resourceVersion } }, contentType: STRATEGIC })).body,
      ).toMatchObject(expected);
    });

    it('is no version of any object, as a precondition of its deletion', async () => {
      const { body } = await call('DELETE', `${MAPS}/a`, { body: { preconditions: { resourceVersion: text } } });
      expect(body).toMatchObject({ code: 409, reason: 'Conflict' });
    });

    it('does not count in a POST', async () => {
      expect(
        (await call('POST', `${MAPS}?dryRun=All`, { body: map({ name: 'new', resourceVersion: text }) })).status,
      ).toBe(201);
    });
  });

  it('an absent one means any', async () => {
    expect((await call('GET', `${MAPS}/a?resourceVersion=`)).status).toBe(200);
    expect((await call('GET', `${MAPS}?resourceVersion=`)).status).toBe(200);
    expect((await call('PUT', `${MAPS}/a`, { body: map({ resourceVersion: '' }) })).status).toBe(200);
    expect((await call('PUT', `${MAPS}/a`, { body: map({ resourceVersion: '00' }) })).status).toBe(200);
  });

  it('is a number: zeros in front do not count', async () => {
    const { resourceVersion } = (await call('GET', `${MAPS}/a`)).body.metadata;
    expect((await call('PUT', `${MAPS}/a`, { body: map({ resourceVersion: `00${resourceVersion}` }) })).status).toBe(
      200,
    );
  });

  it('may be the largest possible one, which does not exist yet', async () => {
    const tooLarge = { code: 504, reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } };
    for (const target of [
      `${MAPS}/a?${path(LARGEST)}`,
      `${MAPS}?${path(LARGEST)}`,
      `${MAPS}?${path(LARGEST)}&limit=1`,
    ]) {
      const answer = await callAndWait('GET', target);
      expect(answer.body).toMatchObject(tooLarge);
      expect(message(answer)).toContain(`Too large resource version: ${LARGEST}, current: `);
    }
    expect((await call('PUT', `${MAPS}/a`, { body: map({ resourceVersion: LARGEST }) })).body).toMatchObject({
      code: 409,
    });
    expect((await call('POST', MAPS, { body: map({ name: 'new', resourceVersion: LARGEST }) })).body).toMatchObject({
      code: 500,
      message: 'resourceVersion should not be set on objects to be created',
    });
  });
});

describe('continue tokens', () => {
  const token = (value: unknown): string =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const good = { v: 'meta.k8s.io/v1', rv: 5, start: 'x' };
  it.each<readonly [string, string]>([
    ['%%', 'illegal base64 data at input byte 0'],
    ['e30=', 'illegal base64 data at input byte 3'],
    ['e30e3', 'illegal base64 data at input byte 4'],
    ['abc', "invalid character 'i' looking for beginning of value"],
    [token('{'), 'unexpected end of JSON input'],
    [token('{}'), 'server does not recognize this encoded version '],
    [token('null'), 'server does not recognize this encoded version '],
    [token('[]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [token({ ...good, v: 5 }), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [token({ ...good, rv: '5' }), 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
    [
      token({ ...good, rv: 1.5 }),
      'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64',
    ],
    [token({ ...good, rv: 0 }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
    [token({ ...good, start: '' }), 'encoded start key empty (version meta.k8s.io/v1)'],
    [
      token({ ...good, start: {} }),
      'json: cannot unmarshal object into Go struct field continueToken.start of type string',
    ],
    ...['..', '.', '../x', 'x/..', 'x/../y', './x', 'x/', 'x//y', '//x'].map(
      (start) => [token({ ...good, start }), start] as const,
    ),
  ])('%s', async (text, why) => {
    const { body } = await call('GET', `${MAPS}?limit=1&continue=${encodeURIComponent(text)}`);
    expect(body).toMatchObject({
      code: 400,
      reason: 'BadRequest',
      message: `invalid continue token: continue key is not valid: ${why}`,
    });
  });

  it('may begin with a slash', async () => {
    const { body } = await call('GET', `${MAPS}?limit=1&continue=${token({ ...good, rv: -1, start: '/x' })}`);
    expect(body).toMatchObject({ kind: 'ConfigMapList' });
  });
});

describe('numbers', () => {
  let count = 0;
  const fresh = (): string => `n${count++}`;
  const thing = (name: string, spec: string): string =>
    `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"${name}"},"spec":${spec}}`;
  const HUGE = ['1e400', '-1e400', '1E+999', '9'.repeat(400)];

  describe.each(HUGE.map((text) => [text] as const))('%s', (text) => {
    const unfit = `json: cannot unmarshal number ${text} into Go value of type float64`;

    it.each(['{"n":N}', '{"x":[{"y":N}]}', '{"i":N}'])('is refused in a custom resource: %s', async (spec) => {
      const name = fresh();
      const body = thing(name, spec.replace('N', text));
      const refused = {
        code: 400,
        reason: 'BadRequest',
        message: `Thing in version "v1" cannot be handled as a Thing: ${unfit}`,
      };
      expect((await call('POST', THINGS, { body })).body).toMatchObject(refused);
      expect((await call('GET', `${THINGS}/${name}`)).status).toBe(404);
      expect((await call('POST', THINGS, { body: thing(name, '{}') })).status).toBe(201);
      expect((await call('PUT', `${THINGS}/${name}`, { body })).body).toMatchObject(refused);
      expect((await call('GET', `${THINGS}/${name}`)).body['spec']).toEqual({});
    });

    it('is refused in patches', async () => {
      const name = fresh();
      const path = `${THINGS}/${name}`;
      await call('POST', THINGS, { body: thing(name, '{}') });
      expect(message(await call('PATCH', path, { body: `{"spec":{"x":${text}}}`, contentType: MERGE }))).toBe(
        `error decoding patch: ${unfit}`,
      );
      const add = `[{"op":"add","path":"/spec/x","value":{"a":[${text}]}}]`;
      expect(message(await call('PATCH', path, { body: add, contentType: JSON_PATCH }))).toBe(
        `error decoding patch: json: cannot unmarshal number ${text} into Go struct field jsonPatchOp.value of type float64`,
      );
      for (const contentType of [MERGE, JSON_PATCH]) {
        const body = contentType === MERGE ? `{"spec":{"x":${text}}}` : add;
        expect((await call('PATCH', `${path}?fieldValidation=Ignore`, { body, contentType })).status).toBe(400);
      }
      expect((await call('GET', path)).body['spec']).toEqual({});
    });

    it('is refused in a strategic merge patch', async () => {
      await call('POST', REVISIONS, {
        body: '{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"r"},"data":{},"revision":1}',
      });
      const answer = await call('PATCH', `${REVISIONS}/r`, { body: `{"data":{"x":${text}}}`, contentType: STRATEGIC });
      expect([answer.status, message(answer)]).toEqual([400, unfit]);
    });

    it('is refused in the raw value of a built-in kind', async () => {
      const answer = await call('POST', REVISIONS, {
        body: `{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"raw"},"data":{"x":${text}},"revision":1}`,
      });
      expect([answer.status, message(answer)]).toEqual([
        400,
        `ControllerRevision in version "v1" cannot be handled as a ControllerRevision: ${unfit}`,
      ]);
    });

    it('is refused in a field of a built-in kind', async () => {
      const { status, body } = await call('POST', '/apis/apps/v1/namespaces/default/deployments', {
        body: `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"replicas":${text}}}`,
      });
      expect([status, body['message']]).toEqual([
        400,
        `Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number ${text} into Go struct field DeploymentSpec.spec.replicas of type int32`,
      ]);
    });
  });

  it.each([
    ['1e400', '"1e400"'],
    ['-1e400', '"-1e400"'],
    ['1e3', '1000'],
    ['1e-400', '0'],
    ['18446744073709551615', '18446744073709552000'],
    ['9223372036854775807', '9223372036854775807'],
  ])('YAML reads %s as %s', async (text, json) => {
    const name = fresh();
    const body = `apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: ${name}\nspec:\n  x: ${text}\n`;
    const created = await call('POST', THINGS, { body, contentType: 'application/yaml' });
    expect([created.status, created.text.includes(`"spec":{"x":${json}}`)]).toEqual([201, true]);
    const applied = await call('PATCH', `${THINGS}/${name}?fieldManager=m&force=true`, { body, contentType: APPLY });
    expect([applied.status, applied.text.includes(`"spec":{"x":${json}}`)]).toEqual([200, true]);
  });

  it.each([
    ['.inf', '+Inf'],
    ['+.Inf', '+Inf'],
    ['-.INF', '-Inf'],
    ['.nan', 'NaN'],
  ])('YAML has no JSON for %s', async (text, shown) => {
    const body = `apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: inf\nspec:\n  x: ${text}\n`;
    const created = await call('POST', THINGS, { body, contentType: 'application/yaml' });
    expect([created.status, message(created).includes(`json: unsupported value: ${shown}`)]).toEqual([400, true]);
    const applied = await call('PATCH', `${THINGS}/inf?fieldManager=m`, { body, contentType: APPLY });
    expect([applied.status, message(applied).includes(`json: unsupported value: ${shown}`)]).toEqual([400, true]);
  });

  it.each([
    ['-0', '0'],
    ['1e2', '100'],
    ['1e-400', '0'],
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['1e21', '1e+21'],
  ])('JSON reads %s as %s, also after later writes', async (text, json) => {
    const name = fresh();
    const path = `${THINGS}/${name}`;
    expect((await call('POST', THINGS, { body: thing(name, `{"x":${text}}`) })).status).toBe(201);
    await call('PATCH', path, { body: { metadata: { labels: { a: 'b' } } }, contentType: MERGE });
    await call('PATCH', `${path}?fieldManager=m`, { body: thing(name, '{"y":1}'), contentType: APPLY });
    expect((await call('GET', path)).text).toContain(`"spec":{"x":${json},"y":1}`);
  });
});
