import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../api/generated/core-v1.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const PATH = '/api/v1/namespaces/default/services';
const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';

const post = (name: string, spec: Service['spec'], query = ''): Promise<TestAnswer> =>
  server.call('POST', PATH + query, { body: { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } } });
const specOf = (answer: TestAnswer): NonNullable<Service['spec']> =>
  answer.body['spec'] as NonNullable<Service['spec']>;
const owner = async (address: string): Promise<unknown> =>
  (await server.call('GET', `${ADDRESSES}/${address}`)).body['spec'];

describe('cluster IPs', () => {
  it('allocates an address from the upper part of the range, with an IPAddress object', async () => {
    const { clusterIP, clusterIPs } = specOf(await post('any', {}));
    expect(clusterIPs).toEqual([clusterIP]);
    expect(clusterIP).toMatch(/^10\.96\./);
    expect(clusterIP).not.toMatch(/^10\.96\.0\./);
    const address = await server.call('GET', `${ADDRESSES}/${clusterIP}`);
    expect(address.body).toMatchObject({
      metadata: {
        labels: {
          'ipaddress.kubernetes.io/ip-family': 'IPv4',
          'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
        },
      },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'any' } },
    });
  });

  it('never allocates an address twice, with many concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => post(`crowd-${i}`, {})));
    expect(new Set(answers.map((answer) => specOf(answer).clusterIP)).size).toBe(40);
  });

  it('allocates a chosen address once, and releases it with its Service', async () => {
    expect(specOf(await post('chosen', { clusterIP: '10.96.0.77' })).clusterIPs).toEqual(['10.96.0.77']);
    const second = await post('late', { clusterIP: '10.96.0.77' });
    expect(second.status).toBe(422);
    expect(second.body['message']).toContain('failed to allocate IP 10.96.0.77: provided IP is already allocated');
    await server.call('DELETE', `${PATH}/chosen`);
    expect(await owner('10.96.0.77')).toBeUndefined();
    expect((await post('late', { clusterIP: '10.96.0.77' })).status).toBe(201);
  });

  it.each(['10.97.0.1', '10.96.0.0', '10.96.255.255'])('refuses %s', async (clusterIP) => {
    expect((await post('outside', { clusterIP })).body['message']).toContain(
      'the provided network does not match the current range',
    );
  });

  it('names the configured range in a dry run', async () => {
    expect((await post('outside', { clusterIP: '10.97.0.1' }, '?dryRun=All')).body['message']).toContain(
      'the provided IP (10.97.0.1) is not in the valid range. The range of valid IPs is 10.96.0.0/16',
    );
  });

  it('allocates nothing in a dry run', async () => {
    const dry = await post('dry', { clusterIP: '10.96.0.88' }, '?dryRun=All');
    expect(specOf(dry).clusterIP).toBe('10.96.0.88');
    expect(await owner('10.96.0.88')).toBeUndefined();
    expect(specOf(await post('dry', {}, '?dryRun=All')).clusterIP).toBe('10.96.0.0');
  });

  it('releases the reservations of a refused Service', async () => {
    expect((await post('refused', { clusterIP: '10.96.0.99', ports: [{ port: 0 }] })).status).toBe(422);
    expect(await owner('10.96.0.99')).toBeUndefined();
    expect((await post('any', { clusterIP: '10.96.0.99' })).status).toBe(409);
    expect(await owner('10.96.0.99')).toBeUndefined();
  });

  it('follows a change of type', async () => {
    const { clusterIP } = specOf(await post('typed', {}));
    const external = await server.call('PUT', `${PATH}/typed`, {
      body: { metadata: { name: 'typed' }, spec: { type: 'ExternalName', externalName: 'example.com' } },
    });
    expect(specOf(external)).not.toHaveProperty('clusterIP');
    expect(await owner(clusterIP!)).toBeUndefined();
  });

  it('is repaired at start: lost addresses are allocated again, orphans released', async () => {
    const { clusterIP } = specOf(await post('mended', {}));
    await server.call('DELETE', `${ADDRESSES}/${clusterIP}`);
    await server.call('POST', ADDRESSES, {
      body: {
        metadata: {
          name: '10.96.0.123',
          labels: {
            'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
            'ipaddress.kubernetes.io/ip-family': 'IPv4',
          },
        },
        spec: { parentRef: { resource: 'services', namespace: 'default', name: 'nobody' } },
      },
    });
    await server.pipeline.chain.backend.serviceAllocator.repair();
    expect(await owner(clusterIP!)).toMatchObject({ parentRef: { name: 'mended' } });
    expect(await owner('10.96.0.123')).toBeUndefined();
  });
});

describe('node ports', () => {
  const nodePorts = (answer: TestAnswer): (number | undefined)[] => specOf(answer).ports!.map((port) => port.nodePort);

  it('allocates ports from the upper part of the range', async () => {
    const [port] = nodePorts(await post('np', { type: 'NodePort' }));
    expect(port).toBeGreaterThanOrEqual(30086);
    expect(port).toBeLessThanOrEqual(32767);
  });

  it('shares a port between protocols', async () => {
    const [tcp, udp] = nodePorts(
      await post('shared', {
        type: 'NodePort',
        ports: [
          { name: 't', port: 53, protocol: 'TCP' },
          { name: 'u', port: 53, protocol: 'UDP' },
        ],
      }),
    );
    expect(tcp).toBe(udp);
  });

  it('allocates a chosen port once', async () => {
    expect(nodePorts(await post('fixed', { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] }))).toEqual([
      30001,
    ]);
    const second = await post('fixed-too', { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] });
    expect(second.body['message']).toContain(
      'spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated',
    );
    await server.call('DELETE', `${PATH}/fixed`);
    expect((await post('fixed-too', { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] })).status).toBe(201);
  });

  it('refuses ports outside of the range', async () => {
    const answer = await post('outside', { type: 'NodePort', ports: [{ port: 80, nodePort: 99 }] });
    expect(answer.body['message']).toContain('The range of valid ports is 30000-32767');
  });

  it('allocates different ports for one Service in a dry run', async () => {
    const ports = [
      { name: 'a', port: 1 },
      { name: 'b', port: 2, nodePort: 30_555 },
      { name: 'c', port: 3 },
      { name: 'd', port: 1, protocol: 'UDP' },
    ];
    const dry = await post('dry', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports }, '?dryRun=All');
    expect(nodePorts(dry)).toEqual([32_769, 30_555, 32_770, 32_769]);
    expect(specOf(dry).healthCheckNodePort).toBe(32_771);
  });

  it('checks in a dry run whether the port is free, but not whether it is in the range', async () => {
    await post('holder', { type: 'NodePort', ports: [{ port: 80, nodePort: 30002 }] });
    const dry = (nodePort: number): ReturnType<typeof post> =>
      post('dry', { type: 'NodePort', ports: [{ port: 80, nodePort }] }, '?dryRun=All');
    expect((await dry(30002)).body['message']).toContain('provided port is already allocated');
    expect((await dry(99)).status).toBe(201);
    const twice = [
      { name: 'a', port: 80, nodePort: 30003 },
      { name: 'b', port: 81, nodePort: 30003 },
    ];
    expect((await post('dry', { type: 'NodePort', ports: twice }, '?dryRun=All')).body['message']).toContain(
      'provided port is already allocated',
    );
    expect((await post('wet', { type: 'NodePort', ports: [{ port: 80, nodePort: 30003 }] })).status).toBe(201);
  });

  it('keeps the port of an update that does not name it', async () => {
    const [port] = nodePorts(await post('kept', { type: 'NodePort' }));
    const put = await server.call('PUT', `${PATH}/kept`, {
      body: { metadata: { name: 'kept' }, spec: { type: 'NodePort', ports: [{ port: 8080 }] } },
    });
    expect(nodePorts(put)).toEqual([port]);
  });

  it('frees the ports of a Service that needs none any more', async () => {
    const [port] = nodePorts(await post('freed', { type: 'NodePort' }));
    const other = { type: 'NodePort', ports: [{ port: 80, nodePort: port! }] };
    expect((await post('other', other)).status).toBe(422);
    const put = await server.call('PUT', `${PATH}/freed`, {
      body: { metadata: { name: 'freed' }, spec: { type: 'ClusterIP', ports: [{ port: 80 }] } },
    });
    expect(nodePorts(put)).toEqual([undefined]);
    expect((await post('other', other)).status).toBe(201);
  });

  it('allocates a health check port for load balancers with externalTrafficPolicy Local', async () => {
    const { healthCheckNodePort } = specOf(
      await post('local', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }),
    );
    expect(healthCheckNodePort).toBeGreaterThanOrEqual(30086);
  });
});
