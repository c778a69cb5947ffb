/** Static pods: reads pod manifests from the static pod directory and URL, which run without the API server. */
import { createHash } from 'node:crypto';
import { watch } from 'node:fs';
import fs from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { parse } from 'yaml';
import type { Pod } from '../../api/generated/core-v1.ts';
import { errorMessage, formatTime, isRecord } from '../../base/index.ts';
import { childContext, unlessAborted, type Context } from '../../kernel/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { TlsTrust, TlsTrustAgent } from '../../net/tls/index.ts';
import type { KubeletConfig } from '../kubelet-options.ts';
import { CONFIG_HASH, CONFIG_SOURCE } from './pod-resources.ts';

const CONFIG_SEEN = 'kubernetes.io/config.seen';
const SETTLE_MS = 50;

interface StaticPodsOptions {
  readonly config: KubeletConfig;
  /** Called with all static pods whenever one has changed. */
  readonly onPods: (pods: readonly Pod[]) => void;
}

export async function followStaticPods(outer: Context, { config, onPods }: StaticPodsOptions): Promise<void> {
  const ctx = childContext(outer, 'static-pods');
  const { clock, signal, logger } = ctx;
  const seen = new Map<string, string>();
  let last = '';
  const watcher = config.staticPodPath === '' ? undefined : watchDirectory(config.staticPodPath);
  try {
    while (!signal.aborted) {
      const pods = [...(await podsFromPath(ctx, config)), ...(await podsFromUrl(ctx, config))].map((pod) =>
        stampSeen(pod, seen, formatTime(clock.now())),
      );
      const text = JSON.stringify(pods);
      if (text !== last) onPods(pods);
      last = text;
      const pause = clock.sleep(config.fileCheckFrequency, signal).catch(() => {});
      await Promise.race([pause, watcher?.changed() ?? pause]);
      if (!signal.aborted) await clock.sleep(SETTLE_MS, signal).catch(() => {});
    }
  } catch (error) {
    logger.error(error, 'Failed to watch static pods');
  } finally {
    watcher?.close();
  }
}

function watchDirectory(directory: string): { changed(): Promise<void>; close(): void } | undefined {
  try {
    let notify = (): void => {};
    const watcher = watch(directory, { persistent: false }, () => notify());
    watcher.on('error', () => {});
    return { changed: () => new Promise((resolve) => (notify = resolve)), close: () => watcher.close() };
  } catch {
    return undefined;
  }
}

/** Keeps the time at which a pod was first seen, so that an unchanged manifest gives an equal pod. */
function stampSeen(pod: Pod, seen: Map<string, string>, now: string): Pod {
  const uid = pod.metadata.uid ?? '';
  const time = seen.get(uid) ?? now;
  seen.set(uid, time);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      creationTimestamp: undefined,
      annotations: { ...pod.metadata.annotations, [CONFIG_SEEN]: time },
    },
  };
}

async function podsFromPath({ logger }: Context, config: KubeletConfig): Promise<Pod[]> {
  if (config.staticPodPath === '') return [];
  const stat = await fs.stat(config.staticPodPath).catch(() => undefined);
  if (stat === undefined) return [];
  const names = stat.isDirectory()
    ? (await fs.readdir(config.staticPodPath))
        .filter((name) => !name.startsWith('.'))
        .toSorted()
        .map((name) => path.join(config.staticPodPath, name))
    : [config.staticPodPath];
  const pods: Pod[] = [];
  for (const file of names) {
    try {
      if ((await fs.stat(file)).isFile())
        pods.push(...readPods(await fs.readFile(file, 'utf8'), 'file', file, config.nodeName));
    } catch (error) {
      logger.error(error, "Can't process manifest file", { path: file });
    }
  }
  return pods;
}

async function podsFromUrl({ logger, clock, signal }: Context, config: KubeletConfig): Promise<Pod[]> {
  if (config.staticPodURL === '') return [];
  try {
    const headers = Object.fromEntries(
      Object.entries(config.staticPodURLHeader).map(([name, values]) => [
        name,
        Array.isArray(values) ? values.map(String) : String(values),
      ]),
    );
    const limit = clock.deadline(10_000, signal);
    return readPods(
      await unlessAborted(limit, download(config.staticPodURL, headers, limit)),
      'http',
      config.staticPodURL,
      config.nodeName,
    );
  } catch (error) {
    logger.v(1).info('Failed to read pods from URL', { url: config.staticPodURL, err: errorMessage(error) });
    return [];
  }
}

function download(url: string, headers: http.OutgoingHttpHeaders, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = (url.startsWith('https:') ? https : http).get(
      url,
      { headers, signal, ...(url.startsWith('https:') ? { agent: new TlsTrustAgent(new TlsTrust()) } : {}) },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () =>
          response.statusCode === 200
            ? resolve(Buffer.concat(chunks).toString())
            : reject(new Error(`${url}: ${response.statusCode}`)),
        );
      },
    );
    request.once('error', reject);
  });
}

/** Decodes a Pod or PodList into static pods, with their names, UIDs and annotations. */
function readPods(text: string, source: 'file' | 'http', place: string, nodeName: string): Pod[] {
  const document: unknown = parse(text);
  if (!isRecord(document)) throw new Error(`${place}: couldn't parse as pod: the file holds no object`);
  const items = document['kind'] === 'PodList' && Array.isArray(document['items']) ? document['items'] : [document];
  return items.map((item: unknown) => {
    if (!isRecord(item) || (item['kind'] !== 'Pod' && document['kind'] !== 'PodList'))
      throw new Error(`${place}: couldn't parse as pod(Object 'Kind' is missing in '...')`);
    return staticPod({ apiVersion: 'v1', kind: 'Pod', ...item } as unknown as Pod, source, place, nodeName);
  });
}

function staticPod(given: Pod, source: 'file' | 'http', place: string, nodeName: string): Pod {
  const { name, namespace } = given.metadata;
  if (name === undefined || given.spec === undefined)
    throw new Error(`${place}: invalid pod: a name and a spec are required`);
  const hash = createHash('md5')
    .update(`host:${nodeName}${source}:${place}`)
    .update(JSON.stringify(given))
    .digest('hex');
  const uid = given.metadata.uid ?? hash;
  const tolerations = [...(given.spec.tolerations ?? []), { operator: 'Exists', effect: 'NoExecute' }];
  const pod: Pod = {
    ...given,
    metadata: {
      ...given.metadata,
      name: `${name.toLowerCase()}-${nodeName.toLowerCase()}`,
      namespace: namespace ?? 'default',
      uid,
      annotations: { ...given.metadata.annotations, [CONFIG_HASH]: hash, [CONFIG_SOURCE]: source },
    },
    spec: { ...given.spec, nodeName, tolerations },
    status: { phase: 'Pending' },
  };
  return applyDefaults({ group: '', version: 'v1', kind: 'Pod' }, pod as unknown as KubeObject) as unknown as Pod;
}
