/** An extender over HTTP, in the format of extender/v1: its fields begin with capitals. */
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { Node } from '../../api/generated/core-v1.ts';
import type { Clock } from '../../kernel/index.ts';
import { TlsTrust, TlsTrustAgent } from '../../net/tls/index.ts';
import type { Cache } from '../cache/cache.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { ExtenderConfiguration } from '../config/types.ts';
import type { Extender, ExtenderFilterResult, ExtenderVictims } from './extender.ts';

interface FilterAnswer {
  Nodes?: { items?: Node[] } | null;
  NodeNames?: string[] | null;
  FailedNodes?: Record<string, string> | null;
  FailedAndUnresolvableNodes?: Record<string, string> | null;
  Error?: string;
}

export function httpExtender(
  config: ExtenderConfiguration,
  { clock, cache }: { clock: Clock; cache: Cache },
): Extender {
  const managed = new Set(config.managedResources.map((r) => r.name));
  const call = async <T>(verb: string, body: unknown, signal: AbortSignal): Promise<T> =>
    capitalized(await post(config, verb, body, clock.deadline(config.httpTimeoutMs, signal))) as T;
  const nodesOf = (nodes: readonly Node[]): object =>
    config.nodeCacheCapable
      ? { Nodes: null, NodeNames: nodes.map((n) => n.metadata.name) }
      : { Nodes: { apiVersion: 'v1', kind: 'NodeList', metadata: {}, items: nodes }, NodeNames: null };

  return {
    name: config.urlPrefix,
    ignorable: config.ignorable,
    filters: config.filterVerb !== '',
    prioritizes: config.prioritizeVerb !== '',
    binds: config.bindVerb !== '',
    preempts: config.preemptVerb !== '',
    weight: config.weight,
    isInterested(pod) {
      if (managed.size === 0) return true;
      const containers = [...(pod.pod.spec?.containers ?? []), ...(pod.pod.spec?.initContainers ?? [])];
      return containers.some((c) =>
        [...Object.keys(c.resources?.requests ?? {}), ...Object.keys(c.resources?.limits ?? {})].some((name) =>
          managed.has(name),
        ),
      );
    },
    async filter(pod, nodes, signal): Promise<ExtenderFilterResult> {
      const answer = await call<FilterAnswer>(config.filterVerb, { Pod: pod.pod, ...nodesOf(nodes) }, signal);
      if (answer.Error) throw new Error(answer.Error);
      const names = answer.NodeNames ?? (answer.Nodes?.items ?? []).map((n) => n.metadata.name ?? '');
      return {
        nodeNames: new Set(names),
        failed: answer.FailedNodes ?? {},
        failedAndUnresolvable: answer.FailedAndUnresolvableNodes ?? {},
      };
    },
    async prioritize(pod, nodes, signal) {
      const answer = await call<{ Host: string; Score: number }[]>(
        config.prioritizeVerb,
        { Pod: pod.pod, ...nodesOf(nodes) },
        signal,
      );
      return new Map((answer ?? []).map(({ Host, Score }) => [Host, Score]));
    },
    async preempt(pod, victims, signal) {
      const full = Object.fromEntries(
        Array.from(victims, ([node, v]) => [
          node,
          { Pods: v.pods.map((p) => p.pod), NumPDBViolations: v.numPdbViolations },
        ]),
      );
      const meta = Object.fromEntries(
        Array.from(victims, ([node, v]) => [
          node,
          { Pods: v.pods.map((p) => ({ UID: p.uid })), NumPDBViolations: v.numPdbViolations },
        ]),
      );
      const body = {
        Pod: pod.pod,
        ...(config.nodeCacheCapable ? { NodeNameToMetaVictims: meta } : { NodeNameToVictims: full }),
      };
      const answer = await call<{
        NodeNameToMetaVictims?: Record<string, { Pods?: { UID: string }[]; NumPDBViolations?: number }>;
      }>(config.preemptVerb, body, signal);
      return new Map(
        Object.entries(answer.NodeNameToMetaVictims ?? {}).map(([node, v]) => [node, victimsOf(cache, node, v)]),
      );
    },
    async bind(pod, nodeName, signal) {
      const answer = await call<{ Error?: string }>(
        config.bindVerb,
        { PodName: pod.name, PodNamespace: pod.namespace, PodUID: pod.uid, Node: nodeName },
        signal,
      );
      if (answer?.Error) throw new Error(answer.Error);
    },
  };
}

function victimsOf(
  cache: Cache,
  nodeName: string,
  answer: { Pods?: { UID: string }[]; NumPDBViolations?: number },
): ExtenderVictims {
  const node = cache.table.get(nodeName);
  const pods = (answer.Pods ?? []).map(({ UID }): PodInfo => {
    const pod = node?.pods.get(UID);
    if (pod === undefined)
      throw new Error(
        `extender claims to preempt pod (UID: ${UID}) on node: ${nodeName}, but the pod is not found on that node`,
      );
    return pod;
  });
  return { pods, numPdbViolations: answer.NumPDBViolations ?? 0 };
}

/** Go reads names without regard to case; so do we, for the first letter of the answer's own fields. */
function capitalized(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(capitalized);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [CAPITALS.get(name.toLowerCase()) ?? name, entry as unknown]),
  );
}
const CAPITALS = new Map(
  [
    'Nodes',
    'NodeNames',
    'FailedNodes',
    'FailedAndUnresolvableNodes',
    'Error',
    'Host',
    'Score',
    'NodeNameToMetaVictims',
  ].map((name) => [name.toLowerCase(), name]),
);

function post(config: ExtenderConfiguration, verb: string, body: unknown, signal: AbortSignal): Promise<unknown> {
  const url = new URL(`${config.urlPrefix.replace(/(?<!\/)\/+$/, '')}/${verb}`);
  const secure = config.enableHTTPS || url.protocol === 'https:';
  if (secure) url.protocol = 'https:';
  const text = JSON.stringify(body);
  const agent = secure ? { agent: new TlsTrustAgent(trustOf(config.tlsConfig ?? {})) } : {};
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    signal,
    ...agent,
  };
  return new Promise((resolve, reject) => {
    const request = (secure ? https : http).request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode !== 200)
          reject(new Error(`failed ${verb} with extender at URL ${url.href}, code ${response.statusCode}`));
        else {
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString() || 'null'));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        }
      });
    });
    request.on('error', reject);
    request.end(text);
  });
}

function trustOf(tls: Readonly<Record<string, unknown>>): TlsTrust {
  const read = (data: unknown, file: unknown): Buffer | undefined => {
    if (typeof data === 'string' && data !== '') return Buffer.from(data, 'base64');
    return typeof file === 'string' && file !== '' ? fs.readFileSync(file) : undefined;
  };
  return new TlsTrust({
    ca: read(tls['caData'], tls['caFile'])?.toString(),
    cert: read(tls['certData'], tls['certFile']),
    key: read(tls['keyData'], tls['keyFile']),
    insecureSkipVerify: tls['insecure'] === true,
    serverName: typeof tls['serverName'] === 'string' ? tls['serverName'] : undefined,
  });
}
