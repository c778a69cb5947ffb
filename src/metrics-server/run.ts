/** Asks every node for its readings, again and again, and offers the API on them. */
import { byNamespace, InformerFactory, NAMESPACE_INDEX, type Client } from '../client/index.ts';
import { RunGroup, type Context } from '../kernel/index.ts';
import { metricsApi, type MetricsApi } from './metrics-api.ts';
import { parseResourceMetrics } from './parse-resource-metrics.ts';
import { Samples } from './samples.ts';

export interface MetricsServerOptions {
  readonly client: Client;
  /** Registers the API with the aggregation layer; what it gives back takes it out again. */
  readonly register: (api: MetricsApi) => () => void;
  /** Time between two readings of a node; upstream's `--metric-resolution`. Default 15 s. */
  readonly resolutionMs?: number;
}

const DEFAULT_RESOLUTION_MS = 15_000;
/** Of a node that does not answer within this part of the resolution, the next reading may be better. */
const TIMEOUT_PART = 0.9;
/** Nodes that are asked at the same time. */
const CONCURRENCY = 20;

export async function run(ctx: Context, { client, register, resolutionMs = DEFAULT_RESOLUTION_MS }: MetricsServerOptions): Promise<void> {
  const group = new RunGroup(ctx);
  const inner: Context = { ...ctx, signal: group.signal };
  const informers = new InformerFactory(inner, { client });
  const nodes = informers.informer('v1/nodes');
  const pods = informers.informer('v1/pods', {}, { [NAMESPACE_INDEX]: byNamespace });
  const samples = new Samples();
  const scrape = async (name: string): Promise<void> => {
    try {
      const signal = ctx.clock.deadline(resolutionMs * TIMEOUT_PART, group.signal);
      samples.add(name, parseResourceMetrics(await readText(client, `/api/v1/nodes/${name}/proxy/metrics/resource`, signal), ctx.clock.now()));
    } catch (error) {
      if (!group.signal.aborted) ctx.logger.v(1).error(error, 'Failed to scrape node', { node: name });
    }
  };
  const unregister = register(metricsApi(samples, { nodes: () => nodes.list(), pods: (namespace) => (namespace === '' ? pods.list() : pods.indexer.byIndex(NAMESPACE_INDEX, namespace)) }, () => ctx.clock.now()));
  group.start('informers', () => informers.run());
  group.start('scraper', async () => {
    await informers.waitForSync(group.signal);
    while (!group.signal.aborted) {
      const startedAt = ctx.clock.monotonic();
      const names = nodes.list().map(({ metadata }) => metadata.name ?? '');
      samples.keepOnly(new Set(names));
      await forEachOf(names, CONCURRENCY, scrape);
      await ctx.clock.sleep(Math.max(0, resolutionMs - (ctx.clock.monotonic() - startedAt)), group.signal).catch(() => {});
    }
  });
  try {
    await group.wait();
  } finally {
    unregister();
  }
}

async function readText(client: Client, path: string, signal: AbortSignal): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await client.stream({ method: 'GET', path, signal })) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function forEachOf<T>(items: readonly T[], concurrency: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
}
