import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../base/index.ts';
import { createErrors, updateErrors, type Case } from '../testing/cases.ts';

const rbac = (plural: string, namespaced: boolean) => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  namespaced,
});
const GROUP = 'rbac.authorization.k8s.io';

describe('roles', () => {
  const role: JsonObject = {
    metadata: { name: 'r:x', namespace: 'default' },
    rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
  };
  const cases: Case[] = [
    ['right', {}, []],
    [
      'no verbs',
      { rules: [{ apiGroups: [''], resources: ['pods'] }] },
      ['rules[0].verbs: Required value: verbs must contain at least one value'],
    ],
    [
      'nothing to act on',
      { rules: [{ verbs: ['get'] }] },
      [
        'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
        'rules[0].resources: Required value: resource rules must supply at least one resource',
      ],
    ],
    [
      'a URL in a namespace',
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
      ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
    ],
    [
      'a name that is a path',
      { metadata: { name: 'a/b' } },
      ['metadata.name: Invalid value: "a/b": may not contain \'/\''],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(rbac('roles', true), role, change)).toEqual(errors);
  });
  it('aggregate by selectors that can be read', () => {
    const clusterRole = {
      metadata: { name: 'r' },
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Near' }] }] },
    };
    expect(createErrors(rbac('clusterroles', false), clusterRole, {})).toEqual([
      'aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
    ]);
  });
});

describe('bindings', () => {
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: 'view' };
  const binding: JsonObject = {
    metadata: { name: 'b' },
    roleRef,
    subjects: [{ kind: 'User', apiGroup: GROUP, name: 'ann' }],
  };
  const cluster = rbac('clusterrolebindings', false);
  const cases: Case[] = [
    ['right', {}, []],
    [
      'a role of a namespace',
      { roleRef: { kind: 'Role' } },
      ['roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    ],
    [
      'a role of another group',
      { roleRef: { apiGroup: 'x' } },
      [`roleRef.apiGroup: Unsupported value: "x": supported values: "${GROUP}"`],
    ],
    [
      'an account of no namespace',
      { subjects: [{ kind: 'ServiceAccount', name: 'sa' }] },
      ['subjects[0].namespace: Required value'],
    ],
    [
      'an account with a group',
      { subjects: [{ kind: 'ServiceAccount', name: 'sa', namespace: 'n', apiGroup: 'x' }] },
      ['subjects[0].apiGroup: Unsupported value: "x": supported values: ""'],
    ],
    [
      'somebody unknown',
      { subjects: [{ kind: 'Robot', name: 'r' }] },
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ],
  ];
  it.each(cases)('create: %s', (_name, change, errors) => {
    expect(createErrors(cluster, binding, change)).toEqual(errors);
  });
  it('keep their role', () => {
    expect(updateErrors(cluster, binding, { roleRef: { name: 'edit' } })).toEqual([
      `roleRef: Invalid value: {"APIGroup":"${GROUP}","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef`,
    ]);
  });
});
