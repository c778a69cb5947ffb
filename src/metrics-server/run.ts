/** Asks every node for its readings, again and again, and offers the API on them. */
import type { Node } from '../api/generated/core-v1.ts';
import { byNamespace, InformerFactory, NAMESPACE_INDEX, type Client } from '../client/index.ts';
import { RunGroup, type Context } from '../kernel/index.ts';
import { metricsApi, type MetricsApi } from './metrics-api.ts';
import { parseResourceMetrics } from './parse-resource-metrics.ts';
import { Samples } from './samples.ts';

export interface MetricsServerOptions {
  readonly client: Client;
  /** Reads a path of a node's kubelet. */
  readonly readNode: (node: Node, path: string, signal: AbortSignal) => Promise<string>;
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
      const signal = ctx.clock.deadline(resolutionMs * TIMEOUT_PART, group.signal);
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
