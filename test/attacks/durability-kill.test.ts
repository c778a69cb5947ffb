import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RealClock, SeededRandom } from '../../src/kernel/index.ts';
import { ApiConnection, ConnectionBroken, type KubeAnswer } from '../api-connection.ts';
import { type K8tsProcess, startK8ts } from '../k8ts-process.ts';
import { everything } from '../requires.ts';

const clock = new RealClock();
const random = new SeededRandom('apiserver-crash');
const ROUNDS = everything ? 50 : 3;
const LANES = 16;
const PATH = '/api/v1/namespaces/default/configmaps';
const SELECTOR = '?labelSelector=test%3Dcrash';

/** What the server has told us that it did. */
interface Told {
  /** The last acknowledged step of every lane's counter, and its resourceVersion. */
  readonly counters: Map<string, { step: number; revision: number }>;
  /** Objects whose creation was acknowledged. */
  readonly created: Set<string>;
  readonly deleted: Set<string>;
  acknowledged: number;
}

/** What a watcher has seen, through all restarts. */
interface Seen {
  revision: number;
  readonly counterSteps: Map<string, number[]>;
  readonly existing: Map<string, number>;
  events: number;
  repeats: string[];
}

describe('kill -9 under write load', () => {
  it(`loses no acknowledged write and no event, ${ROUNDS} times`, { timeout: ROUNDS * 30_000 + 60_000 }, async () => {
    const dataDirectory = mkdtempSync(join(tmpdir(), 'k8ts-apiserver-crash-'));
    const told: Told = { counters: new Map(), created: new Set(), deleted: new Set(), acknowledged: 0 };
    const seen: Seen = { revision: 0, counterSteps: new Map(), existing: new Map(), events: 0, repeats: [] };
    let k8ts: K8tsProcess | undefined;
    try {
      for (let round = 0; round < ROUNDS; round++) {
        k8ts = await startK8ts({ dataDirectory, flags: ['--controllers', 'none'] });
        await checkEverythingIsThere(k8ts, told);
        await writeUntilKilled(k8ts, told, seen, round);
      }
      k8ts = await startK8ts({ dataDirectory, flags: ['--controllers', 'none'] });
      const items = await checkEverythingIsThere(k8ts, told);
      await watchUntilCurrent(k8ts, seen);
      checkEvents(seen, items);
      console.log(`crash test: ${ROUNDS} kills, ${told.acknowledged} acknowledged writes, ${seen.events} events`);
      expect(told.acknowledged).toBeGreaterThan(ROUNDS * 20);
    } finally {
      await k8ts?.stop('SIGKILL');
      rmSync(dataDirectory, { recursive: true, force: true });
    }
  });
});

async function writeUntilKilled(k8ts: K8tsProcess, told: Told, seen: Seen, round: number): Promise<void> {
  const connections = [0, 1].map(() => new ApiConnection(k8ts.server, k8ts.credentials));
  const watching = watchInto(connections[0]!, seen);
  const lanes = Array.from({ length: LANES }, (_, lane) => writeLane(connections[lane % 2]!, `${lane}`, round, told).catch(unlessBroken));
  await clock.sleep(100 + random.integer(700));
  await k8ts.stop('SIGKILL');
  for (const connection of connections) connection.close();
  await Promise.all([...lanes, watching]);
}

function unlessBroken(error: unknown): void {
  if (!(error instanceof ConnectionBroken)) throw error;
}

/** Counts its own object up, and makes and removes others, until the connection breaks. */
async function writeLane(api: ApiConnection, lane: string, round: number, told: Told): Promise<void> {
  const counter = `counter-${lane}`;
  let current = await readOrCreate(api, counter, told);
  for (let i = 0; ; i++) {
    const step = stepOf(current) + 1;
    const answer = await api.call('PUT', `${PATH}/${counter}`, { body: { ...current, data: { step: String(step) } } });
    expect(answer.status).toBe(200);
    current = answer.json();
    told.counters.set(counter, { step, revision: Number(current.metadata.resourceVersion) });
    told.acknowledged++;

    const name = `object-${round}-${lane}-${i}`;
    expect((await api.call('POST', PATH, { body: configMap(name, 'x'.repeat((i * 97) % 2000)) })).status).toBe(201);
    told.created.add(name);
    told.acknowledged++;
    if (i % 3 !== 2) continue;
    told.created.delete(name);
    expect((await api.call('DELETE', `${PATH}/${name}`)).status).toBe(200);
    told.deleted.add(name);
    told.acknowledged++;
  }
}

async function readOrCreate(api: ApiConnection, name: string, told: Told): Promise<KubeAnswer> {
  const existing = await api.call('GET', `${PATH}/${name}`);
  if (existing.status === 200) return existing.json();
  const created = (await api.call('POST', PATH, { body: configMap(name, '', { step: '0' }) })).json();
  told.counters.set(name, { step: 0, revision: Number(created.metadata.resourceVersion) });
  return created;
}

const configMap = (name: string, filling: string, data: Record<string, string> = { filling }): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { test: 'crash' } },
  data,
});

const stepOf = (object: KubeAnswer): number => Number((object['data'] as { step: string }).step);

async function checkEverythingIsThere(k8ts: K8tsProcess, told: Told): Promise<Map<string, KubeAnswer>> {
  const api = new ApiConnection(k8ts.server, k8ts.credentials);
  const list = (await api.call('GET', PATH + SELECTOR)).json();
  api.close();
  const items = new Map((list['items'] as KubeAnswer[]).map((item) => [item.metadata.name, item]));
  for (const [name, { step, revision }] of told.counters) {
    const found = items.get(name);
    expect(found, name).toBeDefined();
    // The step after it may have been written although its answer did not get out.
    expect([step, step + 1]).toContain(stepOf(found!));
    if (stepOf(found!) === step) expect(Number(found!.metadata.resourceVersion)).toBe(revision);
  }
  for (const name of told.created) expect(items.has(name), name).toBe(true);
  for (const name of told.deleted) expect(items.has(name), name).toBe(false);
  return items;
}

async function watchInto(api: ApiConnection, seen: Seen, until = Number.POSITIVE_INFINITY): Promise<void> {
  for await (const { type, object } of api.watch(`${PATH}${SELECTOR}&watch=true&resourceVersion=${seen.revision || 1}`)) {
    if (type === 'ERROR') throw new Error(`the watch cannot resume: ${JSON.stringify(object)}`);
    const revision = Number(object.metadata.resourceVersion);
    if (revision <= seen.revision) seen.repeats.push(`${type} ${object.metadata.name} at ${revision} after ${seen.revision}`);
    seen.revision = revision;
    seen.events++;
    take(seen, type, object);
    if (revision >= until) return;
  }
}

function take(seen: Seen, type: string, object: KubeAnswer): void {
  const { name } = object.metadata;
  if (type === 'DELETED') seen.existing.delete(name);
  else seen.existing.set(name, Number(object.metadata.resourceVersion));
  if (!name.startsWith('counter-')) return;
  const steps = seen.counterSteps.get(name) ?? [];
  seen.counterSteps.set(name, steps);
  steps.push(stepOf(object));
}

async function watchUntilCurrent(k8ts: K8tsProcess, seen: Seen): Promise<void> {
  const api = new ApiConnection(k8ts.server, k8ts.credentials);
  const last = (await api.call('POST', PATH, { body: configMap('last', '') })).json();
  await watchInto(api, seen, Number(last.metadata.resourceVersion));
  api.close();
}

/** Every step of every counter once and in order, and in the end exactly what the server has. */
function checkEvents(seen: Seen, items: Map<string, KubeAnswer>): void {
  expect(seen.repeats).toEqual([]);
  for (const [name, steps] of seen.counterSteps) expect(steps, name).toEqual(steps.map((_, i) => i));
  seen.existing.delete('last');
  expect(seen.existing).toEqual(new Map([...items].map(([name, { metadata }]) => [name, Number(metadata.resourceVersion)])));
}
