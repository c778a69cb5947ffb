/**
 * The post-start hooks: what the server does at its start, under upstream's names. Each is a health check that fails until
 * the hook has run.
 */
import { whenDone, type MaybePromise } from '../../base/index.ts';
import type { HealthCheck } from '../../component-server/index.ts';

/** In the order of the health checks. */
const HOOKS = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-kube-apiserver-coordinated-leader-election-controller',
  'peer-endpoint-reconciler-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'storage-readiness',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'aggregator-reload-proxy-client-cert',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
] as const;

export type PostStartHook = (typeof HOOKS)[number];

/** Without API Priority and Fairness there is nothing to start; its default objects are kept nevertheless. */
const OF_FLOW_CONTROL: readonly PostStartHook[] = [
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
];

const OF_LEADER_ELECTION: PostStartHook = 'start-kube-apiserver-coordinated-leader-election-controller';

interface PostStartHooksOptions {
  readonly flowControl: boolean;
  readonly coordinatedLeaderElection?: boolean;
}

export class PostStartHooks {
  readonly #finished = new Set<PostStartHook>();
  readonly #hooks: readonly PostStartHook[];

  constructor({ flowControl, coordinatedLeaderElection = false }: PostStartHooksOptions = { flowControl: true }) {
    this.#hooks = HOOKS.filter(
      (hook) =>
        (flowControl || !OF_FLOW_CONTROL.includes(hook)) && (coordinatedLeaderElection || hook !== OF_LEADER_ELECTION),
    );
  }

  /** The hooks have run when the work is done. */
  run<T>(hooks: PostStartHook | readonly PostStartHook[], work: () => MaybePromise<T>): MaybePromise<T> {
    return whenDone(work(), (result) => {
      this.#finish(hooks);
      return result;
    });
  }

  /** Starts a controller that runs until the server ends: the hooks have run when it has been started. */
  start(hooks: PostStartHook | readonly PostStartHook[], controller: () => Promise<void>): Promise<void> {
    const running = controller();
    this.#finish(hooks);
    return running;
  }

  get checks(): HealthCheck[] {
    return this.#hooks.map((hook) => ({
      name: `poststarthook/${hook}`,
      check: () => (this.#finished.has(hook) ? undefined : 'not finished'),
    }));
  }

  #finish(hooks: PostStartHook | readonly PostStartHook[]): void {
    for (const hook of [hooks].flat() as PostStartHook[]) this.#finished.add(hook);
  }
}
