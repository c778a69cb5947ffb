/**
 * An API server that costs nothing, to measure what a component does by itself: nodes and pods in memory, lists, watches,
 * bindings, deletions, and every other write accepted without a look.
 */
import type { Node, Pod } from '../src/api/generated/core-v1.ts';
import type { Transport, TransportRequest, TransportResponse, WatchEvent } from '../src/client/index.ts';

export class FreeApiServer implements Transport {
  readonly #pods = new Map<string, Pod>();
  readonly #nodes: Node[];
  readonly #watchers = new Map<string, EventQueue[]>();
  #revision = 1;
  bound = 0;

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes.map((node, i) => ({
      ...node,
      metadata: { ...node.metadata, uid: `node-${i}`, resourceVersion: '1' },
    }));
  }

  createPod(pod: Pod): void {
    const name = pod.metadata.name ?? `${pod.metadata.generateName}${this.#revision}`;
    const key = `${pod.metadata.namespace}/${name}`;
    const created: Pod = {
      ...pod,
      metadata: { ...pod.metadata, name, uid: `uid-${key}`, resourceVersion: this.#next(), generation: 1 },
      spec: { priority: 0, schedulerName: 'default-scheduler', ...pod.spec! },
      status: { phase: 'Pending' },
    };
    this.#pods.set(key, created);
    this.#tell('pods', { type: 'ADDED', object: created });
  }

  request(request: TransportRequest): Promise<TransportResponse> {
    return Promise.resolve({ status: 200, headers: {}, body: this.#answer(request) });
  }

  watch(request: TransportRequest): Promise<AsyncIterable<WatchEvent<unknown>>> {
    const resource = request.path.split('/').at(-1)!;
    const queue = new EventQueue(request.signal);
    this.#watchers.set(resource, [...(this.#watchers.get(resource) ?? []), queue]);
    if (request.query?.['sendInitialEvents'] === true) {
      for (const object of this.#list(resource)) queue.push({ type: 'ADDED', object });
      queue.push({
        type: 'BOOKMARK',
        object: {
          metadata: { resourceVersion: String(this.#revision), annotations: { 'k8s.io/initial-events-end': 'true' } },
        },
      });
    }
    return Promise.resolve(queue);
  }

  stream(): Promise<AsyncIterable<Uint8Array>> {
    return Promise.reject(new Error('there are no streams here'));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #answer({ method, path, body }: TransportRequest): unknown {
    if (method === 'GET')
      return { metadata: { resourceVersion: String(this.#revision) }, items: this.#list(path.split('/').at(-1)!) };
    const [, , , , namespace, plural, name, subresource] = path.split('/');
    const key = `${namespace}/${name}`;
    const pod = plural === 'pods' ? this.#pods.get(key) : undefined;
    if (pod === undefined) return body ?? {};
    if (method === 'DELETE') {
      this.#pods.delete(key);
      this.#tell('pods', {
        type: 'DELETED',
        object: { ...pod, metadata: { ...pod.metadata, resourceVersion: this.#next() } },
      });
    } else if (subresource === 'binding') {
      const { target } = body as { target: { name: string } };
      this.bound++;
      this.#change(key, { ...pod, spec: { ...pod.spec!, nodeName: target.name } });
    } else if (method === 'PATCH') {
      const { status } = body as { status: Pod['status'] };
      this.#change(key, {
        ...pod,
        status: {
          ...pod.status,
          nominatedNodeName: status?.nominatedNodeName ?? undefined,
          conditions: status?.conditions ?? pod.status?.conditions,
        },
      });
    }
    return {};
  }

  #change(key: string, pod: Pod): void {
    const changed = { ...pod, metadata: { ...pod.metadata, resourceVersion: this.#next() } };
    this.#pods.set(key, changed);
    this.#tell('pods', { type: 'MODIFIED', object: changed });
  }

  #list(resource: string): unknown[] {
    if (resource === 'nodes') return this.#nodes;
    return resource === 'pods' ? [...this.#pods.values()] : [];
  }

  #tell(resource: string, event: WatchEvent<unknown>): void {
    for (const queue of this.#watchers.get(resource) ?? []) queue.push(event);
  }

  #next(): string {
    return String(++this.#revision);
  }
}

class EventQueue implements AsyncIterable<WatchEvent<unknown>> {
  #waiting: WatchEvent<unknown>[] = [];
  #wake: (() => void) | undefined;
  readonly #signal: AbortSignal | undefined;

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  push(event: WatchEvent<unknown>): void {
    this.#waiting.push(event);
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent<unknown>> {
    while (this.#signal?.aborted !== true) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const event of batch) yield event;
      if (this.#waiting.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    throw this.#signal.reason as Error;
  }
}
