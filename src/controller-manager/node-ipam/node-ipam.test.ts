import { afterEach, describe, expect, it } from 'vitest';
import { PrometheusRegistry } from '../../kernel/index.ts';
import { startFixture, type ControllerFixture } from '../testing/index.ts';
import { CidrSet } from './cidr-set.ts';
import { CidrSetMetrics } from './metrics.ts';

describe('CidrSet', () => {
  it('allocates every range once, and released ones round robin', () => {
    const set = new CidrSet('10.0.0.0/22', 24, new CidrSetMetrics(new PrometheusRegistry()));
    expect([set.allocate(), set.allocate()]).toEqual(['10.0.0.0/24', '10.0.1.0/24']);
    set.release('10.0.0.0/24');
    expect([set.allocate(), set.allocate(), set.allocate(), set.allocate()]).toEqual([
      '10.0.2.0/24',
      '10.0.3.0/24',
      '10.0.0.0/24',
      undefined,
    ]);
  });

  it("handles ranges larger and smaller than a node's", () => {
    const set = new CidrSet('10.0.0.0/22', 24, new CidrSetMetrics(new PrometheusRegistry()));
    set.occupy('10.0.0.0/23');
    set.occupy('10.0.2.128/25');
    set.occupy('192.168.0.0/16');
    expect([set.allocate(), set.allocate()]).toEqual(['10.0.3.0/24', undefined]);
  });
});

describe('node-ipam-controller', () => {
  let fixture: ControllerFixture;
  afterEach(() => fixture.stop());

  const rangeOf = async (name: string) => (await fixture.client.resource('v1/nodes').get({ name })).spec?.podCIDRs;
  const make = (name: string, podCIDR?: string) =>
    fixture.client
      .resource('v1/nodes')
      .create({ metadata: { name }, spec: podCIDR ? { podCIDR, podCIDRs: [podCIDR] } : {} });

  it('allocates free ranges to nodes, also after a restart', async () => {
    fixture = await startFixture({
      controllers: ['node-ipam-controller'],
      config: { clusterCidr: '10.244.0.0/22', serviceClusterIpRange: '10.244.3.0/24' },
    });
    await make('has', '10.244.1.0/24');
    await fixture.start();
    await make('a');
    await fixture.advance(100);
    await fixture.start();
    await make('b');
    await fixture.advance(100);
    expect([await rangeOf('a'), await rangeOf('b')]).toEqual([['10.244.0.0/24'], ['10.244.2.0/24']]);

    await make('none');
    await fixture.advance(1_000);
    expect(await rangeOf('none')).toBeUndefined();
    await fixture.client.resource('v1/nodes').delete({ name: 'has' });
    await fixture.until('its range is given on', async () => (await rangeOf('none'))?.[0] === '10.244.1.0/24');
  });

  it('allocates two ranges in two families', async () => {
    fixture = await startFixture({
      controllers: ['node-ipam-controller'],
      config: { clusterCidr: '10.244.0.0/16,fd00:10:244::/56' },
    });
    await fixture.start();
    await make('a');
    await fixture.advance(100);
    expect(await rangeOf('a')).toEqual(['10.244.0.0/24', 'fd00:10:244::/64']);
  });
});
