import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../kernel/index.ts';
import type { ResponseSink } from '../request/request.ts';
import { startTestServer, type TestServer } from '../testing/index.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Every test has a namespace of its own. */
let collection = '';
let namespaces = 0;
beforeEach(async () => {
  const name = `test-${namespaces++}`;
  await server.call('POST', '/api/v1/namespaces', {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  });
  collection = `/api/v1/namespaces/${name}/configmaps`;
});

/** Makes the cache forget its events: only the store knows them from now on. */
const emptyWindow = (): void => {
  const { cache, registry } = server.pipeline.chain.backend;
  registry.require('', 'v1', 'configmaps').cache.windowStart = cache.revision + 1;
};

interface Line {
  type: string;
  object: {
    kind: string;
    metadata: { name: string; resourceVersion: string; annotations?: Record<string, string> };
    code?: number;
    data?: Record<string, string>;
  };
}

/** A watcher that takes what it is sent; a slow one takes a frame only when it reads. */
class Watcher {
  readonly lines: Line[] = [];
  ended = false;
  #pending = 0;
  #unread: string[] = [];
  #drained: (() => void)[] = [];
  #stopped = new AbortController();

  constructor(private readonly slow = false) {}

  get pending(): number {
    return this.#pending;
  }

  /** What a slow one finds, frame by frame, until nothing more comes. */
  async read(): Promise<void> {
    while (this.#unread.length > 0) {
      for (const text of this.#unread.splice(0)) this.#keep(text);
      this.#pending = 0;
      for (const resolve of this.#drained.splice(0)) resolve();
      await settle();
    }
  }

  async open(target: string): Promise<this> {
    const { response } = await server.call('GET', target);
    if (!response.stream) throw new Error(`no watch: ${response.status} ${String(response.body)}`);
    const watcher = this;
    const sink: ResponseSink = {
      signal: this.#stopped.signal,
      get pending() {
        return watcher.#pending;
      },
      drained: () =>
        this.slow && this.#pending > 0 ? new Promise((resolve) => this.#drained.push(resolve)) : Promise.resolve(),
      write: (piece) => this.#take(piece),
    };
    void response.stream(sink).then(() => (this.ended = true));
    return this;
  }

  #take(piece: Buffer | string): boolean {
    if (!this.slow) this.#keep(piece.toString());
    else {
      this.#pending += piece.length;
      this.#unread.push(piece.toString());
    }
    return !this.slow;
  }

  #keep(text: string): void {
    for (const line of text.trimEnd().split('\n')) this.lines.push(JSON.parse(line) as Line);
  }

  stop(): void {
    this.#stopped.abort(new Error('enough'));
  }

  get shown(): string[] {
    return this.lines.map(({ type, object }) => `${type} ${object.metadata.name ?? object.kind}`);
  }
}

const watch = (query = ''): Promise<Watcher> => new Watcher().open(`${collection}?watch=true${query}`);

const create = async (
  name: string,
  labels: Record<string, string> = {},
  data: Record<string, string> = {},
): Promise<string> =>
  (
    await server.call('POST', collection, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data },
    })
  ).body.metadata.resourceVersion!;

const patch = (name: string, change: object): Promise<unknown> =>
  server.call('PATCH', `${collection}/${name}`, { body: change, contentType: 'application/merge-patch+json' });

const remove = (name: string): Promise<unknown> => server.call('DELETE', `${collection}/${name}`);

const settle = (): Promise<void> => server.ctx.clock.advance(1);

describe('watch', () => {
  it('begins with existing objects without a version, and with missed events with one', async () => {
    const from = await create('a');
    await create('b');
    await remove('a');
    expect((await watch()).shown).toEqual(['ADDED b']);
    expect((await watch(`&resourceVersion=${from}`)).shown).toEqual(['ADDED b', 'DELETED a']);
  });

  it.each([
    ['from now', ''],
    ['from what the cache has', '&resourceVersion=0'],
    ['from an event in the window', '&resourceVersion=FROM'],
    ['from one that only the store knows', '&resourceVersion=FROM', emptyWindow],
    ['from an event in the window, of one name', '&resourceVersion=FROM&fieldSelector=metadata.name%3Dthing'],
    ['from an event in the window, of some labels', '&resourceVersion=FROM&labelSelector=a%3Db'],
    [
      'with the initial events first',
      '&resourceVersion=FROM&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    ],
  ])('of one namespace has no events of another: %s', async (_name, query, before?: () => void) => {
    const mine = collection;
    const other = mine.replace(/test-\d+/, 'default');
    const from = await create('start');
    const write = async (): Promise<void> => {
      for (const target of [other, mine]) {
        collection = target;
        await create('thing', { a: 'b' });
        await patch('thing', { data: { of: target } });
        await remove('thing');
      }
    };
    await write();
    collection = mine;
    before?.();
    const watcher = await watch(query.replace('FROM', from));
    await write();
    await settle();
    const places = new Set(
      watcher.lines
        .filter(({ type }) => type !== 'BOOKMARK')
        .map(({ object }) => (object.metadata as { namespace?: string }).namespace),
    );
    expect([...places]).toEqual([mine.split('/')[4]]);
    watcher.stop();
  });

  it('shows a deletion at its own revision, with the last state', async () => {
    const from = await create('a', {}, { k: 'v' });
    await remove('a');
    const [line] = (await watch(`&resourceVersion=${from}`)).lines;
    expect(line).toMatchObject({ type: 'DELETED', object: { data: { k: 'v' } } });
    expect(Number(line!.object.metadata.resourceVersion)).toBeGreaterThan(Number(from));
  });

  it('adds and deletes what enters and leaves a selector', async () => {
    const watcher = await watch('&labelSelector=app%3Dx');
    await create('a');
    await patch('a', { metadata: { labels: { app: 'x' } } });
    await patch('a', { data: { k: '1' } });
    await patch('a', { metadata: { labels: { app: 'y' } } });
    await patch('a', { data: { k: '2' } });
    await patch('a', { metadata: { labels: { app: 'x' } } });
    await remove('a');
    await settle();
    expect(watcher.shown).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a', 'DELETED a']);
  });

  it('bookmarks every minute, at a version from which the watch can go on', async () => {
    const watcher = await watch('&allowWatchBookmarks=true');
    const before = watcher.lines.length;
    await create('a');
    await server.ctx.clock.advance(60_000);
    expect(watcher.lines.slice(before).map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    const mark = watcher.lines.at(-1)!.object;
    expect(mark.kind).toBe('ConfigMap');
    await create('b');
    expect((await watch(`&resourceVersion=${mark.metadata.resourceVersion}`)).shown).toEqual(['ADDED b']);
  });

  it('sends no bookmarks unless requested', async () => {
    const watcher = await watch();
    await server.ctx.clock.advance(300_000);
    expect(watcher.shown.filter((line) => line.startsWith('BOOKMARK'))).toEqual([]);
  });

  it('marks the end of the initial events', async () => {
    await create('a');
    const watcher = await watch('&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true');
    expect(watcher.lines.at(-1)).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    expect(watcher.shown).toContain('ADDED a');
  });

  it('marks it also when the watch did not ask for initial events but begins with them', async () => {
    await create('a');
    const watcher = await watch('&allowWatchBookmarks=true');
    expect(watcher.lines.at(-1)!.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('bookmarks workloads with the replicas of none', async () => {
    const watcher = await new Watcher().open('/apis/apps/v1/statefulsets?watch=true&allowWatchBookmarks=true');
    expect(watcher.lines.at(-1)!.object).toMatchObject({ spec: { replicas: 0, serviceName: '' } });
  });

  it('bookmarks a DaemonSet with the template generation of none', async () => {
    const watcher = await new Watcher().open('/apis/apps/v1/daemonsets?watch=true&allowWatchBookmarks=true');
    expect(watcher.lines.at(-1)!.object.metadata.annotations).toEqual({
      'deprecated.daemonset.template.generation': '0',
      'k8s.io/initial-events-end': 'true',
    });
  });

  it('ends without timeoutSeconds after the least time of the server, or up to twice as long', async () => {
    const { backend } = server.pipeline.chain;
    Object.assign(backend, { minWatchSeconds: 100 });
    const watchers = await Promise.all(Array.from({ length: 20 }, () => watch('')));
    Object.assign(backend, { minWatchSeconds: undefined });
    const ended = (): number => watchers.filter((watcher) => watcher.ended).length;
    await server.ctx.clock.advance(99_000);
    expect(ended()).toBe(0);
    await server.ctx.clock.advance(51_000);
    expect(ended()).toBeGreaterThan(0);
    expect(ended()).toBeLessThan(20);
    await server.ctx.clock.advance(51_000);
    expect(ended()).toBe(20);
  });

  it('ends after timeoutSeconds', async () => {
    const watcher = await watch('&timeoutSeconds=5');
    await server.ctx.clock.advance(4_900);
    expect(watcher.ended).toBe(false);
    await server.ctx.clock.advance(200);
    expect(watcher.ended).toBe(true);
  });

  describe('of a client that does not read', () => {
    const FILLING = 'x'.repeat(50_000);
    /** What may wait for it: one event. */
    const ONE_EVENT = 60_000;

    it('buffers no more than the client has room for, and sends all of it once the client reads', async () => {
      await create('first');
      const slow = await new Watcher(true).open(`${collection}?watch=true`);
      const quick = await watch();
      const before = quick.lines.length;
      for (let i = 0; i < 40; i++) await create(`big-${i}`, {}, { filling: FILLING });
      await remove('big-7');
      await settle();
      expect(slow.pending).toBeLessThan(ONE_EVENT);
      expect(slow.ended).toBe(false);
      expect(quick.lines).toHaveLength(before + 41);
      await slow.read();
      expect(slow.shown).toEqual(quick.shown);
      await create('live-again');
      await settle();
      await slow.read();
      expect(slow.shown).toEqual(quick.shown);
    });

    it('continues from the store when the window has moved on', async () => {
      const slow = await new Watcher(true).open(`${collection}?watch=true&resourceVersion=${await create('first')}`);
      const quick = await watch(`&resourceVersion=${server.pipeline.chain.backend.cache.revision}`);
      for (let i = 0; i < 5; i++) await create(`next-${i}`);
      emptyWindow();
      await create('last');
      await slow.read();
      expect(slow.shown).toEqual(quick.shown);
      expect(slow.shown).toHaveLength(6);
    });

    it('sends initial events as the client reads them, and continues after their end', async () => {
      for (let i = 0; i < 20; i++) await create(`big-${i}`, {}, { filling: FILLING });
      const slow = await new Watcher(true).open(
        `${collection}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      );
      await settle();
      expect(slow.pending).toBeLessThan(ONE_EVENT);
      // Neither is missed: what changes after the snapshot was taken, and before it was sent.
      await patch('big-19', { data: { changed: 'yes' } });
      await remove('big-18');
      await slow.read();
      const end = slow.lines.findIndex(({ object }) => object.metadata.annotations?.['k8s.io/initial-events-end']);
      expect(slow.shown.slice(0, end).filter((line) => line.startsWith('ADDED big-'))).toHaveLength(20);
      expect(slow.shown.slice(end + 1)).toEqual(['MODIFIED big-19', 'DELETED big-18']);
      await create('after');
      await slow.read();
      expect(slow.shown.at(-1)).toBe('ADDED after');
      expect(slow.ended).toBe(false);
    });

    it('sends no bookmark ahead of its events', async () => {
      const slow = await new Watcher(true).open(
        `${collection}?watch=true&allowWatchBookmarks=true&resourceVersion=${await create('first')}`,
      );
      await create('one');
      await create('two');
      await server.ctx.clock.advance(61_000);
      await slow.read();
      expect(slow.shown).toEqual(['ADDED one', 'ADDED two']);
    });
  });

  it('returns 410 for a version that is too old', async () => {
    await create('a');
    const { store } = server.pipeline.chain.backend;
    for (let i = 0; i < 20; i++) await create(`filling-${i}`);
    await store.compact(await store.revision());
    emptyWindow();
    const watcher = await watch('&resourceVersion=2');
    await settle();
    expect(watcher.lines).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
    expect(watcher.ended).toBe(true);
  });

  it('replays events from the store that the window lacks', async () => {
    const from = await create('a');
    await create('b');
    await remove('a');
    emptyWindow();
    const watcher = await watch(`&resourceVersion=${from}`);
    await create('c');
    await settle();
    expect(watcher.shown).toEqual(['ADDED b', 'DELETED a', 'ADDED c']);
  });

  it('serves thousands of watchers with the same bytes', async () => {
    const taken: (Buffer | string)[] = [];
    const { response } = await server.call('GET', `${collection}?watch=true&resourceVersion=${await create('first')}`);
    const sink: ResponseSink = {
      signal: server.ctx.signal,
      pending: 0,
      drained: () => Promise.resolve(),
      write: (piece) => taken.push(piece) > 0,
    };
    const again = async (): Promise<void> => {
      const one = await server.call(
        'GET',
        `${collection}?watch=true&resourceVersion=${server.pipeline.chain.backend.cache.revision}`,
      );
      void one.response.stream!(sink);
    };
    void response.stream!(sink);
    for (let i = 0; i < 2999; i++) await again();
    await create('second');
    await settle();
    expect(taken).toHaveLength(3000);
    expect(new Set(taken).size).toBe(1);
  });

  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    'never misses or repeats an event, whenever it begins, breaks off and resumes, seed %i',
    async (seed) => {
      const random = new SeededRandom(`watch ${seed}`);
      const names = ['a', 'b', 'c', 'd', 'e'];
      const model = { version: await create('anchor'), labels: seed % 2 === 0 ? '' : '&labelSelector=odd%3Dtrue' };
      const state = new Map<string, string>();
      let lastVersion = Number(model.version);
      let watcher = await watch(`&resourceVersion=${model.version}${model.labels}`);
      let step = 0;
      const write = async (): Promise<void> => {
        const name = names[random.integer(names.length)]!;
        const labels = random.integer(2) === 0 ? { odd: 'true' } : { odd: null };
        const chance = random.integer(4);
        if (chance === 0) await remove(name);
        else if (chance === 1) await create(name, labels.odd ? { odd: 'true' } : {}, { step: String(step++) });
        else await patch(name, { metadata: { labels }, data: { step: String(step++) } });
      };
      const take = (): void => {
        for (const { type, object } of watcher.lines.splice(0)) {
          const version = Number(object.metadata.resourceVersion);
          expect(version).toBeGreaterThan(lastVersion);
          lastVersion = version;
          if (type === 'BOOKMARK') continue;
          const { name } = object.metadata;
          // ADDED only of what was not there, the others only of what was.
          expect(state.has(name)).toBe(type !== 'ADDED');
          if (type === 'DELETED') state.delete(name);
          else state.set(name, object.metadata.resourceVersion);
        }
      };
      for (let round = 0; round < 60; round++) {
        await Promise.all(Array.from({ length: 1 + random.integer(4) }, write));
        if (random.integer(4) > 0) continue;
        await settle();
        take();
        watcher.stop();
        if (random.integer(2) === 0) await write();
        watcher = await watch(`&allowWatchBookmarks=true&resourceVersion=${lastVersion}${model.labels}`);
      }
      await settle();
      take();
      const { body } = await server.call('GET', `${collection}?${model.labels}`);
      const listed = (body['items'] as Line['object'][]).filter(({ metadata }) => names.includes(metadata.name));
      state.delete('anchor');
      expect(state).toEqual(new Map(listed.map(({ metadata }) => [metadata.name, metadata.resourceVersion])));
    },
  );
});
