/** The mandatory FlowSchemas and PriorityLevelConfigurations, which must not be changed. */
import type {
  FlowSchemaSpec,
  PolicyRulesWithSubjects,
  PriorityLevelConfigurationSpec,
  Subject,
} from '../../../api/generated/flowcontrol-v1.ts';

const everything = (subjects: Subject[]): PolicyRulesWithSubjects[] => [
  {
    subjects,
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  },
];
const group = (name: string): Subject => ({ kind: 'Group', group: { name } });

export const MANDATORY_FLOW_SCHEMAS: Readonly<Record<string, FlowSchemaSpec>> = {
  exempt: {
    matchingPrecedence: 1,
    priorityLevelConfiguration: { name: 'exempt' },
    rules: everything([group('system:masters')]),
  },
  'catch-all': {
    matchingPrecedence: 10000,
    priorityLevelConfiguration: { name: 'catch-all' },
    distinguisherMethod: { type: 'ByUser' },
    rules: everything([group('system:unauthenticated'), group('system:authenticated')]),
  },
};

export const MANDATORY_PRIORITY_LEVELS: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  exempt: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  'catch-all': {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' }, lendablePercent: 0 },
  },
};
