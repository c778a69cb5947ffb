import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Container, Pod } from '../../../api/generated/core-v1.ts';
import type { DeviceClass, ResourceSlice } from '../../../api/generated/resource-v1.ts';
import { makeNode, makePod, startSchedulerFixture, type SchedulerFixture } from '../../testing/index.ts';
import { deviceClassOf, extendedRequests } from './extended-resources.ts';
import { preferenceScore } from './preference-score.ts';

const GPU = 'example.com/gpu';
const deviceClass = (
  name: string,
  extendedResourceName?: string,
  creationTimestamp = '2026-01-01T00:00:00Z',
): DeviceClass => ({
  metadata: { name, creationTimestamp },
  spec: extendedResourceName === undefined ? {} : { extendedResourceName },
});

describe('the class behind a resource', () => {
  const classes = [
    deviceClass('old', GPU),
    deviceClass('new', GPU, '2026-02-01T00:00:00Z'),
    deviceClass('b', 'example.com/nic'),
    deviceClass('a', 'example.com/nic'),
    deviceClass('plain'),
  ];
  it.each([
    ['the newest of those that name it', GPU, 'new'],
    ['among equally old ones the first by name', 'example.com/nic', 'a'],
    ['a class by its own name', 'deviceclass.resource.kubernetes.io/plain', 'plain'],
    ['none', 'example.com/other', undefined],
    ['none behind what Kubernetes itself counts', 'cpu', undefined],
  ])('%s', (_name, resource, expected) => {
    expect(deviceClassOf(resource, classes)?.metadata.name).toBe(expected);
  });
});

describe('requests for containers', () => {
  const container = (name: string, count: number, more: Partial<Container> = {}): Container => ({
    name,
    image: 'i',
    resources: { requests: { cpu: '1', ...(count > 0 ? { [GPU]: String(count) } : {}) } },
    ...more,
  });
  const pod = (containers: Container[], initContainers: Container[] = []): Pod => ({
    metadata: { name: 'p' },
    spec: { containers, initContainers },
  });
  it.each<[string, Pod, string[], string[]]>([
    [
      'one each',
      pod([container('a', 2), container('b', 1)]),
      ['container-0-request-1=2', 'container-1-request-1=1'],
      ['a:container-0-request-1', 'b:container-1-request-1'],
    ],
    [
      'none for those that want none',
      pod([container('a', 0), container('b', 1)]),
      ['container-1-request-1=1'],
      ['b:container-1-request-1'],
    ],
    [
      'an init container uses what comes later',
      pod([container('a', 2)], [container('i', 1)]),
      ['container-1-request-1=2'],
      ['a:container-1-request-1', 'i:container-1-request-1'],
    ],
    [
      'and gets more where that is not enough',
      pod([container('a', 1)], [container('i', 3)]),
      ['container-0-request-1=2', 'container-1-request-1=1'],
      ['a:container-1-request-1', 'i:container-1-request-1', 'i:container-0-request-1'],
    ],
    [
      'the greediest of them decides',
      pod([container('a', 0)], [container('i', 1), container('j', 3)]),
      ['container-1-request-1=3'],
      ['i:container-1-request-1', 'j:container-1-request-1'],
    ],
    [
      'a sidecar has its own',
      pod([container('a', 1)], [container('s', 1, { restartPolicy: 'Always' })]),
      ['container-0-request-1=1', 'container-1-request-1=1'],
      ['s:container-0-request-1', 'a:container-1-request-1'],
    ],
  ])('%s', (_name, wanted, requests, mappings) => {
    const found = extendedRequests(wanted, [GPU], () => 'gpu');
    expect(found.requests.map((r) => `${r.name}=${r.exactly?.count}`)).toEqual(requests);
    expect(found.mappings.map((m) => `${m.containerName}:${m.requestName}`)).toEqual(mappings);
  });
});

describe('the score of alternatives', () => {
  const claim = {
    metadata: {},
    spec: {
      devices: {
        requests: [
          {
            name: 'r',
            firstAvailable: [
              { name: 'best', deviceClassName: 'x' },
              { name: 'good', deviceClassName: 'y' },
            ],
          },
        ],
      },
    },
  };
  it.each([
    ['the first', 'r/best', 8],
    ['the second', 'r/good', 7],
    ['a request without alternatives', 'r', 0],
  ])('%s', (_name, request, score) => {
    expect(
      preferenceScore([claim], [{ devices: { results: [{ request, driver: 'd', pool: 'p', device: 'd' }] } }]),
    ).toBe(score);
  });
});

describe('a pod with an extended resource', () => {
  let fixture: SchedulerFixture;
  beforeEach(async () => {
    fixture = await startSchedulerFixture();
  });
  afterEach(() => fixture.stop());

  it('gets devices where its node has no such resource, and waits when none are free', async () => {
    const { client } = fixture;
    await client.resource('resource.k8s.io/v1/deviceclasses').create({
      metadata: { name: 'gpu' },
      spec: { extendedResourceName: GPU, selectors: [{ cel: { expression: 'device.driver == "gpu.example.com"' } }] },
    });
    const slice: ResourceSlice = {
      metadata: { name: 's' },
      spec: {
        driver: 'gpu.example.com',
        nodeName: 'devices',
        pool: { name: 'devices', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'a' }, { name: 'b' }],
      },
    };
    await client.resource('resource.k8s.io/v1/resourceslices').create(slice);
    for (const name of ['devices', 'empty']) await fixture.createNode(makeNode(name));
    await fixture.start();
    await fixture.createPod(makePod('p').requests({ cpu: '100m', [GPU]: '2' }));
    expect(await fixture.placed('p')).toBe('devices');
    const { status } = await fixture.pod('p');
    expect(status?.extendedResourceClaimStatus?.requestMappings).toEqual([
      { containerName: 'c', resourceName: GPU, requestName: 'container-0-request-1' },
    ]);
    const claim = await fixture.client
      .resource('resource.k8s.io/v1/resourceclaims')
      .get({ namespace: 'default', name: status!.extendedResourceClaimStatus!.resourceClaimName });
    expect(claim.metadata.name).toMatch(/^p-extended-resources-/);
    expect(claim.status?.allocation?.devices?.results?.map((r) => r.device)).toEqual(['a', 'b']);
    expect(claim.status?.reservedFor?.map((r) => r.name)).toEqual(['p']);
    await fixture.createPod(makePod('q').requests({ cpu: '100m', [GPU]: '1' }));
    expect(await fixture.turnedDown('q')).toContain('2 cannot allocate all claims');
  });
});
