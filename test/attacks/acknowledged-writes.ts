import { expect } from 'vitest';
import type { Clock } from '../../src/kernel/index.ts';
import { type ApiAnswer, type ApiConnection, ConnectionBroken, type KubeAnswer } from '../api-connection.ts';

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const SELECTOR = '?labelSelector=test%3Ddurability';
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

/** What the server has told about one object. */
interface Known {
  /** The newest acknowledged resourceVersion; undefined when the object does not exist. */
  revision: number | undefined;
  /** A request whose answer has not come: it may have been done, or not. */
  inFlight: 'write' | 'delete' | undefined;
}

/** Writes through the API, and remembers what was acknowledged, so that it can be looked for after a disaster. */
export class AcknowledgedWrites {
  readonly #known = new Map<string, Known>();
  /** Answers that refused a write. */
  readonly refused: KubeAnswer[] = [];
  count = 0;

  /**
   * One of many writers, until the connection breaks or `stopped` says so: counts its own object up by updates, patches
   * and applies in turn, and creates, patches, applies and deletes others.
   */
  async writeLane(
    api: ApiConnection,
    { lane, round, stopped = () => false }: { lane: string; round: number; stopped?: () => boolean },
  ): Promise<void> {
    try {
      let counter = await this.#counter(api, lane);
      for (let i = 0; !stopped(); i++) {
        counter = (await this.#countUp(api, counter, i)) ?? counter;
        await this.#writeOthers(api, `${round}-${lane}-${i}`, i);
      }
    } catch (error) {
      if (!(error instanceof ConnectionBroken)) throw error;
    }
  }

  /** Resolves when so many more writes have been acknowledged: a busy machine takes longer for them. */
  async acknowledged(clock: Clock, more: number): Promise<void> {
    const enough = this.count + more;
    while (this.count < enough) await clock.sleep(2);
  }

  /** Creates one object; undefined when the server has refused it. */
  async create(api: ApiConnection, name: string, filling = ''): Promise<KubeAnswer | undefined> {
    return this.#write(api, 'POST', `${CONFIG_MAPS}/${name}`, { body: configMap(name, { filling }) });
  }

  /** Everything that was acknowledged is there, in the version that was acknowledged, and nothing that was deleted. */
  async checkKept(api: ApiConnection): Promise<Map<string, KubeAnswer>> {
    const found = new Map<string, KubeAnswer>();
    for (const path of [CONFIG_MAPS, SECRETS]) {
      const answer = await api.call('GET', path + SELECTOR);
      expect(answer.status, answer.body.toString().slice(0, 500)).toBe(200);
      for (const item of answer.json()['items'] as KubeAnswer[]) found.set(`${path}/${item.metadata.name}`, item);
    }
    for (const [path, known] of this.#known) {
      const now = found.get(path);
      const revision = now && Number(now.metadata.resourceVersion);
      if (known.inFlight === undefined) expect(revision, path).toBe(known.revision);
      else if (known.inFlight === 'delete') expect([known.revision, undefined], path).toContain(revision);
      else if (revision === undefined) expect(known.revision, path).toBeUndefined();
      else expect(revision, path).toBeGreaterThanOrEqual(known.revision ?? 0);
      if (now && path.startsWith(SECRETS))
        expect((now['data'] as { name: string }).name, path).toBe(Buffer.from(now.metadata.name).toString('base64'));
      this.#known.set(path, { revision, inFlight: undefined });
    }
    expect(
      [...found.keys()].filter((path) => !this.#known.has(path)),
      'nothing that nobody wrote',
    ).toEqual([]);
    return found;
  }

  async #counter(api: ApiConnection, lane: string): Promise<KubeAnswer> {
    const path = `${CONFIG_MAPS}/counter-${lane}`;
    const existing = await api.call('GET', path);
    if (existing.status === 200) return existing.json();
    const created = await this.#write(api, 'POST', path, { body: configMap(`counter-${lane}`, { step: '0' }) });
    if (created === undefined) throw new Error(`could not create counter-${lane}`);
    return created;
  }

  #countUp(api: ApiConnection, counter: KubeAnswer, i: number): Promise<KubeAnswer | undefined> {
    const { name } = counter.metadata;
    const path = `${CONFIG_MAPS}/${name}`;
    const data = { step: String(stepOf(counter) + 1) };
    if (i % 3 === 0) return this.#write(api, 'PUT', path, { body: { ...counter, data } });
    if (i % 3 === 1) return this.#write(api, 'PATCH', path, { body: { data }, headers: MERGE_PATCH });
    return this.#write(api, 'PATCH', `${path}`, { body: configMap(name, data), headers: APPLY });
  }

  async #writeOthers(api: ApiConnection, suffix: string, i: number): Promise<void> {
    const name = `object-${suffix}`;
    const path = `${CONFIG_MAPS}/${name}`;
    if (!(await this.create(api, name, 'x'.repeat((i * 97) % 2000)))) return;
    if (i % 4 === 0)
      await this.#write(api, 'PATCH', path, { body: { data: { patched: 'yes' } }, headers: MERGE_PATCH });
    if (i % 4 === 1)
      await this.#write(api, 'PATCH', path, { body: configMap(name, { applied: 'yes' }), headers: APPLY });
    if (i % 4 === 2) await this.#write(api, 'DELETE', path, {});
    if (i % 4 === 3)
      await this.#write(api, 'POST', `${SECRETS}/${name}`, {
        body: { ...configMap(name, {}), kind: 'Secret', data: { name: Buffer.from(name).toString('base64') } },
      });
  }

  /** `path` names the object; a POST goes to its collection. */
  async #write(
    api: ApiConnection,
    method: string,
    path: string,
    { body, headers }: { body?: object; headers?: Record<string, string> },
  ): Promise<KubeAnswer | undefined> {
    const known = this.#known.get(path) ?? { revision: undefined, inFlight: undefined };
    this.#known.set(path, known);
    known.inFlight = method === 'DELETE' ? 'delete' : 'write';
    const url =
      method === 'POST'
        ? path.slice(0, path.lastIndexOf('/'))
        : headers === APPLY
          ? `${path}?fieldManager=durability&force=true`
          : path;
    const answer = await api.call(method, url, { ...(body ? { body } : {}), ...(headers ? { headers } : {}) });
    known.inFlight = undefined;
    if (!isSuccess(answer)) {
      this.refused.push(answer.json());
      return undefined;
    }
    const object = answer.json();
    known.revision = method === 'DELETE' ? undefined : Number(object.metadata.resourceVersion);
    this.count++;
    return object;
  }
}

const isSuccess = ({ status }: ApiAnswer): boolean => status >= 200 && status < 300;

export const configMap = (name: string, data: Record<string, string>): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { test: 'durability' } },
  data,
});

const stepOf = (object: KubeAnswer): number => Number((object['data'] as { step: string }).step);

/** A watcher of the ConfigMaps that resumes where it was, through all restarts. */
export class ResumedWatch {
  revision: number;
  events = 0;
  readonly #steps = new Map<string, number[]>();
  readonly #existing = new Map<string, number>();
  readonly #repeats: string[] = [];

  constructor(fromRevision: number) {
    this.revision = fromRevision;
  }

  /** Until the connection breaks, or the watch has seen `until`. */
  async follow(api: ApiConnection, until = Number.POSITIVE_INFINITY): Promise<void> {
    for await (const { type, object } of api.watch(
      `${CONFIG_MAPS}${SELECTOR}&watch=true&resourceVersion=${this.revision}`,
    )) {
      if (type === 'ERROR') throw new Error(`the watch cannot resume: ${JSON.stringify(object)}`);
      const revision = Number(object.metadata.resourceVersion);
      if (revision <= this.revision)
        this.#repeats.push(`${type} ${object.metadata.name} at ${revision} after ${this.revision}`);
      this.revision = revision;
      this.events++;
      this.#take(type, object);
      if (revision >= until) return;
    }
  }

  /** Every step of every counter came once and in order, and in the end there is exactly what the server has. */
  check(found: ReadonlyMap<string, KubeAnswer>): void {
    expect(this.#repeats).toEqual([]);
    for (const [name, steps] of this.#steps) expect(steps, name).toEqual(steps.map((_, i) => i));
    const objects = [...found].filter(([path]) => path.startsWith(CONFIG_MAPS));
    expect(this.#existing).toEqual(
      new Map(objects.map(([, { metadata }]) => [metadata.name, Number(metadata.resourceVersion)])),
    );
  }

  #take(type: string, object: KubeAnswer): void {
    const { name } = object.metadata;
    if (type === 'DELETED') this.#existing.delete(name);
    else this.#existing.set(name, Number(object.metadata.resourceVersion));
    if (!name.startsWith('counter-')) return;
    const steps = this.#steps.get(name) ?? [];
    this.#steps.set(name, steps);
    steps.push(stepOf(object));
  }
}
