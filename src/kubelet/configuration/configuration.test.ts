import { describe, expect, it } from 'vitest';
import { parseKubeletFlags } from '../command.ts';
import { configz } from './configz.ts';
import { DEFAULT_KUBELET_CONFIGURATION } from './kubelet-configuration.ts';
import { loadKubeletConfiguration } from './load-kubelet-configuration.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

describe('KubeletConfiguration', () => {
  it('has defaults for absent fields', () => {
    expect(loadKubeletConfiguration(HEAD)).toEqual(DEFAULT_KUBELET_CONFIGURATION);
  });

  it('is read', () => {
    const config = loadKubeletConfiguration(
      `${HEAD}maxPods: 20\nclusterDNS: [10.96.0.10]\nnodeStatusUpdateFrequency: 1m30s\nevictionHard: {memory.available: 5%}\nfeatureGates: {X: true}\n`,
    );
    expect(config).toMatchObject({
      maxPods: 20,
      clusterDNS: ['10.96.0.10'],
      nodeStatusUpdateFrequency: 90_000,
      evictionHard: { 'memory.available': '5%' },
    });
    expect(configz(config)).toMatchObject({ maxPods: 20, nodeStatusUpdateFrequency: '1m30s' });
  });

  it('replaces thresholds, or merges them', () => {
    expect(loadKubeletConfiguration(`${HEAD}evictionHard: {memory.available: 5%}\n`).evictionHard).toEqual({
      'memory.available': '5%',
    });
    expect(
      loadKubeletConfiguration(`${HEAD}evictionHard: {memory.available: 5%}\nmergeDefaultEvictionSettings: true\n`)
        .evictionHard,
    ).toEqual({ ...DEFAULT_KUBELET_CONFIGURATION.evictionHard, 'memory.available': '5%' });
  });

  it.each([
    [
      'options of a topology policy',
      `${HEAD}topologyManagerPolicyOptions: {prefer-closest-numa-nodes: "true"}\n`,
      'options are not supported',
    ],
    [
      'both ways to shut down',
      `${HEAD}shutdownGracePeriod: 10s\nshutdownGracePeriodByPodPriority: [{priority: 0, shutdownGracePeriodSeconds: 5}]\n`,
      'Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time',
    ],
    ['an unknown field', `${HEAD}maxPodz: 1\n`, 'strict decoding error: unknown field "maxPodz"'],
    [
      'a wrong type',
      `${HEAD}maxPods: "many"\n`,
      'json: cannot unmarshal string into Go struct field KubeletConfiguration.maxPods of type int32',
    ],
    ['another kind', 'apiVersion: v1\nkind: Pod\n', 'no kind "Pod" is registered for version "v1"'],
    ['no kind', 'apiVersion: v1\n', "Object 'Kind' is missing"],
    [
      'thresholds the wrong way',
      `${HEAD}imageGCLowThresholdPercent: 90\n`,
      'must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) 85',
    ],
    [
      'a soft threshold without grace',
      `${HEAD}evictionSoft: {memory.available: 1Gi}\n`,
      'grace period must be specified for the soft eviction threshold memory.available',
    ],
    [
      'parallel pulls one by one',
      `${HEAD}maxParallelImagePulls: 3\n`,
      'maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls',
    ],
  ])('with %s is refused', (_, text, message) => {
    expect(() => loadKubeletConfiguration(text)).toThrow(message);
  });
});

describe('flags', () => {
  it("are upstream's", () => {
    const { values, given } = parseKubeletFlags([
      '--max-pods=5',
      '--cluster-dns=10.96.0.10',
      '--fail-swap-on=false',
      '--node-labels',
      'a=b,c=d',
      '--v=2',
    ]);
    expect(values).toMatchObject({
      'max-pods': 5,
      'cluster-dns': ['10.96.0.10'],
      'fail-swap-on': false,
      'node-labels': { a: 'b', c: 'd' },
      v: 2,
    });
    expect(given.has('port')).toBe(false);
  });

  it.each([
    [['--cgroup-driver=openrc'], 'cgroupfs'],
    [['--topology-manager-policy=tight'], 'restricted'],
    [['--lock-file=/x'], 'lock files are not supported'],
    [['--max-podz=5'], 'max-pods'],
  ])('%s is refused by name', (argv, message) => {
    expect(() => parseKubeletFlags(argv)).toThrow(message);
  });
});
