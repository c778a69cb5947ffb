/** Runs metrics-server: scrapes every node's kubelet periodically and registers the resource metrics API. */
import type { Node } from '../api/generated/core-v1.ts';
import { byNamespace, InformerFactory, NAMESPACE_INDEX, type Client } from '../client/index.ts';
import { RunGroup, type Context } from '../kernel/index.ts';
import { metricsApi, type MetricsApi } from './metrics-api.ts';
import { parseResourceMetrics } from './parse-resource-metrics.ts';
import { Samples } from './samples.ts';

export interface MetricsServerOptions {
  readonly client: Client;
  /** Gets a path from a node's kubelet. */
  readonly readNode: (node: Node, path: string, signal: AbortSignal) => Promise<string>;
  /** Registers the API with the aggregation layer; returns a function that unregisters it. */
  readonly register: (api: MetricsApi) => () => void;
  /** Time between two scrapes of a node, upstream's `--metric-resolution`; default 15 s. */
  readonly resolutionMs?: number;
}

const DEFAULT_RESOLUTION_MS = 15_000;
/** A scrape times out after this fraction of the resolution. */
const TIMEOUT_FRACTION = 0.9;
/** How many nodes are scraped at the same time. */
const CONCURRENCY = 20;

export async function run(
  ctx: Context,
  { client, readNode, register, resolutionMs = DEFAULT_RESOLUTION_MS }: MetricsServerOptions,
): Promise<void> {
  const group = new RunGroup(ctx);
  const inner: Context = { ...ctx, signal: group.signal };
  const informers = new InformerFactory(inner, { client });
  const nodes = informers.informer('v1/nodes');
  const pods = informers.informer('v1/pods', {}, { [NAMESPACE_INDEX]: byNamespace });
  const samples = new Samples();
  const scrape = async (node: Node): Promise<void> => {
    const name = node.metadata.name ?? '';
    try {
      const signal = ctx.clock.deadline(resolutionMs * TIMEOUT_FRACTION, group.signal);
      samples.add(name, parseResourceMetrics(await readNode(node, '/metrics/resource', signal), ctx.clock.now()));
    } catch (error) {
      if (!group.signal.aborted) ctx.logger.v(1).error(error, 'Failed to scrape node', { node: name });
    }
  };
  const unregister = register(
    metricsApi(
      samples,
      {
        nodes: () => nodes.list(),
        pods: (namespace) => (namespace === '' ? pods.list() : pods.indexer.byIndex(NAMESPACE_INDEX, namespace)),
      },
      () => ctx.clock.now(),
    ),
  );
  group.start('informers', () => informers.run());
  group.start('scraper', async () => {
    await informers.waitForSync(group.signal);
    while (!group.signal.aborted) {
      const startedAt = ctx.clock.monotonic();
      const known = nodes.list();
      samples.keepOnly(new Set(known.map(({ metadata }) => metadata.name ?? '')));
      await forEachOf(known, CONCURRENCY, scrape);
      await ctx.clock
        .sleep(Math.max(0, resolutionMs - (ctx.clock.monotonic() - startedAt)), group.signal)
        .catch(() => {});
    }
  });
  try {
    await group.wait();
  } finally {
    unregister();
  }
}

async function forEachOf<T>(items: readonly T[], concurrency: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const worker = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
}
