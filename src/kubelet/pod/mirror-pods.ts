/** Mirror pods: API objects that show the static pods of this node. They cannot change the static pods. */
import type { Node, Pod } from '../../api/generated/core-v1.ts';
import { errorMessage } from '../../base/index.ts';
import { isAlreadyExists, isConflict, isNotFound, type Client } from '../../client/index.ts';
import { childContext, type Context } from '../../kernel/index.ts';
import { podKey } from './pod-identity.ts';
import { CONFIG_HASH, CONFIG_MIRROR } from './pod-resources.ts';

const RETRY_MS = 5000;

export class MirrorPods {
  readonly #ctx: Context;
  readonly #client: Client;
  readonly #node: () => Node | undefined;
  readonly #mirrors = new Map<string, Pod>();
  readonly #wanted = new Map<string, Pod>();
  readonly #working = new Map<string, Promise<void>>();

  constructor(ctx: Context, options: { client: Client; node: () => Node | undefined }) {
    this.#ctx = childContext(ctx, 'mirror');
    this.#client = options.client;
    this.#node = options.node;
  }

  mirrorOf(pod: Pod): Pod | undefined {
    return this.#mirrors.get(podKey(pod));
  }

  mirrorUpdated(mirror: Pod): void {
    this.#mirrors.set(podKey(mirror), mirror);
    const source = this.#wanted.get(podKey(mirror));
    if (source !== undefined && (mirror.metadata.deletionTimestamp !== undefined || !isMirrorOf(mirror, source)))
      this.#enqueue(podKey(mirror));
  }

  mirrorDeleted(mirror: Pod): void {
    this.#mirrors.delete(podKey(mirror));
    if (this.#wanted.has(podKey(mirror))) this.#enqueue(podKey(mirror));
  }

  /** Creates the mirror pod, and recreates it until `remove`. */
  ensure(pod: Pod): void {
    this.#wanted.set(podKey(pod), pod);
    this.#enqueue(podKey(pod));
  }

  remove(pod: Pod): void {
    const current = this.#wanted.get(podKey(pod));
    if (current !== undefined && current.metadata.uid !== pod.metadata.uid) return;
    this.#wanted.delete(podKey(pod));
    this.#enqueue(podKey(pod));
  }

  removeOrphan(mirror: Pod): void {
    if (!this.#wanted.has(podKey(mirror))) this.#enqueue(podKey(mirror));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#working.values());
  }

  #enqueue(key: string): void {
    const before = this.#working.get(key) ?? Promise.resolve();
    const next = before
      .then(() => this.#reconcile(key))
      .finally(() => {
        if (this.#working.get(key) === next) this.#working.delete(key);
      });
    this.#working.set(key, next);
  }

  async #reconcile(key: string): Promise<void> {
    const { clock, signal, logger } = this.#ctx;
    while (!signal.aborted) {
      const source = this.#wanted.get(key);
      const mirror = this.#mirrors.get(key);
      try {
        if (
          mirror !== undefined &&
          (source === undefined || !isMirrorOf(mirror, source) || mirror.metadata.deletionTimestamp !== undefined)
        ) {
          await this.#delete(mirror);
          this.#mirrors.delete(key);
        }
        if (source !== undefined && !this.#mirrors.has(key)) await this.#create(source);
        return;
      } catch (error) {
        if (signal.aborted) return;
        logger.v(1).info('Failed to reconcile a mirror pod', { pod: key, err: errorMessage(error) });
        await clock.sleep(RETRY_MS, signal).catch(() => {});
      }
    }
  }

  async #delete({ metadata: { name = '', namespace, uid } }: Pod): Promise<void> {
    await this.#client
      .resource('v1/pods')
      .delete({ namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal: this.#ctx.signal })
      .catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
  }

  async #create(source: Pod): Promise<void> {
    const node = this.#node();
    if (node === undefined) throw new Error('the node is not registered yet');
    const { uid: _, ...metadata } = source.metadata;
    const copy: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, [CONFIG_MIRROR]: metadata.annotations?.[CONFIG_HASH] ?? '' },
        ownerReferences: [
          {
            apiVersion: 'v1',
            kind: 'Node',
            name: node.metadata.name ?? '',
            uid: node.metadata.uid ?? '',
            controller: true,
          },
        ],
      },
      spec: source.spec,
    };
    try {
      this.#mirrors.set(
        podKey(source),
        await this.#client.resource('v1/pods').create(copy, { signal: this.#ctx.signal }),
      );
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

const isMirrorOf = (mirror: Pod, source: Pod): boolean =>
  mirror.metadata.annotations?.[CONFIG_MIRROR] === source.metadata.annotations?.[CONFIG_HASH];
