// Bugs that are put into the source one at a time, to see that simulated worlds find them: `npm run simulate -- --mutations`.
// Each replaces a text that occurs exactly once in its file; a mutation whose text is not there fails by its name.
import fs from 'node:fs';
import path from 'node:path';
import { root } from './toolchain.mjs';

/**
 * @typedef {object} Mutation
 * @property {string} name
 * @property {string} bug what a programmer might have done
 * @property {string} file
 * @property {string} text
 * @property {string} instead
 * @property {import('../src/simulation/index.ts').PlanOptions} [world] where it is looked for; default any world
 */

const deployments = {
  kinds: /** @type {const} */ (['create-deployment', 'scale-deployment', 'roll-deployment', 'delete-deployment']),
};
const budgets = {
  kinds: /** @type {const} */ ([
    'create-deployment',
    'create-budget',
    'drain-node',
    'uncordon-node',
    'scale-deployment',
  ]),
};
const statefulsets = { kinds: /** @type {const} */ (['create-statefulset', 'scale-statefulset', 'roll-statefulset']) };
const elections = { faults: /** @type {const} */ (['isolate', 'kill-component', 'lose-lease', 'slow-link']) };

/** @type {readonly Mutation[]} */
export const mutations = [
  {
    name: 'evictions-beyond-the-budget',
    bug: 'an off-by-one in the budget: an eviction is granted when none is allowed',
    file: 'src/apiserver/subresources/disruption-budget.ts',
    text: 'if (allowed > 0) return;',
    instead: 'if (allowed >= 0) return;',
    world: budgets,
  },
  {
    name: 'evictions-without-the-budget',
    bug: 'the budget is asked for pods that need none, and not for the others',
    file: 'src/apiserver/subresources/eviction.ts',
    text: 'if (budget && !free) await takeDisruption(',
    instead: 'if (budget && free) await takeDisruption(',
    world: budgets,
  },
  {
    name: 'one-disruption-too-many',
    bug: 'an off-by-one in the disruption controller',
    file: 'src/controller-manager/disruption/budget-status.ts',
    text: 'Math.max(0, currentHealthy - desiredHealthy)',
    instead: 'Math.max(0, currentHealthy - desiredHealthy + 1)',
    world: budgets,
  },
  {
    name: 'lost-updates',
    bug: 'a missing precondition: the resourceVersion of an update is not compared',
    file: 'src/apiserver/verbs/update-object.ts',
    text: "if (!wanted || wanted === '0') return false;",
    instead: "if (wanted || wanted === '0') return false;",
    world: { kinds: ['count-up'], operations: 60 },
  },
  {
    name: 'store-ignores-comparisons',
    bug: 'a transaction of the store succeeds whatever it compares',
    file: 'src/etcd/apply-single-put.ts',
    text: 'if (over !== undefined && (previous?.modRevision ?? 0) !== over)',
    instead: 'if (over !== undefined && over < 0)',
    world: { kinds: ['count-up', 'create-pod', 'delete-pod', 'create-service', 'apply-configmap'], operations: 60 },
  },
  {
    name: 'watch-skips-an-event',
    bug: 'a watch of a whole collection skips some events',
    file: 'src/apiserver/storage/resource-cache.ts',
    text: "this.#notify('', event);",
    instead: "if (event.revision % 29 !== 0) this.#notify('', event);",
  },
  {
    name: 'watch-resumes-one-late',
    bug: 'an off-by-one in the window of events that a watch resumes from',
    file: 'src/apiserver/storage/resource-cache.ts',
    text: 'if (this.#window[middle]!.revision > revision) end = middle;',
    instead: 'if (this.#window[middle]!.revision > revision + 1) end = middle;',
    world: {
      kinds: ['count-up', 'apply-configmap'],
      operations: 200,
      faults: ['break-watches', 'kill-apiserver', 'store-disconnects'],
      faultCount: 24,
      maxFaultMs: 5_000,
    },
  },
  {
    name: 'bookmark-ahead',
    bug: 'a bookmark promises a revision that the watcher has not seen',
    file: 'src/apiserver/verbs/watch.ts',
    text: 'this.#delivered = Math.max(this.#delivered, cache.revision);',
    instead: 'this.#delivered = Math.max(this.#delivered, cache.revision + 5);',
    world: { durationMs: 120_000 },
  },
  {
    name: 'bound-twice',
    bug: 'a binding does not look whether the pod has a node',
    file: 'src/apiserver/subresources/binding.ts',
    text: 'if (pod.spec?.nodeName) refuse(',
    instead: 'if (pod.spec?.nodeName === target.name) refuse(',
    world: {
      kinds: ['create-pod', 'bind-pod', 'delete-pod'],
      operations: 60,
    },
  },
  {
    name: 'quota-off-by-one',
    bug: 'a request may exceed its quota by one',
    file: 'src/apiserver/admission/resource-quota/check-request.ts',
    text: 'charged.get(key)!.cmp(hard.get(key)!) > 0',
    instead: 'charged.get(key)!.cmp(hard.get(key)!) > 1',
    world: {
      kinds: ['create-quota', 'create-deployment', 'scale-deployment', 'create-pod'],
      operations: 60,
      faultCount: 2,
    },
  },
  {
    name: 'webhook-is-not-obeyed',
    bug: 'the answer of a webhook that refuses is ignored',
    file: 'src/apiserver/admission/webhook/call-webhook.ts',
    text: 'if (!result.allowed) throw denial(',
    instead: 'if (result.allowed && !result.allowed) throw denial(',
    world: { kinds: ['create-validating-webhook', 'create-forbidden-configmap'] },
  },
  {
    name: 'creates-in-terminating-namespaces',
    bug: 'objects are created in a namespace that is being deleted',
    file: 'src/apiserver/admission/namespace-lifecycle.ts',
    text: "if (status?.phase !== 'Terminating' && !found.metadata.deletionTimestamp) return;",
    instead: 'if (status || !found.metadata.deletionTimestamp) return;',
    world: {
      kinds: ['create-namespace', 'delete-namespace', 'create-deployment', 'apply-configmap', 'create-widget'],
      operations: 60,
    },
  },
  {
    name: 'stored-versions-are-not-noted',
    bug: 'the status of a CustomResourceDefinition forgets versions that were stored',
    file: 'src/apiserver/registry/strategies/extension-apis.ts',
    text: 'status.storedVersions = [...(status.storedVersions ?? []), stored];',
    instead: 'status.storedVersions = [stored];',
    world: { kinds: ['create-definition', 'change-definition', 'write-gadget'], operations: 40 },
  },
  {
    name: 'lost-expectation',
    bug: 'a ReplicaSet does not remember the pods that it has created',
    file: 'src/controller-manager/replicaset/reconcile.ts',
    text: 'expectations.expectCreations(key, count);',
    instead: '',
    world: { ...deployments, faults: ['hold-watches', 'slow-link', 'break-watches'] },
  },
  {
    name: 'expectations-are-always-met',
    bug: 'a controller acts before it has seen its own writes',
    file: 'src/client/expectations.ts',
    text: 'if (expectation.creations === 0 && expectation.deletions.size === 0) return true;',
    instead: 'if (expectation.creations >= 0) return true;',
    world: { ...deployments, faults: ['hold-watches', 'slow-link', 'break-watches'] },
  },
  {
    name: 'expectation-is-never-met',
    bug: 'a failed creation is expected for ever',
    file: 'src/client/expectations.ts',
    text: 'for (let i = 0; i < count; i++) this.creationObserved(controllerKey);',
    instead: '',
    world: { ...deployments, faults: ['store-refuses', 'store-full', 'lose-requests'], faultCount: 12 },
  },
  {
    name: 'one-pod-too-few',
    bug: 'an off-by-one in the ReplicaSet controller',
    file: 'src/controller-manager/replicaset/reconcile.ts',
    text: 'if (surplus < 0) await this.#createPods(',
    instead: 'if (surplus < -1) await this.#createPods(',
    world: deployments,
  },
  {
    name: 'no-order',
    bug: 'an ordered StatefulSet does not wait for a pod that it has created',
    file: 'src/controller-manager/statefulset/sync-stateful-set.ts',
    text: 'return !inOrder;',
    instead: 'return true;',
    world: statefulsets,
  },
  {
    name: 'surplus-of-a-statefulset-stays',
    bug: 'the pod with the first surplus ordinal is not condemned',
    file: 'src/controller-manager/statefulset/sync-stateful-set.ts',
    text: 'ordinalOf(pod) < start || ordinalOf(pod) >= end)',
    instead: 'ordinalOf(pod) < start || ordinalOf(pod) > end)',
    world: statefulsets,
  },
  {
    name: 'collected-with-a-living-owner',
    bug: 'the garbage collector takes an owner that was changed for one that is being deleted',
    file: 'src/controller-manager/garbage-collector/collect.ts',
    text: 'else if (owner.metadata.deletionTimestamp !== undefined && hasFinalizer(owner, FOREGROUND_FINALIZER))',
    instead: 'else if (owner.metadata.generation !== 1)',
    world: {
      ...deployments,
      operations: 40,
      faults: ['kill-component', 'lose-lease'],
      targets: ['kube-controller-manager'],
      faultCount: 10,
      maxFaultMs: 5_000,
    },
  },
  {
    name: 'absent-owners-by-any-error',
    bug: 'the garbage collector leaves what has no living owner',
    file: 'src/controller-manager/garbage-collector/collect.ts',
    text: 'if (owner === undefined) dangling.push(reference);',
    instead: 'if (owner === undefined) solid.push(reference);',
    world: { ...deployments, operations: 40 },
  },
  {
    name: 'orphans-keep-their-owner',
    bug: 'dependents that must be left alone are not told that their owner has gone',
    file: 'src/controller-manager/garbage-collector/collect.ts',
    text: 'objects.changeOwners(dependent.identity, (owners) => owners.filter((owner) => owner.uid !== uid)),',
    instead: 'objects.changeOwners(dependent.identity, (owners) => owners.filter((owner) => owner.uid === uid)),',
    world: { kinds: ['create-deployment', 'delete-deployment'], operations: 40, faultCount: 0 },
  },
  {
    name: 'node-is-looked-up-in-the-cache',
    bug: 'a cache is read where the store is needed: pods of a node that the informer has lost are deleted by force',
    file: 'src/controller-manager/pod-garbage-collector/collect.ts',
    text: '&& !(await this.#nodeExists(name))',
    instead: '',
    world: {
      kinds: ['create-deployment', 'scale-deployment', 'create-daemonset'],
      faults: ['node-replaced', 'hold-watches'],
      targets: ['kube-controller-manager', 'sim'],
      durationMs: 300_000,
      faultCount: 24,
      maxFaultMs: 150_000,
    },
  },
  {
    name: 'pod-ranges-are-given-again',
    bug: 'the range of a node is given to another one',
    file: 'src/controller-manager/node-ipam/cidr-set.ts',
    text: 'if (this.#allocated.has(index)) continue;',
    instead: '',
    world: { faults: ['node-replaced', 'kill-component', 'lose-lease'], faultCount: 12 },
  },
  {
    name: 'lease-is-taken-too-soon',
    bug: 'a candidate takes a lease that has not expired',
    file: 'src/client/leader-election.ts',
    text: 'if (heldByAnother && !this.#expired()) return false;',
    instead: '',
  },
  {
    name: 'leader-does-not-stop',
    bug: 'a leader goes on after it has lost its lease',
    file: 'src/client/leader-election.ts',
    text: 'if (!stillLeader) leading.abort(lost);',
    instead: '',
    world: elections,
  },
  {
    name: 'informer-keeps-what-was-deleted',
    bug: 'an informer does not see deletions',
    file: 'src/client/reflector.ts',
    text: "if (type === 'DELETED') sink.delete(object);",
    instead: "if (type === 'DELETED') return;",
    world: { ...statefulsets, operations: 40 },
  },
  {
    name: 'failed-work-is-dropped',
    bug: 'a work queue does not try again what has failed',
    file: 'src/kernel/work-queue-workers.ts',
    text: 'queue.addRateLimited(item, causes);',
    instead: '',
    world: { faults: ['store-refuses', 'store-unknown', 'lose-requests', 'lose-answers'], faultCount: 12 },
  },
  {
    name: 'autoscaler-ignores-its-minimum',
    bug: 'an autoscaler without metrics does not scale to its minimum',
    file: 'src/controller-manager/podautoscaler/sync-autoscaler.ts',
    text: 'if (current < minReplicas) {',
    instead: 'if (current < minReplicas - 1) {',
    world: { kinds: ['create-deployment', 'create-autoscaler', 'scale-deployment'] },
  },
  {
    name: 'kubelet-forgets-pods-of-before',
    bug: 'pods that were bound before a kubelet came back never run',
    file: 'src/simulated-kubelet/simulated-nodes.ts',
    text: 'for (const pod of pods) if (!hasStarted(pod)) this.#podUpdated(pod);',
    instead: '',
    world: { faults: ['kubelets-restart', 'node-replaced'], faultCount: 12 },
  },
  {
    name: 'first-heartbeat-is-the-last',
    bug: 'a kubelet whose first renewal fails never renews its Lease',
    file: 'src/simulated-kubelet/heartbeats.ts',
    text: 'await this.#renew(node).catch((error: unknown) => this.#failed(node, error));',
    instead: 'if (!(await this.#renew(node).then(() => true, () => false))) return;',
    world: {
      faults: ['kubelets-restart', 'node-replaced', 'lose-requests', 'store-refuses'],
      targets: ['kubelets', 'kube-apiserver', 'sim'],
      faultCount: 30,
      maxFaultMs: 30_000,
    },
  },
  {
    name: 'namespaces-keep-their-content',
    bug: 'the namespace controller believes that nothing is left',
    file: 'src/controller-manager/namespace/delete-content.ts',
    text: 'const others = deletable.filter((resource) => !isPods(resource));',
    instead: "const others = deletable.filter((resource) => !isPods(resource) && resource.plural !== 'configmaps');",
    world: { kinds: ['create-namespace', 'delete-namespace', 'apply-configmap', 'create-service'], operations: 40 },
  },
  {
    name: 'endpoints-miss-a-pod',
    bug: 'some pods that are ready are no endpoints',
    file: 'src/controller-manager/endpointslice/service-endpoints.ts',
    text: 'if (!canServe(pod, true)) continue;',
    instead: 'if (!canServe(pod, true) || (pod.metadata.name ?? "").endsWith("b")) continue;',
    world: { kinds: ['create-deployment', 'create-service', 'scale-deployment'], operations: 40 },
  },
  {
    name: 'operator-forgets-failures',
    bug: 'an operator takes a request that failed for one that it need not repeat',
    file: 'src/simulation/world/operator.ts',
    text: 'if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;',
    instead: 'if (!isConflict(error)) return;',
    world: {
      kinds: ['create-widget', 'resize-widget', 'delete-widget'],
      faults: ['store-refuses', 'store-full', 'lose-requests'],
      targets: ['operator', 'kube-apiserver'],
      operations: 60,
      faultCount: 16,
    },
  },
  {
    name: 'webhooks-move-objects',
    bug: 'the namespace of an object is not compared again after a webhook has changed it',
    file: 'src/apiserver/verbs/create.ts',
    text: '  checkNamespace(scope, object);\n  await betweenStages(scope);\n  const { generateName }',
    instead: '  const { generateName }',
    world: {
      kinds: ['create-mutating-webhook', 'create-deployment', 'apply-configmap'],
      faults: ['webhook-lies'],
      operations: 40,
      faultCount: 8,
    },
  },
  {
    name: 'rules-of-deleted-services-stay',
    bug: 'kube-proxy does not forget a Service that was deleted',
    file: 'src/kube-proxy/sync-rules.ts',
    text: 'this.#services.delete(key);',
    instead: '',
    world: { kinds: ['create-service', 'delete-service', 'create-deployment'] },
  },
];

/**
 * Replaces the text of a mutation while a bundle is built.
 * @param {Mutation} mutation
 * @returns {import('esbuild').Plugin}
 */
export function mutate({ name, file, text, instead }) {
  const target = path.join(root, file);
  return {
    name: `mutation ${name}`,
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, (loaded) => {
        if (loaded.path !== target) return undefined;
        return { contents: mutated({ name, file, text, instead }), loader: 'ts' };
      });
    },
  };
}

/**
 * The source with the bug in it.
 * @param {Pick<Mutation, 'name' | 'file' | 'text' | 'instead'>} mutation
 */
export function mutated({ name, file, text, instead }) {
  const parts = fs.readFileSync(path.join(root, file), 'utf8').split(text);
  if (parts.length !== 2) throw new Error(`mutation ${name}: its text occurs ${parts.length - 1} times in ${file}`);
  return parts.join(instead);
}
