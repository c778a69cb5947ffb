import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
let fixture: ControllerFixture;

beforeAll(async () => {
  const serviceAccountPrivateKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  fixture = await startFixture({
    controllers: ['serviceaccount-token-controller'],
    config: { rootCa: 'the CA', serviceAccountPrivateKey },
  });
});
afterAll(() => fixture.stop());

const secrets = () => fixture.client.resource('v1/secrets');
const makeAccount = async (name: string) =>
  (await fixture.client.resource('v1/serviceaccounts').create({ metadata: { name, namespace: 'default' } })).metadata
    .uid;
const makeSecret = (name: string, account: string, uid?: string) =>
  secrets().create({
    metadata: {
      name,
      namespace: 'default',
      annotations: {
        'kubernetes.io/service-account.name': account,
        ...(uid ? { 'kubernetes.io/service-account.uid': uid } : {}),
      },
    },
    type: 'kubernetes.io/service-account-token',
  });
const read = async (name: string) =>
  (await secrets().list({ namespace: 'default' })).items.find((secret) => secret.metadata.name === name);
const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString();

describe('serviceaccount-token-controller', () => {
  it('fills a Secret with a token that names it, and rests', async () => {
    await fixture.start();
    const uid = await makeAccount('a');
    await makeSecret('a', 'a');
    await fixture.until('filled', async () => (await read('a'))?.data?.['token'] !== undefined);
    const secret = await read('a');
    expect(secret?.metadata.annotations?.['kubernetes.io/service-account.uid']).toBe(uid);
    expect([decode(secret?.data?.['ca.crt']), decode(secret?.data?.['namespace'])]).toEqual(['the CA', 'default']);
    const { payload } = await jwtVerify(decode(secret?.data?.['token']), publicKey);
    expect(payload).toEqual({
      iss: 'kubernetes/serviceaccount',
      sub: 'system:serviceaccount:default:a',
      'kubernetes.io/serviceaccount/namespace': 'default',
      'kubernetes.io/serviceaccount/secret.name': 'a',
      'kubernetes.io/serviceaccount/service-account.name': 'a',
      'kubernetes.io/serviceaccount/service-account.uid': uid,
    });
    const { length } = fixture.writes;
    await fixture.advance(600_000);
    expect(fixture.writes).toHaveLength(length);
  });

  it('removes the Secrets of accounts that are not there, or not any more', async () => {
    await fixture.start();
    await makeAccount('b');
    await makeSecret('missing', 'nobody');
    await makeSecret('wrong', 'b', '00000000-0000-4000-8000-000000000001');
    await makeSecret('right', 'b');
    await fixture.until('removed', async () => !(await read('missing')) && !(await read('wrong')), 1_000);
    expect(await read('right')).toBeDefined();
    await fixture.client.resource('v1/serviceaccounts').delete({ namespace: 'default', name: 'b' });
    await fixture.until('removed', async () => !(await read('right')), 1_000);
  });

  it('ends the same wherever it is killed', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      async arrange(name) {
        await makeAccount(name);
        await makeSecret(name, name);
      },
      converged: async (name) => (await read(name))?.data?.['token'] !== undefined,
    });
    expect(kills).toBe(2);
  });
});
