import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({ controllers: ['bootstrap-signer-controller', 'token-cleaner-controller'] });
  await fixture.start();
});
afterAll(() => fixture.stop());

const makeToken = (id: string, more: Record<string, string> = {}) =>
  fixture.client.resource('v1/secrets').create({
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...more },
  });
const info = async () =>
  (await fixture.client.resource('v1/configmaps').get({ namespace: 'kube-public', name: 'cluster-info' })).data ?? {};

describe('bootstrap controllers', () => {
  it('sign cluster-info with each signing token, and remove the signature with the token', async () => {
    await fixture.client.resource('v1/configmaps').create({
      metadata: { name: 'cluster-info', namespace: 'kube-public' },
      data: { kubeconfig: 'content', 'jws-kubeconfig-oldold': 'x' },
    });
    await makeToken('aaaaaa');
    await makeToken('bbbbbb', { 'usage-bootstrap-signing': 'false' });
    await fixture.advance(100);
    const data = await info();
    expect(Object.keys(data).sort()).toEqual(['jws-kubeconfig-aaaaaa', 'kubeconfig']);
    const [header = '', payload, signature] = (data['jws-kubeconfig-aaaaaa'] ?? '').split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', kid: 'aaaaaa' });
    expect(payload).toBe('');
    expect(signature).toBe(
      createHmac('sha256', '0123456789abcdef')
        .update(`${header}.${Buffer.from('content').toString('base64url')}`)
        .digest('base64url'),
    );
    await fixture.client.resource('v1/secrets').delete({ namespace: 'kube-system', name: 'bootstrap-token-aaaaaa' });
    await fixture.advance(100);
    expect(Object.keys(await info())).toEqual(['kubeconfig']);
  });

  it('delete a token when it expires', async () => {
    await makeToken('cccccc', { expiration: new Date(fixture.clock.now() + 60_000).toISOString() });
    const names = async () =>
      (await fixture.client.resource('v1/secrets').list({ namespace: 'kube-system' })).items.map(
        ({ metadata }) => metadata.name,
      );
    await fixture.advance(58_000);
    expect(await names()).toContain('bootstrap-token-cccccc');
    expect(Object.keys(await info())).toContain('jws-kubeconfig-cccccc');
    await fixture.advance(3_000);
    expect(await names()).not.toContain('bootstrap-token-cccccc');
    expect(Object.keys(await info())).toEqual(['kubeconfig']);
  });
});
