import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFixture, type ControllerFixture } from '../testing/index.ts';

const DAY_MS = 24 * 3600_000;

let fixture: ControllerFixture;
beforeAll(async () => {
  fixture = await startFixture({
    controllers: ['legacy-serviceaccount-token-cleaner-controller'],
    config: { legacyTokenCleanUpPeriodSeconds: 2 * 24 * 3600 },
  });
  const accounts = fixture.client.resource('v1/serviceaccounts');
  await accounts.create({
    metadata: { name: 'a', namespace: 'default' },
    secrets: [{ name: 'unused' }, { name: 'used' }, { name: 'mounted' }],
  });
  for (const name of ['unused', 'used', 'mounted', 'by-hand']) {
    await fixture.client.resource('v1/secrets').create({
      metadata: { name, namespace: 'default', annotations: { 'kubernetes.io/service-account.name': 'a' } },
      type: 'kubernetes.io/service-account-token',
    });
  }
  await fixture.client.resource('v1/pods').create({
    metadata: { name: 'p', namespace: 'default' },
    spec: {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'i' }],
      volumes: [{ name: 'v', secret: { secretName: 'mounted' } }],
    },
  });
  await fixture.start();
});
afterAll(() => fixture.stop());

const day = (): string => new Date(fixture.clock.now()).toISOString().slice(0, 10);
const secrets = () => fixture.client.resource('v1/secrets');
const state = async () =>
  Object.fromEntries(
    (await secrets().list({ namespace: 'default' })).items.map(({ metadata: { name, labels } }) => [
      name,
      labels?.['kubernetes.io/legacy-token-invalid-since'] !== undefined,
    ]),
  );

describe('legacy-serviceaccount-token-cleaner-controller', () => {
  it('labels unused tokens, deletes them later, and ignores others', async () => {
    await fixture.advance(1.5 * DAY_MS);
    expect(await state()).toEqual({ unused: false, used: false, mounted: false, 'by-hand': false });
    await secrets().patch(
      { namespace: 'default', name: 'used' },
      { metadata: { labels: { 'kubernetes.io/legacy-token-last-used': day() } } },
      { type: 'merge' },
    );
    await fixture.advance(DAY_MS);
    expect(await state()).toEqual({ unused: true, used: false, mounted: false, 'by-hand': false });
    await secrets().patch(
      { namespace: 'default', name: 'used' },
      { metadata: { labels: { 'kubernetes.io/legacy-token-last-used': day() } } },
      { type: 'merge' },
    );
    await fixture.advance(DAY_MS);
    expect(await state()).toMatchObject({ unused: true });
    await fixture.advance(DAY_MS);
    expect(Object.keys(await state()).sort()).toEqual(['by-hand', 'mounted', 'used']);
  });
});
