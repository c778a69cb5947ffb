/** One object, followed by a watch. */
import { signal, type Signal } from '@preact/signals';
import { T } from '../texts.ts';
import type { ApiObject, ObjectList } from './objects.ts';
import { api, ApiError, messageOf, openSocket } from './request.ts';
import { apiVersionOf, nameSelector, pathOf, type ResourceType } from './resources.ts';

const RETRY_MS = 2000;

export class LiveObject {
  readonly object: Signal<ApiObject | undefined> = signal(undefined);
  readonly deleted: Signal<boolean> = signal(false);
  readonly error: Signal<string | undefined> = signal(undefined);
  readonly #closed = new AbortController();
  readonly #type: ResourceType;
  readonly #namespace: string;
  readonly #name: string;
  readonly #revision: number;
  #socket: WebSocket | undefined;
  #timer: number | undefined;

  constructor(
    type: ResourceType,
    place: { readonly namespace: string; readonly name: string; readonly revision: number },
  ) {
    this.#type = type;
    this.#namespace = place.namespace;
    this.#name = place.name;
    this.#revision = place.revision;
    void this.#read();
  }

  close(): void {
    this.#closed.abort();
    this.#socket?.close();
    clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    const place = { namespace: this.#namespace, name: this.#name };
    try {
      if (this.#revision > 0) return await this.#readPast();
      const object = await api<ApiObject>(pathOf(this.#type, place), { signal: this.#closed.signal });
      this.object.value = object;
      this.error.value = undefined;
      this.deleted.value = false;
      if (this.#type.verbs.has('watch')) this.#watch(object.metadata.resourceVersion ?? '');
    } catch (error) {
      if (this.#closed.signal.aborted) return;
      if (error instanceof ApiError && error.code === 404 && this.object.value) this.deleted.value = true;
      else this.error.value = messageOf(error);
      this.#again();
    }
  }

  /** Only lists can be read at a revision. */
  async #readPast(): Promise<void> {
    const query = new URLSearchParams({
      fieldSelector: nameSelector(this.#name),
      resourceVersion: String(this.#revision),
      resourceVersionMatch: 'Exact',
    });
    const path = `${pathOf(this.#type, { namespace: this.#namespace })}?${query.toString()}`;
    const { items } = await api<ObjectList>(path, { signal: this.#closed.signal });
    const [found] = items;
    if (found) this.object.value = { kind: this.#type.kind, apiVersion: apiVersionOf(this.#type), ...found };
    this.error.value = found ? undefined : T.past.notThere;
  }

  #watch(version: string): void {
    const query = new URLSearchParams({
      watch: 'true',
      fieldSelector: nameSelector(this.#name),
      resourceVersion: version,
    });
    const socket = openSocket(`${pathOf(this.#type, { namespace: this.#namespace })}?${query.toString()}`);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      if (typeof data !== 'string' || data === '') return;
      const event = JSON.parse(data) as { type: string; object: ApiObject };
      if (event.type === 'ERROR') socket.close();
      if (event.type === 'ERROR' || event.type === 'BOOKMARK') return;
      this.deleted.value = event.type === 'DELETED';
      this.object.value = event.object;
    });
    socket.addEventListener('close', () => this.#again());
  }

  #again(): void {
    if (!this.#closed.signal.aborted) this.#timer = window.setTimeout(() => void this.#read(), RETRY_MS);
  }
}
