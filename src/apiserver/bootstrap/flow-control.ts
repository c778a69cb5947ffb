/** The bootstrap PriorityLevelConfigurations and FlowSchemas of API Priority and Fairness. */
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
  ResourcePolicyRule,
  Subject,
} from '../../api/generated/flowcontrol-v1.ts';
import type { Stored } from './stored.ts';

/** "true": the server updates the spec at its start. "false": the spec belongs to the user. */
export const AUTOUPDATE_SPEC_ANNOTATION = 'apf.kubernetes.io/autoupdate-spec';
/** The server needs these objects, and restores their spec even if the annotation is "false". */
export const MANDATORY_FLOW_CONTROL_OBJECTS = ['exempt', 'catch-all'];

const GROUP_VERSION = 'flowcontrol.apiserver.k8s.io/v1';

interface LimitedLevel {
  readonly shares: number;
  readonly lendablePercent: number;
  /** Absent: requests above the limit are rejected. */
  readonly queuing?: QueuingConfiguration;
}

const queues = (count: number, handSize: number): QueuingConfiguration => ({
  queues: count,
  handSize,
  queueLengthLimit: 50,
});

const LIMITED_LEVELS: Readonly<Record<string, LimitedLevel>> = {
  'catch-all': { shares: 5, lendablePercent: 0 },
  system: { shares: 30, lendablePercent: 33, queuing: queues(64, 6) },
  'node-high': { shares: 40, lendablePercent: 25, queuing: queues(64, 6) },
  'leader-election': { shares: 10, lendablePercent: 0, queuing: queues(16, 4) },
  'workload-high': { shares: 40, lendablePercent: 50, queuing: queues(128, 6) },
  'workload-low': { shares: 100, lendablePercent: 90, queuing: queues(128, 6) },
  'global-default': { shares: 20, lendablePercent: 50, queuing: queues(128, 6) },
};

export const priorityLevels = (): Stored<PriorityLevelConfiguration>[] => [
  priorityLevel('exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  ...Object.entries(LIMITED_LEVELS).map(([name, { shares, lendablePercent, queuing }]) =>
    priorityLevel(name, {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: shares,
        lendablePercent,
        limitResponse: queuing ? { type: 'Queue', queuing: { ...queuing } } : { type: 'Reject' },
      },
    }),
  ),
];

const priorityLevel = (name: string, spec: PriorityLevelConfigurationSpec): Stored<PriorityLevelConfiguration> => ({
  apiVersion: GROUP_VERSION,
  kind: 'PriorityLevelConfiguration',
  metadata: { name, annotations: { [AUTOUPDATE_SPEC_ANNOTATION]: 'true' } },
  spec,
  status: {},
});

const user = (name: string): Subject => ({ kind: 'User', user: { name } });
const group = (name: string): Subject => ({ kind: 'Group', group: { name } });
const serviceAccountsOf = (namespace: string): Subject => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name: '*' },
});
const everyone = (): Subject[] => [group('system:unauthenticated'), group('system:authenticated')];

interface Requests {
  readonly resourceRules?: ResourcePolicyRule[];
  readonly nonResourceRules?: NonResourcePolicyRule[];
}

const anyRequest = (): Requests => ({
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
});

const requestsForLeases = (verbs: string[]): ResourcePolicyRule => ({
  verbs,
  apiGroups: ['coordination.k8s.io'],
  resources: ['leases'],
  namespaces: ['*'],
});

interface Flow {
  readonly level: string;
  /** Lower values match first. */
  readonly precedence: number;
  /** The flow distinguisher; absent: all requests are one flow. */
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly subjects: Subject[];
  readonly requests: Requests;
}

const FLOWS: Readonly<Record<string, Flow>> = {
  exempt: { level: 'exempt', precedence: 1, subjects: [group('system:masters')], requests: anyRequest() },
  probes: {
    level: 'exempt',
    precedence: 2,
    subjects: everyone(),
    requests: { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
  },
  'system-leader-election': {
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), serviceAccountsOf('kube-system')],
    requests: { resourceRules: [requestsForLeases(['get', 'create', 'update'])] },
  },
  'system-node-high': {
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: [group('system:nodes')],
    requests: {
      resourceRules: [
        { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
        requestsForLeases(['*']),
      ],
    },
  },
  'system-nodes': {
    level: 'system',
    precedence: 500,
    by: 'ByUser',
    subjects: [group('system:nodes')],
    requests: anyRequest(),
  },
  'kube-controller-manager': {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [user('system:kube-controller-manager')],
    requests: anyRequest(),
  },
  'kube-scheduler': {
    level: 'workload-high',
    precedence: 800,
    by: 'ByNamespace',
    subjects: [user('system:kube-scheduler')],
    requests: anyRequest(),
  },
  'kube-system-service-accounts': {
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: [serviceAccountsOf('kube-system')],
    requests: anyRequest(),
  },
  'service-accounts': {
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: [group('system:serviceaccounts')],
    requests: anyRequest(),
  },
  'global-default': {
    level: 'global-default',
    precedence: 9900,
    by: 'ByUser',
    subjects: everyone(),
    requests: anyRequest(),
  },
  'catch-all': {
    level: 'catch-all',
    precedence: 10_000,
    by: 'ByUser',
    subjects: everyone(),
    requests: anyRequest(),
  },
};

export const flowSchemas = (): Stored<FlowSchema>[] =>
  Object.entries(FLOWS).map(([name, flow]) => flowSchema(name, structuredClone(flow)));

function flowSchema(name: string, { level, precedence, by, subjects, requests }: Flow): Stored<FlowSchema> {
  const spec: FlowSchemaSpec = {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by ? { distinguisherMethod: { type: by } } : {}),
    rules: [{ subjects, ...requests }],
  };
  const metadata = { name, annotations: { [AUTOUPDATE_SPEC_ANNOTATION]: 'true' } };
  return { apiVersion: GROUP_VERSION, kind: 'FlowSchema', metadata, spec, status: {} };
}
