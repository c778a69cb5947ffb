import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiConnection } from '../api-connection.ts';
import { everything } from '../requires.ts';
import { timeCorpus, type CostlyRequest } from './time-corpus.ts';
import { cannotWatchTurns, MAX_TURN_MS, startWatchedK8ts, type WatchedK8ts } from './turn-watchdog.ts';

if (cannotWatchTurns) console.warn(`time: skipped, ${cannotWatchTurns}`);

/**
 * Requests of a megabyte that still keep the main thread for more than 50 ms in one turn, most of them for 50 to 200. The list
 * only gets shorter: a request that is not in it must stay below.
 */
const OVER: ReadonlySet<string> = new Set([
  'JSON patch: a deep path',
  'JSON patch: a long path',
  'JSON patch: copies of much',
  'JSON patch: copies that double',
  'JSON patch: insertions at the front',
  'JSON patch: many additions',
  'JSON patch: moves of much',
  'JSON patch: removals at the front',
  'JSON patch: tests of much',
  'YAML: a billion laughs',
  'YAML: many anchors and aliases',
  'YAML: many keys',
  'YAML: one anchor, many aliases',
  'YAML: one flow map',
  'YAML: tags',
  'a Docker configuration',
  'a custom resource of many keys',
  'a flow schema of many rules',
  'a ipv6 of "1:"',
  'a long map',
  'a long set',
  'a map of the same',
  'a pattern that counts',
  'a policy of many validations',
  'a review of a token for many',
  'a review with a long extra',
  'a review with many groups',
  'a review with many requirements',
  'a role that aggregates many',
  'a schedule of commas',
  'a schema of alternatives',
  'a schema of many properties',
  'a schema with a large default',
  'a schema with a large enumeration',
  'a schema with a long pattern',
  'a schema with a long rule',
  'a schema with a pattern of classes',
  'a schema with a pattern of escapes',
  'a schema with many required fields',
  'a schema with many rules',
  'a set of the same',
  'apply: YAML of many keys',
  'apply: a long map of a custom resource',
  'apply: many containers',
  'apply: many keys',
  'apply: many ports',
  'apply: the same container',
  'exceptions of a policy',
  'keys of a constraint of spreading',
  'lists of nothing',
  'many annotations',
  'many bad annotations',
  'many bad keys',
  'many bad variables',
  'many binary keys',
  'many capabilities',
  'many constraints of spreading',
  'many containers',
  'many empty containers',
  'many endpoints',
  'many external addresses',
  'many finalizers',
  'many headers of a probe',
  'many host aliases',
  'many images of a node',
  'many init containers',
  'many items of a volume',
  'many keys',
  'many keys twice',
  'many labels',
  'many limits',
  'many managed fields',
  'many mounts',
  'many node selectors',
  'many policies',
  'many ports',
  'many ports of a service',
  'many projected sources',
  'many pruned fields',
  'many pull secrets',
  'many quotas',
  'many resources',
  'many scheduling gates',
  'many sources of variables',
  'many supplemental groups',
  'many system controls',
  'many taints',
  'many terms of affinity',
  'many tolerations',
  'many topologies',
  'many unknown fields',
  'many unknown fields, with warnings',
  'many versions',
  'many volumes',
  'many webhooks',
  'merge patch: many keys',
  'merge patch: many removals',
  'one key many times',
  'one large set of managed fields',
  'protobuf: many empty containers',
  'protobuf: many labels',
  'strategic merge: an order of many',
  'strategic merge: deletions from a list',
  'strategic merge: keys to retain',
  'strategic merge: many containers',
  'strategic merge: many finalizers',
  'the same container',
  'the same port of a service',
  'the same pull secret',
  'update: a large object',
  'update: many managed fields',
]);
/** What none of them may reach. */
const CEILING_MS = 3000;
/** A turn in which the heap was collected is not the request's: the best of these tries counts. */
const TRIES = 3;
/** In the short form one of so many. */
const ONE_OF = 10;

/** Custom resources need definitions that earlier requests of the corpus make: only the long form has all of them. */
const isBuiltIn = ({ path, prepare = [] }: CostlyRequest): boolean => [path, ...prepare.map((object) => object.path)].every((one) => !one.includes('/costly.test/'));

const chosen = timeCorpus.filter((request, i) => everything || (i % ONE_OF === 0 && isBuiltIn(request)));

describe.skipIf(cannotWatchTurns)('a request of at most a megabyte', () => {
  let k8ts: WatchedK8ts;
  let admin: ApiConnection;
  let nobody: ApiConnection;

  beforeAll(async () => {
    k8ts = await startWatchedK8ts({ flags: ['--controllers', 'none'] });
    admin = new ApiConnection(k8ts.server, k8ts.credentials);
    nobody = new ApiConnection(k8ts.server, {});
    const body = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await admin.call('POST', '/api/v1/namespaces/default/serviceaccounts', { body });
  }, 120_000);

  afterAll(async () => {
    admin?.close();
    nobody?.close();
    await k8ts?.stop('SIGKILL');
  });

  async function prepare({ prepare: objects = [] }: CostlyRequest): Promise<void> {
    for (const { path, body } of objects) {
      // A definition that was just made is served within a moment.
      await expect.poll(async () => (await admin.call('POST', path, { body })).status, { timeout: 10_000 }).toBeOneOf([201, 409]);
    }
  }

  /** Answered or broken off, the server has dealt with it when the watchdog has settled. */
  async function send({ method, path, headers = {}, body, anonymous = false, cutOffMs }: CostlyRequest): Promise<number> {
    if (nobody.session.destroyed || nobody.session.closed) nobody = new ApiConnection(k8ts.server, {});
    await k8ts.turns.reset();
    const options = { headers: { ...headers }, timeoutMs: 60_000, ...(body === undefined ? {} : { body }), ...(cutOffMs ? { cutOffMs } : {}) };
    await (anonymous ? nobody : admin).call(method, path, options).catch(() => undefined);
    return k8ts.turns.longestTurnMs();
  }

  it.each(chosen.map((request) => [request.name, request] as const))('%s', async (name, request) => {
    await prepare(request);
    const limit = OVER.has(name) ? CEILING_MS : MAX_TURN_MS;
    let best = Infinity;
    for (let i = 0; i < TRIES && best >= limit; i++) best = Math.min(best, await send(request));
    expect(best).toBeLessThan(limit);
    expect(k8ts.exit).toBeUndefined();
  }, 180_000);

  it('has no name in the list that is not in the corpus', () => {
    const known = new Set(timeCorpus.map(({ name }) => name));
    expect([...OVER].filter((name) => !known.has(name))).toEqual([]);
  });
});
