import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/core-v1.ts';
import { cloneJson } from '../../base/clone-json.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/index.ts';
import { ResourceTemplates, type Template } from './template-cache.ts';

type PodObject = Pod & KubeObject;

const body = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { generateName: 'web-', labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'nginx' }] },
};

describe('objects of one template', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startTestServer()));
  afterAll(() => server.stop());

  const create = (object: unknown): Promise<TestAnswer> =>
    server.call('POST', '/api/v1/namespaces/default/pods', { body: object });
  const withoutOwnNames = ({ text, body: made }: TestAnswer): string => {
    const { metadata, spec } = made as unknown as PodObject;
    const own = [metadata.name!, metadata.uid!, metadata.resourceVersion!, spec!.volumes!.at(-1)!.name];
    return own.reduce((left, value) => left.replaceAll(`"${value}"`, '"*"'), text);
  };

  it('become the same objects, each with its own names', async () => {
    const [first, ...others] = [await create(body), await create(body), await create(body), await create(body)];
    expect(first.status).toBe(201);
    for (const other of others) expect(withoutOwnNames(other)).toBe(withoutOwnNames(first));
    const names = [first, ...others].flatMap(({ body: made }) => [
      made.metadata.name,
      made.metadata.uid,
      (made as unknown as PodObject).spec!.volumes!.at(-1)!.name,
    ]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('depend on namespace and creator', async () => {
    await server.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'other' } } });
    const elsewhere = await server.call('POST', '/api/v1/namespaces/other/pods?fieldManager=somebody', { body });
    expect(elsewhere.body.metadata).toMatchObject({
      namespace: 'other',
      managedFields: [{ manager: 'somebody', operation: 'Update' }],
    });
    expect(elsewhere.body.metadata.managedFields![0]!.fieldsV1).toEqual(
      (await create(body)).body.metadata.managedFields![0]!.fieldsV1,
    );
  });

  it('are refused with the same error', async () => {
    const wrong = { ...body, spec: { containers: [{ name: 'Web', image: 'nginx' }] } };
    const answers = [await create(wrong), await create(wrong), await create(wrong)];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422]);
    expect(new Set(answers.map(({ text }) => text.replaceAll(/web-[a-z0-9]{5}/g, '*'))).size).toBe(1);
  });

  it('get their warnings each', async () => {
    const unknown = { ...body, spec: { ...body.spec, colour: 'red' } };
    for (let i = 0; i < 3; i++)
      expect((await create(unknown)).warnings).toEqual(['299 - "unknown field \\"spec.colour\\""']);
    const strict = await server.call('POST', '/api/v1/namespaces/default/pods?fieldValidation=Ignore', {
      body: unknown,
    });
    expect(strict.status).toBe(201);
    expect(
      (await server.call('POST', '/api/v1/namespaces/default/pods?fieldValidation=Strict', { body: unknown })).status,
    ).toBe(400);
  });
});

describe('objects that were found valid', () => {
  const fields = Object.freeze({});
  const pod = (): PodObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web-bbbbb',
      generateName: 'web-',
      uid: '1',
      labels: { app: 'web' },
      managedFields: [{ manager: 'm', fieldsV1: fields }],
    },
    spec: {
      containers: [{ name: 'web', image: 'nginx', volumeMounts: [{ name: 'token-bbbbb', mountPath: '/token' }] }],
      volumes: [{ name: 'token-bbbbb' }],
    },
  });
  const knownOf = (): Template => {
    const objects = new ResourceTemplates();
    const sent = { ...cloneJson(pod()), metadata: { generateName: 'web-' } };
    objects.noteBody('text', sent);
    const template = objects.noteBody('text', sent)!;
    template.noteValid(pod());
    return template;
  };
  const changed = (change: (made: PodObject) => void): PodObject => {
    const made = pod();
    change(made);
    return made;
  };

  it.each<[string, boolean, (made: PodObject) => void]>([
    ['the same', true, () => undefined],
    ['another name and UID', true, (made) => Object.assign(made.metadata, { name: 'web-ccccc', uid: '2' })],
    [
      'another name of its own volume',
      true,
      (made) => (
        (made.spec!.volumes![0]!.name = 'token-ccccc'),
        (made.spec!.containers[0]!.volumeMounts![0]!.name = 'token-ccccc')
      ),
    ],
    [
      'a volume that goes by another name than its mount',
      false,
      (made) => (made.spec!.volumes![0]!.name = 'token-ccccc'),
    ],
    ['a mount of another volume', false, (made) => (made.spec!.containers[0]!.volumeMounts![0]!.name = 'token-ccccc')],
    [
      'a volume whose name was not drawn',
      false,
      (made) => (
        (made.spec!.volumes![0]!.name = 'token-CCCCC'),
        (made.spec!.containers[0]!.volumeMounts![0]!.name = 'token-CCCCC')
      ),
    ],
    ['a name that was not drawn', false, (made) => (made.metadata.name = 'web-AAAAA')],
    ['a longer name', false, (made) => (made.metadata.name = 'web-bbbbbb')],
    ['another label', false, (made) => (made.metadata.labels!['app'] = 'shop')],
    ['an annotation more', false, (made) => (made.metadata.annotations = { a: 'b' })],
    ['another manager', false, (made) => (made.metadata.managedFields = [{ manager: 'n', fieldsV1: fields }])],
    ['two managers', false, (made) => made.metadata.managedFields!.push({ manager: 'n', fieldsV1: fields })],
    ['another image', false, (made) => (made.spec!.containers[0]!.image = 'httpd')],
    ['a field more', false, (made) => (made.spec!.hostNetwork = true)],
    ['a field less', false, (made) => delete made.spec!.containers[0]!.volumeMounts],
    ['a status', false, (made) => (made.status = { phase: 'Pending' })],
  ])('%s: %s', (_name, valid, change) => {
    expect(knownOf().isKnownValid(changed(change))).toBe(valid);
  });

  it('is used for objects with generated names, from the second on', () => {
    const objects = new ResourceTemplates();
    const named = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    expect([objects.noteBody('a', named), objects.noteBody('a', named)]).toEqual([undefined, undefined]);
    const given = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'a-' }, data: { a: 'b' } };
    expect(objects.noteObject(given, given)).toBeUndefined();
    expect(objects.ofObject(given)).toBeUndefined();
    const template = objects.noteObject(given, given);
    expect(objects.ofObject(cloneJson(given))).toBe(template);
    expect(objects.ofObject({ ...given, data: { a: 'c' } })).toBeUndefined();
  });
});
