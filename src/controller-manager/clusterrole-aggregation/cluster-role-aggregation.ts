/** clusterrole-aggregation-controller: writes the union of the selected roles' rules into aggregated ClusterRoles. */
import type { ClusterRole, PolicyRule } from '../../api/generated/rbac-v1.ts';
import { deepEqual } from '../../base/index.ts';
import { keyOf } from '../../client/index.ts';
import { labelSelectorAsSelector } from '../../machinery/selectors/index.ts';
import { keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';

const FIELD_MANAGER = 'clusterrole-aggregation-controller';

export const clusterRoleAggregationController: ControllerDescriptor = {
  name: FIELD_MANAGER,
  aliases: ['clusterrole-aggregation'],
  build(context) {
    const { informers, signal } = context;
    const roles = informers.informer('rbac.authorization.k8s.io/v1/clusterroles');

    const reconcile = async (name: string, { client }: ControllerContext): Promise<void> => {
      const role = roles.get(name);
      if (!role?.aggregationRule) return;
      const rules = aggregatedRules(role, roles.list());
      if (deepEqual(rules, role.rules ?? [])) return;
      await ignoreNotFound(() =>
        client
          .resource('rbac.authorization.k8s.io/v1/clusterroles')
          .apply(
            { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules },
            { fieldManager: FIELD_MANAGER, force: true, signal },
          ),
      );
    };

    const { queue, run } = keyedLoop(context, 'ClusterRoleAggregator', 5, reconcile);
    const enqueueAggregated = (): void =>
      roles.list().forEach((role) => role.aggregationRule && queue.add(keyOf(role)));
    roles.addHandler({
      onAdd: enqueueAggregated,
      onUpdate: (before, after) => {
        if (
          !deepEqual(before.rules, after.rules) ||
          !deepEqual(before.metadata.labels, after.metadata.labels) ||
          !deepEqual(before.aggregationRule, after.aggregationRule)
        )
          enqueueAggregated();
      },
      onDelete: enqueueAggregated,
    });
    return run;
  },
};

/** The union, in order of the roles' names. */
function aggregatedRules(role: ClusterRole, all: readonly ClusterRole[]): PolicyRule[] {
  const rules: PolicyRule[] = [];
  for (const labelSelector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = labelSelectorAsSelector(labelSelector);
    const selected = all.filter(
      (other) => other.metadata.name !== role.metadata.name && selector.matches(other.metadata.labels ?? {}),
    );
    for (const { rules: more } of selected.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
      for (const rule of more ?? []) if (!rules.some((known) => deepEqual(known, rule))) rules.push(rule);
    }
  }
  return rules;
}
