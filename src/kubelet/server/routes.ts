/** The routes of the kubelet API, except exec, attach and port-forward. */
import fs from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { ContainerRuntime, CriError } from '../../cri/index.ts';
import { METRICS_CONTENT_TYPE, type Context } from '../../kernel/index.ts';
import { configz } from '../configuration/configz.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import type { Machine } from '../node/machine.ts';
import type { PodEvents } from '../pod/pod-events.ts';
import type { PodManager } from '../pod/pod-manager.ts';
import { listRuntimePods } from '../runtime/observe-pod.ts';
import { containerLog, findPod } from './container-log-route.ts';
import { HttpError } from './http-error.ts';
import { cadvisorMetrics, resourceMetrics, volumeMetrics } from './resource-metrics.ts';
import type { StatsProvider } from './stats/stats-provider.ts';
import { runningContainer } from './streaming.ts';

export interface ServerDependencies {
  readonly config: KubeletConfig;
  readonly client: Client;
  readonly runtime: ContainerRuntime;
  readonly manager: PodManager;
  readonly stats: StatsProvider;
  readonly machine: Machine;
  readonly events: PodEvents;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly signal: AbortSignal;
}

type Route = (ctx: Context, deps: ServerDependencies, exchange: Exchange) => Promise<void>;

const send = ({ response }: Exchange, status: number, type: string, body: string): void => {
  response.writeHead(status, { 'content-type': type });
  response.end(body);
};
const json = (exchange: Exchange, body: unknown): void => send(exchange, 200, 'application/json', JSON.stringify(body));
const text = (exchange: Exchange, body: string): void => send(exchange, 200, 'text/plain; charset=utf-8', body);

/** By the first segment of the path. */
export const ROUTES = {
  healthz: async (_ctx, _tools, exchange) => Promise.resolve(text(exchange, 'ok')),
  pods: async (_ctx, { manager }, exchange) =>
    Promise.resolve(json(exchange, podList(manager.pods().filter(({ spec }) => (spec?.containers.length ?? 0) > 0)))),
  runningpods: async (ctx, { runtime }, exchange) => {
    const pods = await listRuntimePods(runtime, ctx.signal);
    json(
      exchange,
      podList(
        Array.from(pods.values(), ({ uid, name, namespace }) => ({
          metadata: { name, namespace, uid, creationTimestamp: null },
          spec: { containers: [] },
          status: {},
        })),
      ),
    );
  },
  containerLogs: async (ctx, { manager, runtime }, exchange) => {
    const { response, path: target, query, signal } = exchange;
    const [, , namespace = '', podName = '', containerName = ''] = target.split('/');
    const lines = await containerLog(
      { manager, runtime, clock: ctx.clock },
      { namespace, podName, containerName, query, signal },
    );
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    for await (const chunk of lines) {
      if (signal.aborted) break;
      if (!response.write(chunk))
        await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    }
    response.end();
  },
  run: async (_ctx, { manager, runtime }, exchange) => {
    const { path: target, query } = exchange;
    const [, , namespace = '', podName = '', ...rest] = target.split('/');
    const pod = findPod(manager, namespace, podName);
    const containerId = runningContainer(manager, pod, rest.at(-1) ?? '');
    const {
      stdout = new Uint8Array(),
      stderr = new Uint8Array(),
      exitCode = 0,
    } = await runtime.runtime.execSync({ containerId, cmd: (query.get('cmd') ?? '').split(' '), timeout: 0 });
    const output = Buffer.concat([stdout, stderr]).toString();
    if (exitCode !== 0) throw new HttpError(500, `command exited with ${exitCode}: ${output}`);
    text(exchange, output);
  },
  stats: async (_ctx, { stats }, exchange) => {
    if (exchange.path !== '/stats/summary') throw new HttpError(404, '404 page not found\n');
    json(exchange, await stats.summary({ cpuAndMemory: exchange.query.get('only_cpu_and_memory') === 'true' }));
  },
  metrics: async (ctx, { stats, machine }, exchange) => {
    const page = exchange.path.replace(/^\/metrics\/?/, '');
    const expose = (body: string): void => send(exchange, 200, METRICS_CONTENT_TYPE, body);
    switch (page) {
      case '':
        return expose(ctx.metrics.expose() + volumeMetrics(await stats.claimVolumes()));
      case 'resource':
        return expose(resourceMetrics(await stats.summary({ cpuAndMemory: true })));
      case 'cadvisor':
        return expose(cadvisorMetrics(await stats.summary({ cpuAndMemory: true }), machine));
      case 'probes':
        return expose(
          ctx.metrics
            .expose()
            .split('\n')
            .filter((line) => /^(?:# (?:HELP|TYPE) )?prober_probe/.test(line))
            .join('\n')
            .concat('\n'),
        );
      case 'slis':
        return expose(
          '# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.\n# TYPE kubernetes_healthcheck gauge\nkubernetes_healthcheck{name="ping",type="healthz"} 1\n',
        );
      default:
        throw new HttpError(404, '404 page not found\n');
    }
  },
  configz: async (_ctx, { config }, exchange) => Promise.resolve(json(exchange, { kubeletconfig: configz(config) })),
  logs: async (_ctx, { config }, exchange) => {
    if (!config.enableSystemLogHandler) throw new HttpError(405, 'logs endpoint is disabled.');
    await nodeLog(exchange);
  },
  checkpoint: async (_ctx, { manager, runtime }, exchange) => {
    const [, , namespace = '', podName = '', containerName = ''] = exchange.path.split('/');
    const containerId = runningContainer(manager, findPod(manager, namespace, podName), containerName);
    try {
      await runtime.runtime.checkpointContainer({ containerId });
    } catch (error) {
      throw new HttpError(
        (error as CriError).code === 'UNIMPLEMENTED' ? 404 : 500,
        `checkpointing of ${namespace}/${podName}/${containerName} failed (${errorMessage(error)})`,
      );
    }
    throw new HttpError(500, 'the runtime created a checkpoint but did not report its location');
  },
} as const satisfies Record<string, Route>;

const podList = (items: readonly unknown[]): object => ({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

const NODE_LOGS = '/var/log';

/** GET /logs: files below /var/log. Links that lead out of it are not followed. */
async function nodeLog(exchange: Exchange): Promise<void> {
  const asked = decodedPath(exchange.path.replace(/^\/logs\/?/, ''));
  const full = await fs.realpath(path.join(NODE_LOGS, path.normalize(`/${asked}`))).catch(() => undefined);
  const root = await fs.realpath(NODE_LOGS);
  if (full === undefined || (full !== root && !full.startsWith(`${root}/`)))
    throw new HttpError(404, '404 page not found\n');
  if ((await fs.stat(full)).isDirectory()) {
    const entries = await fs.readdir(full, { withFileTypes: true });
    const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`).toSorted();
    send(
      exchange,
      200,
      'text/html; charset=utf-8',
      `<!doctype html>\n<pre>\n${names.map((name) => `<a href="${encodeURI(name)}">${name.replace(/[<&]/g, (c) => (c === '<' ? '&lt;' : '&amp;'))}</a>\n`).join('')}</pre>\n`,
    );
    return;
  }
  exchange.response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  const handle = await fs.open(full);
  try {
    await pipeline(handle.createReadStream({ autoClose: false }), exchange.response);
  } finally {
    await handle.close();
  }
}

/** As with Go, invalid escapes are a bad request; a name that is not UTF-8 does not exist. */
function decodedPath(text: string): string {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) throw new HttpError(400, '400 Bad Request');
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpError(404, '404 page not found\n');
  }
}
