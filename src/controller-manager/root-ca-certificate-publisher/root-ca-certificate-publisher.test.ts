import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convergesWhenKilledAtEveryWrite, startFixture, type ControllerFixture } from '../testing/index.ts';

let fixture: ControllerFixture;

beforeAll(async () => {
  fixture = await startFixture({
    controllers: ['root-ca-certificate-publisher-controller'],
    config: { rootCa: 'the CA' },
  });
});
afterAll(() => fixture.stop());

const place = (namespace: string) => ({ namespace, name: 'kube-root-ca.crt' });
const configMaps = () => fixture.client.resource('v1/configmaps');
const isPublished = async (namespace: string): Promise<boolean> => {
  const { items } = await configMaps().list({ namespace, fieldSelector: 'metadata.name=kube-root-ca.crt' });
  return (
    items.length === 1 &&
    JSON.stringify(items[0]?.data) === '{"ca.crt":"the CA"}' &&
    items[0]?.metadata.annotations?.['kubernetes.io/description'] !== undefined
  );
};

describe('root-ca-certificate-publisher-controller', () => {
  it('publishes in every namespace, once', async () => {
    await fixture.start();
    await fixture.until('published', () => isPublished('kube-system'), 1_000);
    const { length } = fixture.writes;
    await fixture.advance(600_000);
    expect(fixture.writes).toHaveLength(length);
  });

  it.each([
    ['makes it again', () => configMaps().delete(place('default'))],
    [
      'corrects its data',
      () => configMaps().patch(place('default'), { data: { 'ca.crt': 'rubbish', more: 'x' } }, { type: 'merge' }),
    ],
    [
      'corrects its description',
      () => configMaps().patch(place('default'), { metadata: { annotations: null } }, { type: 'merge' }),
    ],
  ])('%s', async (_, disturb) => {
    await fixture.start();
    await fixture.until('published', () => isPublished('default'), 1_000);
    await fixture.stopControllers();
    await disturb();
    expect(await isPublished('default')).toBe(false);
    await fixture.start();
    await fixture.until('published again', () => isPublished('default'), 1_000);
  });

  it('ends the same wherever it is killed', async () => {
    const kills = await convergesWhenKilledAtEveryWrite({
      fixture,
      arrange: async (name) => void (await fixture.client.resource('v1/namespaces').create({ metadata: { name } })),
      converged: isPublished,
    });
    expect(kills).toBe(2);
  });
});
