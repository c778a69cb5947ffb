/** The fields of kubescheduler.config.k8s.io/v1. */

import type { Fields } from './strict-fields.ts';
import { EXTENSION_POINTS } from './types.ts';

const TYPE_META: Fields = { apiVersion: 'string', kind: 'string' };

const pluginSet: Fields = {
  enabled: { list: { object: { name: 'string', weight: 'number' } } },
  disabled: { list: { object: { name: 'string', weight: 'number' } } },
};

const profile: Fields = {
  schedulerName: 'string',
  percentageOfNodesToScore: 'number',
  plugins: {
    object: Object.fromEntries([...EXTENSION_POINTS, 'multiPoint'].map((point) => [point, { object: pluginSet }])),
  },
  pluginConfig: { list: { object: { name: 'string', args: 'any' } } },
};

const extender: Fields = {
  urlPrefix: 'string',
  filterVerb: 'string',
  preemptVerb: 'string',
  prioritizeVerb: 'string',
  weight: 'number',
  bindVerb: 'string',
  enableHTTPS: 'boolean',
  tlsConfig: {
    object: {
      insecure: 'boolean',
      serverName: 'string',
      certFile: 'string',
      keyFile: 'string',
      caFile: 'string',
      certData: 'string',
      keyData: 'string',
      caData: 'string',
    },
  },
  httpTimeout: 'duration',
  nodeCacheCapable: 'boolean',
  managedResources: { list: { object: { name: 'string', ignoredByScheduler: 'boolean' } } },
  ignorable: 'boolean',
};

export const CONFIGURATION_FIELDS: Fields = {
  ...TYPE_META,
  parallelism: 'number',
  leaderElection: {
    object: {
      leaderElect: 'boolean',
      leaseDuration: 'duration',
      renewDeadline: 'duration',
      retryPeriod: 'duration',
      resourceLock: 'string',
      resourceName: 'string',
      resourceNamespace: 'string',
    },
  },
  clientConnection: {
    object: {
      kubeconfig: 'string',
      acceptContentTypes: 'string',
      contentType: 'string',
      qps: 'number',
      burst: 'number',
    },
  },
  enableProfiling: 'boolean',
  enableContentionProfiling: 'boolean',
  percentageOfNodesToScore: 'number',
  podInitialBackoffSeconds: 'number',
  podMaxBackoffSeconds: 'number',
  delayCacheUntilActive: 'boolean',
  profiles: { list: { object: profile } },
  extenders: { list: { object: extender } },
};

const resources: Fields[string] = { list: { object: { name: 'string', weight: 'number' } } };

/** Arguments of the plugins that take any. */
export const PLUGIN_ARGS: Readonly<Record<string, Fields>> = {
  DefaultPreemption: { ...TYPE_META, minCandidateNodesPercentage: 'number', minCandidateNodesAbsolute: 'number' },
  InterPodAffinity: { ...TYPE_META, hardPodAffinityWeight: 'number', ignorePreferredTermsOfExistingPods: 'boolean' },
  NodeAffinity: { ...TYPE_META, addedAffinity: 'any' },
  NodeResourcesBalancedAllocation: { ...TYPE_META, resources },
  NodeResourcesFit: {
    ...TYPE_META,
    ignoredResources: { list: 'string' },
    ignoredResourceGroups: { list: 'string' },
    scoringStrategy: {
      object: {
        type: 'string',
        resources,
        requestedToCapacityRatio: {
          object: { shape: { list: { object: { utilization: 'number', score: 'number' } } } },
        },
      },
    },
  },
  PodTopologySpread: { ...TYPE_META, defaultConstraints: 'any', defaultingType: 'string' },
  VolumeBinding: {
    ...TYPE_META,
    bindTimeoutSeconds: 'number',
    shape: { list: { object: { utilization: 'number', score: 'number' } } },
  },
  DynamicResources: { ...TYPE_META, filterTimeout: 'duration' },
};
