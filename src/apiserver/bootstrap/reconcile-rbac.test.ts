import { describe, expect, test } from 'vitest';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Subject } from '../../api/generated/rbac-v1.ts';
import {
  READ,
  aggregatedClusterRole,
  clusterRole,
  clusterRoleBinding,
  group,
  rule,
  serviceAccount,
  urls,
  user,
} from './rbac-builders.ts';
import { reconcileBinding, reconcileRole } from './reconcile-rbac.ts';
import { uncoveredRules } from './rule-coverage.ts';

describe('reconcileRole', () => {
  const desired: ClusterRole = clusterRole('reader', [rule('get,list', 'core', 'pods')]);
  const protectedRole = (role: ClusterRole): ClusterRole => ({
    ...role,
    metadata: { ...role.metadata, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
  });

  test('creates a role that is missing', () => {
    expect(reconcileRole(undefined, desired)).toEqual({ action: 'create', object: desired });
  });

  test('does not write a role that grants enough', () => {
    const existing = clusterRole('reader', [rule('*', '*', 'pods,secrets')]);
    expect(reconcileRole<ClusterRole>(existing, desired)).toEqual({ action: 'none' });
  });

  test('adds missing rules one by one and keeps added ones', () => {
    const existing: ClusterRole = clusterRole('reader', [rule('get', 'core', 'pods'), rule('get', 'core', 'secrets')]);
    existing.metadata.resourceVersion = '7';
    const object = { ...existing, rules: [...(existing.rules ?? []), rule('list', 'core', 'pods')] };
    expect(reconcileRole(existing, desired)).toEqual({ action: 'update', object });
  });

  test('adds missing labels and annotations; existing values stay', () => {
    const existing: ClusterRole = {
      ...desired,
      metadata: { name: 'reader', labels: { 'kubernetes.io/bootstrapping': 'mine', team: 'a' } },
    };
    expect(reconcileRole(existing, desired)).toEqual({
      action: 'update',
      object: {
        ...desired,
        metadata: {
          name: 'reader',
          labels: { 'kubernetes.io/bootstrapping': 'mine', team: 'a' },
          annotations: desired.metadata.annotations,
        },
      },
    });
  });

  test('does not write a protected role, even if rules are missing', () => {
    expect(reconcileRole(protectedRole(clusterRole('reader', [])), desired)).toEqual({ action: 'none' });
  });

  test('keeps the aggregated rules of a role', () => {
    const existing: ClusterRole = { ...aggregatedClusterRole('view'), rules: [rule(READ, 'core', 'pods')] };
    expect(reconcileRole<ClusterRole>(existing, aggregatedClusterRole('view'))).toEqual({ action: 'none' });
  });

  test('adds missing selectors to an aggregation rule', () => {
    const existing: ClusterRole = {
      ...aggregatedClusterRole('view'),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { mine: 'yes' } }] },
    };
    const result = reconcileRole<ClusterRole>(existing, aggregatedClusterRole('view'));
    expect(result).toMatchObject({
      action: 'update',
      object: {
        aggregationRule: {
          clusterRoleSelectors: [
            { matchLabels: { mine: 'yes' } },
            { matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
          ],
        },
      },
    });
  });

  test('removes an aggregation rule that should not exist', () => {
    const existing: ClusterRole = {
      ...desired,
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { mine: 'yes' } }] },
    };
    expect(reconcileRole(existing, desired)).toEqual({ action: 'update', object: desired });
  });
});

describe('reconcileBinding', () => {
  const binding = (subjects: Subject[], roleName = 'reader'): ClusterRoleBinding => ({
    ...clusterRoleBinding('reader', subjects),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName },
  });

  test('creates a binding that is missing', () => {
    expect(reconcileBinding(undefined, binding([user('a')]))).toEqual({
      action: 'create',
      object: binding([user('a')]),
    });
  });

  test('adds missing subjects after the existing ones', () => {
    const existing = binding([user('a'), serviceAccount('x')]);
    expect(reconcileBinding(existing, binding([group('g'), user('a')]))).toEqual({
      action: 'update',
      object: binding([user('a'), serviceAccount('x'), group('g')]),
    });
  });

  test('does not write a binding that has more subjects', () => {
    expect(reconcileBinding(binding([user('a'), user('b')]), binding([user('b')]))).toEqual({ action: 'none' });
  });

  test('replaces a binding to another role', () => {
    expect(reconcileBinding(binding([user('a')], 'writer'), binding([user('b')]))).toEqual({
      action: 'recreate',
      object: binding([user('b')]),
    });
  });

  test('does not write a protected binding, even one to another role', () => {
    const existing = binding([user('a')], 'writer');
    existing.metadata.annotations = { 'rbac.authorization.kubernetes.io/autoupdate': 'false' };
    expect(reconcileBinding(existing, binding([user('b')]))).toEqual({ action: 'none' });
  });
});

describe('uncoveredRules', () => {
  const none: PolicyRule[] = [];
  test.each<[string, PolicyRule[], PolicyRule, PolicyRule[]]>([
    [
      'a star for verbs, groups and resources covers all of them',
      [rule('*', '*', '*')],
      rule('get,escalate', 'apps', 'deployments/scale'),
      none,
    ],
    [
      'a star in the place of a resource covers its subresource',
      [rule('get', 'apps', '*/scale')],
      rule('get', 'apps', 'deployments/scale'),
      none,
    ],
    [
      'but not the resource',
      [rule('get', 'apps', '*/scale')],
      rule('get', 'apps', 'deployments'),
      [rule('get', 'apps', 'deployments')],
    ],
    [
      'a resource does not cover its subresources',
      [rule('get', 'core', 'pods')],
      rule('get', 'core', 'pods,pods/log'),
      [rule('get', 'core', 'pods/log')],
    ],
    ['no names covers some names', [rule('get', 'core', 'secrets')], rule('get', 'core', 'secrets', 'a,b'), none],
    [
      'some names do not cover all',
      [rule('get', 'core', 'secrets', 'a')],
      rule('get', 'core', 'secrets'),
      [rule('get', 'core', 'secrets')],
    ],
    [
      'names one by one',
      [rule('get', 'core', 'secrets', 'a')],
      rule('get', 'core', 'secrets', 'a,b'),
      [rule('get', 'core', 'secrets', 'b')],
    ],
    [
      'groups one by one',
      [rule('list', 'apps', 'replicasets')],
      rule('list', 'apps,extensions', 'replicasets'),
      [rule('list', 'extensions', 'replicasets')],
    ],
    [
      'a URL pattern covers what begins with it',
      [urls('get', '/api/*')],
      urls('get', '/api/v1,/api,/apis'),
      [urls('get', '/api'), urls('get', '/apis')],
    ],
    [
      'rules on resources say nothing about URLs',
      [rule('*', '*', '*')],
      urls('get', '/version'),
      [urls('get', '/version')],
    ],
    [
      'two rules together',
      [rule('get', 'core', 'pods'), rule('list', 'core', 'pods')],
      rule('get,list', 'core', 'pods'),
      none,
    ],
  ])('%s', (_, granted, wanted, missing) => {
    expect(uncoveredRules(granted, [wanted])).toEqual(missing);
  });
});
