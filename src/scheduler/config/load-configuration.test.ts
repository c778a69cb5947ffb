import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from './defaults.ts';
import { formatConfiguration } from './format-configuration.ts';
import { loadSchedulerConfiguration } from './load-configuration.ts';

const HEAD = 'apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n';

describe('loadSchedulerConfiguration', () => {
  it('returns the defaults for an empty configuration', () => {
    const config = loadSchedulerConfiguration(HEAD);
    expect(config).toEqual(DEFAULT_CONFIG);
  });

  it('reads its own output', () => {
    const { profiles, ...rest } = loadSchedulerConfiguration(formatConfiguration(DEFAULT_CONFIG));
    expect(rest).toEqual({ ...DEFAULT_CONFIG, profiles: undefined });
    expect(profiles[0]!.plugins.multiPoint?.enabled).toEqual(DEFAULT_CONFIG.profiles[0]!.plugins.multiPoint?.enabled);
  });

  it('merges plugins, weights and arguments into the defaults', () => {
    const { profiles } = loadSchedulerConfiguration(`${HEAD}
profiles:
- schedulerName: packing
  plugins:
    score:
      disabled: [{ name: ImageLocality }]
      enabled: [{ name: NodeAffinity, weight: 7 }]
    multiPoint:
      disabled: [{ name: VolumeZone }]
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy: { type: MostAllocated, resources: [{ name: cpu, weight: 1 }] }
- schedulerName: default-scheduler
`);
    const [packing, plain] = profiles;
    expect(packing!.plugins.multiPoint?.enabled?.map((p) => p.name)).not.toContain('VolumeZone');
    expect(packing!.plugins.score).toEqual({
      enabled: [{ name: 'NodeAffinity', weight: 7 }],
      disabled: [{ name: 'ImageLocality' }],
    });
    expect(packing!.pluginConfig.get('NodeResourcesFit')).toEqual({
      scoringStrategy: { type: 'MostAllocated', resources: [{ name: 'cpu', weight: 1 }] },
    });
    expect(plain!.plugins).toEqual(DEFAULT_CONFIG.profiles[0]!.plugins);
  });

  it('reads durations and extenders', () => {
    const config = loadSchedulerConfiguration(`${HEAD}
leaderElection: { leaderElect: false, leaseDuration: 30s }
extenders:
- { urlPrefix: 'http://127.0.0.1:1/x', filterVerb: filter, prioritizeVerb: prioritize, weight: 5, httpTimeout: 5s, managedResources: [{ name: example.com/x, ignoredByScheduler: true }] }
`);
    expect(config).toMatchObject({ leaderElect: false, leaderElection: { leaseDurationMs: 30_000 } });
    expect(config.extenders[0]).toMatchObject({
      filterVerb: 'filter',
      weight: 5,
      httpTimeoutMs: 5_000,
      bindVerb: '',
      ignorable: false,
    });
  });

  it.each([
    ['no kind', 'apiVersion: kubescheduler.config.k8s.io/v1\n', /Object 'Kind' is missing/],
    [
      'another version',
      'apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n',
      /no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io\/v1beta3"/,
    ],
    ['an unknown field', `${HEAD}profils: []\n`, /^strict decoding error: unknown field "profils"$/],
    [
      'an unknown field deep down',
      `${HEAD}profiles: [{ plugins: { scor: {} } }]\n`,
      /unknown field "profiles\[0\]\.plugins\.scor"/,
    ],
    [
      'an unknown argument',
      `${HEAD}profiles: [{ pluginConfig: [{ name: NodeResourcesFit, args: { strategy: x } }] }]\n`,
      /"NodeResourcesFit"\]\.args: unknown field "strategy"/,
    ],
    [
      'a percentage beyond a hundred',
      `${HEAD}percentageOfNodesToScore: 101\n`,
      /percentageOfNodesToScore: Invalid value: 101: not in valid range \[0-100\]/,
    ],
    [
      'no parallelism',
      `${HEAD}parallelism: 0\n`,
      /parallelism: Invalid value: 0: should be an integer value greater than zero/,
    ],
    [
      'backoff upside down',
      `${HEAD}podInitialBackoffSeconds: 5\npodMaxBackoffSeconds: 1\n`,
      /podMaxBackoffSeconds: Invalid value: 1: must be greater than or equal to PodInitialBackoffSeconds/,
    ],
    [
      'the same name twice',
      `${HEAD}profiles: [{ schedulerName: a }, { schedulerName: a }]\n`,
      /profiles\[1\]\.schedulerName: Duplicate value: "a"/,
    ],
    [
      'two binders',
      `${HEAD}extenders: [{ urlPrefix: a, bindVerb: b }, { urlPrefix: c, bindVerb: d }]\n`,
      /only one extender can implement bind/,
    ],
    [
      'points without a weight',
      `${HEAD}extenders: [{ urlPrefix: a, prioritizeVerb: b }]\n`,
      /extenders\[0\]\.weight: Invalid value: 0: must have a positive weight applied to it/,
    ],
  ])('refuses %s', (_name, yaml, message) => {
    expect(() => loadSchedulerConfiguration(yaml)).toThrow(message);
  });
});
