/** The availability controller: checks the servers of APIServices periodically and on changes, and sets the Available condition. */
import type { APIServiceCondition } from '../../api/generated/apiregistration-v1.ts';
import type { Service } from '../../api/generated/core-v1.ts';
import type { EndpointSlice } from '../../api/generated/discovery-v1.ts';
import { errorMessage, formatTime, quote } from '../../base/index.ts';
import { ItemExponentialFailureRateLimiter, runWorkers, WorkQueue, type Context } from '../../kernel/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { authorityOf, connectionErrorText } from '../dial/index.ts';
import type { Registry } from '../registry/registry.ts';
import type { Loopback } from '../request/loopback.ts';
import { identityHeaders, type RemoteConnections } from './remote-connection.ts';
import { remoteServiceOf, rootPath, type APIServiceObject, type RemoteService } from './remote-service.ts';
import { withDeadline } from './with-deadline.ts';

const RESYNC_MS = 30_000;
const CHECK_TIMEOUT_MS = 5000;
const ATTEMPTS = 5;
const WORKERS = 5;
const AGGREGATOR_IDENTITY = identityHeaders({ name: 'system:kube-aggregator', groups: ['system:masters'] });

type Availability = Pick<APIServiceCondition, 'status' | 'reason' | 'message'>;

const unavailable = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

const isUnavailable = ({ status }: APIServiceObject): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Available' && value !== 'True') ?? false;

export class AvailabilityController {
  readonly #queue: WorkQueue<string>;
  readonly #ctx: Context;
  readonly #registry: Registry;
  readonly #connections: RemoteConnections;
  readonly #loopback: Loopback;

  constructor(ctx: Context, registry: Registry, connections: RemoteConnections, loopback: Loopback) {
    this.#ctx = ctx;
    this.#registry = registry;
    this.#connections = connections;
    this.#loopback = loopback;
    this.#queue = new WorkQueue({
      name: 'RemoteAvailabilityController',
      clock: ctx.clock,
      metrics: ctx.metrics,
      rateLimiter: new ItemExponentialFailureRateLimiter(5, RESYNC_MS),
    });
    ctx.metrics
      .gauge({
        name: 'aggregator_unavailable_apiservice',
        help: 'Whether an APIService is unavailable, by name.',
        labels: ['name'],
      })
      .collectEach(() =>
        registry
          .require('apiregistration.k8s.io', 'v1', 'apiservices')
          .cache.list()
          .map(({ name, object }) => ({
            labels: { name },
            value: isUnavailable(object as APIServiceObject) ? 1 : 0,
          })),
      );
  }

  async run(): Promise<void> {
    const services = this.#registry.require('apiregistration.k8s.io', 'v1', 'apiservices').cache;
    const enqueueService = (namespace: string, name: string): void => {
      for (const { object } of services.list()) {
        const remote = remoteServiceOf(object as APIServiceObject);
        if (remote?.service.namespace === namespace && remote.service.name === name) this.#queue.add(remote.name);
      }
    };
    const enqueueAll = (): void => {
      for (const { object, name } of services.list())
        if ((object as APIServiceObject).spec?.service) this.#queue.add(name);
    };
    const stops = [
      services.watch({ scope: '', deliver: ({ entry }) => this.#queue.add(entry.name) }),
      this.#registry
        .require('', 'v1', 'services')
        .cache.watch({ scope: '', deliver: ({ entry }) => enqueueService(entry.namespace, entry.name) }),
      this.#registry.require('discovery.k8s.io', 'v1', 'endpointslices').cache.watch({
        scope: '',
        deliver: ({ entry }) =>
          enqueueService(entry.namespace, entry.object.metadata.labels?.['kubernetes.io/service-name'] ?? ''),
      }),
    ];
    const timer = this.#ctx.clock.every(RESYNC_MS, enqueueAll);
    enqueueAll();
    try {
      await runWorkers({
        queue: this.#queue,
        workers: WORKERS,
        handle: (name) => this.#check(name),
        signal: this.#ctx.signal,
      });
    } finally {
      timer.cancel();
      for (const stop of stops) stop();
    }
  }

  async #check(name: string): Promise<void> {
    const object = this.#registry.lookup('apiregistration.k8s.io', 'v1', 'apiservices', '', name) as
      | APIServiceObject
      | undefined;
    const remote = object && remoteServiceOf(object);
    if (!remote) return this.#connections.forget(name);
    const availability = this.#findEndpoints(remote) ?? (await this.#tryDiscovery(remote));
    await this.#report(remote, availability);
    // Throw to retry with back-off: no event tells when the server comes back.
    if (availability.reason === 'FailedDiscoveryCheck') throw new Error(availability.message);
  }

  /** Checks the Service and its EndpointSlices; undefined if the Service has endpoints. */
  #findEndpoints({ service: { namespace, name, port } }: RemoteService): Availability | undefined {
    const service = this.#registry.lookup('', 'v1', 'services', namespace, name) as (Service & KubeObject) | undefined;
    const where = `service/${name} in ${quote(namespace)}`;
    if (!service) return unavailable('ServiceNotFound', `${where} is not present`);
    if ((service.spec?.type ?? 'ClusterIP') !== 'ClusterIP') return undefined;
    const servicePort = service.spec?.ports?.find((candidate) => candidate.port === port);
    if (!servicePort) return unavailable('ServicePortError', `${where} is not listening on port ${port}`);
    const slices: EndpointSlice[] = [];
    for (const { object } of this.#registry.require('discovery.k8s.io', 'v1', 'endpointslices').cache.list(namespace)) {
      if (object.metadata.labels?.['kubernetes.io/service-name'] === name)
        slices.push(object as EndpointSlice & KubeObject);
    }
    if (slices.length === 0) return unavailable('EndpointsNotFound', `cannot find endpointslices for ${where}`);
    const portName = servicePort.name ?? '';
    const ready = slices.some(
      ({ endpoints, ports }) =>
        endpoints?.some(({ conditions }) => conditions?.ready !== false) &&
        ports?.some((candidate) => (candidate.name ?? '') === portName && candidate.port !== undefined),
    );
    return ready
      ? undefined
      : unavailable(
          'MissingEndpoints',
          `endpointslices for ${where} have no addresses with port name ${quote(portName)}`,
        );
  }

  /** One successful attempt of several is enough. */
  async #tryDiscovery(remote: RemoteService): Promise<Availability> {
    try {
      await Promise.any(Array.from({ length: ATTEMPTS }, () => this.#tryOnce(remote)));
      return { status: 'True', reason: 'Passed', message: 'all checks passed' };
    } catch (error) {
      const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error;
      return unavailable('FailedDiscoveryCheck', errorMessage(last));
    }
  }

  async #tryOnce(remote: RemoteService): Promise<void> {
    const endpoint = this.#connections.locate(remote);
    const url = `https://${authorityOf(endpoint)}${rootPath(remote)}`;
    const status = await withDeadline(this.#ctx, CHECK_TIMEOUT_MS, async (signal) => {
      try {
        const answer = await this.#connections.send(remote, endpoint, {
          method: 'GET',
          path: rootPath(remote),
          headers: AGGREGATOR_IDENTITY,
          signal,
        });
        answer.resume();
        return answer.statusCode ?? 0;
      } catch (error) {
        const why = signal.aborted ? 'context deadline exceeded' : connectionErrorText(error);
        throw new Error(`failing or missing response from ${url}: Get ${quote(url)}: ${why}`, { cause: error });
      }
    });
    if (status < 200 || status >= 300)
      throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
  }

  async #report({ name, object }: RemoteService, availability: Availability): Promise<void> {
    const conditions = object.status?.conditions ?? [];
    const old = conditions.find(({ type }) => type === 'Available');
    if (
      old &&
      old.status === availability.status &&
      old.reason === availability.reason &&
      old.message === availability.message
    )
      return;
    const lastTransitionTime =
      old?.status === availability.status && old.lastTransitionTime
        ? old.lastTransitionTime
        : formatTime(this.#ctx.clock.now());
    const condition: APIServiceCondition = { type: 'Available', ...availability, lastTransitionTime };
    const status = {
      ...object.status,
      conditions: old ? conditions.map((other) => (other === old ? condition : other)) : [...conditions, condition],
    };
    try {
      await this.#loopback('PUT', `/apis/apiregistration.k8s.io/v1/apiservices/${name}/status`, { ...object, status });
    } catch (error) {
      // The APIService has changed or is gone: an event will follow.
      if (!isStatusError(error, 'Conflict') && !isStatusError(error, 'NotFound')) throw error;
    }
  }
}
