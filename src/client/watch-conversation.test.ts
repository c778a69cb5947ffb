import { expect, it } from 'vitest';
import { createTestContext, type TestContext } from '../kernel/index.ts';
import { Client } from './client.ts';
import { scoped } from './informer-factory.ts';
import { SharedInformer } from './informer.ts';
import type { ApiObject } from './resource.ts';
import { FakeApiServer } from './testing/fake-api-server.ts';
import { formatQuery, type Transport, type TransportRequest, type WatchEvent } from './transport.ts';

const PODS = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
/** Every watch of the transcript has the same timeoutSeconds. */
const TIMING = { minWatchMs: 300_000, maxWatchMs: 300_000 };

const nameAt = ({ metadata: { name, resourceVersion } }: ApiObject): string => `${name ?? ''}@${resourceVersion ?? ''}`;
const lineOf = ({ method, path, query }: TransportRequest): string =>
  decodeURIComponent(`${method} ${path}?${formatQuery(query)}`);

/** Writes down what the client sends and what it receives. */
class Transcript implements Transport {
  readonly lines: string[] = [];
  readonly #ctx: TestContext;
  readonly #server: Transport;

  constructor(ctx: TestContext, server: Transport) {
    this.#ctx = ctx;
    this.#server = server;
  }

  write(line: string): void {
    this.lines.push(`${String(Math.round(this.#ctx.clock.monotonic() / 1000)).padStart(3)}s ${line}`);
  }

  async request(request: TransportRequest) {
    this.write(`→ ${lineOf(request)}`);
    const response = await this.#server.request(request);
    const { metadata, items } = response.body as { metadata: { resourceVersion: string }; items: ApiObject[] };
    this.write(`← ${response.status} @${metadata.resourceVersion}: ${items.map(nameAt).join(' ')}`);
    return response;
  }

  async watch(request: TransportRequest) {
    this.write(`→ ${lineOf(request)}`);
    return this.#events(await this.#server.watch(request));
  }

  async *#events(events: AsyncIterable<WatchEvent<unknown>>): AsyncIterable<WatchEvent<unknown>> {
    try {
      for await (const event of events) {
        const status = event.object as { code?: number; message?: string };
        const subject = event.type === 'ERROR' ? `${status.code} ${status.message}` : nameAt(event.object as ApiObject);
        this.write(`← ${event.type} ${subject}`);
        yield event;
      }
      this.write('← end of the watch');
    } catch (error) {
      this.write(`← ${(error as Error).message}`);
      throw error;
    }
  }

  stream = (request: TransportRequest) => this.#server.stream(request);
  close = () => this.#server.close();
}

it('lists, watches, resumes after a drop, and lists again after 410', async () => {
  const ctx = createTestContext();
  const { clock } = ctx;
  const server = new FakeApiServer({ clock, random: ctx.random.fork('server') });
  const transcript = new Transcript(ctx, server);
  const writer = new Client({ transport: server, clock }).resource(PODS);
  const pod = (name: string): ApiObject => ({ metadata: { name, namespace: 'default' } });
  await clock.drive(writer.create(pod('a')));
  await clock.drive(writer.create(pod('b')));

  const informer = new SharedInformer<ApiObject>({
    clock,
    random: ctx.random.fork('informer'),
    logger: ctx.logger,
    source: scoped(new Client({ transport: transcript, clock }).resource(PODS), {}),
    streamingList: false,
    timing: TIMING,
  });
  informer.addHandler({
    onAdd: (object) => transcript.write(`  onAdd ${nameAt(object)}`),
    onUpdate: (before, after) => transcript.write(`  onUpdate ${nameAt(before)} → ${nameAt(after)}`),
    onDelete: (object, { stale }) => transcript.write(`  onDelete ${nameAt(object)}${stale ? ' (missed)' : ''}`),
  });
  const running = informer.run(ctx.signal);
  await clock.settle();

  await clock.drive(writer.create(pod('c')));
  await clock.advance(61_000);

  transcript.write('-- the connection drops at the next event');
  server.fault = (at) => (at === 'event' ? 'drop' : undefined);
  await clock.drive(writer.delete({ namespace: 'default', name: 'a' }));
  server.fault = () => undefined;
  await clock.advance(10_000);

  transcript.write('-- the connection drops, and the history is compacted before the client is back');
  server.fault = (at) => (at === 'event' ? 'drop' : undefined);
  await clock.drive(writer.delete({ namespace: 'default', name: 'b' }));
  await clock.drive(writer.create(pod('d')));
  server.fault = () => undefined;
  server.compact();
  await clock.advance(10_000);

  ctx.stop();
  await running;
  expect(informer.list().map(nameAt)).toEqual([...server.objects('/api/v1/pods').values()].map(nameAt));
  expect(transcript.lines.join('\n')).toMatchInlineSnapshot(`
    "  0s → GET /api/v1/pods?resourceVersion=0
      0s ← 200 @3: a@2 b@3
      0s   onAdd a@2
      0s   onAdd b@3
      0s → GET /api/v1/pods?resourceVersion=3&watch=true&allowWatchBookmarks=true&timeoutSeconds=300
      0s ← ADDED c@4
      0s   onAdd c@4
     60s ← BOOKMARK @4
     61s -- the connection drops at the next event
     61s ← fault: drop
     62s → GET /api/v1/pods?resourceVersion=4&watch=true&allowWatchBookmarks=true&timeoutSeconds=300
     62s ← DELETED a@5
     62s   onDelete a@5
     71s -- the connection drops, and the history is compacted before the client is back
     71s ← fault: drop
     73s → GET /api/v1/pods?resourceVersion=5&watch=true&allowWatchBookmarks=true&timeoutSeconds=300
     73s ← ERROR 410 too old resource version: 5 (7)
     77s → GET /api/v1/pods?resourceVersion=&limit=500
     77s ← 200 @7: c@4 d@7
     77s   onAdd d@7
     77s   onDelete b@3 (missed)
     77s → GET /api/v1/pods?resourceVersion=7&watch=true&allowWatchBookmarks=true&timeoutSeconds=300
     81s ← This operation was aborted"
  `);
});
