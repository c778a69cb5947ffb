/** A scheduler extender over HTTP, in the format of kube-scheduler's extender/v1, whose fields begin with capitals. */
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { Node } from '../../api/generated/core-v1.ts';
import { unlessAborted, type Clock } from '../../kernel/index.ts';
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

interface MetaVictims {
  Pods?: { UID: string }[];
  NumPDBViolations?: number;
}

export class HttpExtender implements Extender {
  readonly #config: ExtenderConfiguration;
  readonly #managedResources: ReadonlySet<string>;
  readonly #clock: Clock;
  readonly #cache: Cache;
  readonly name: string;
  readonly ignorable: boolean;
  readonly filters: boolean;
  readonly prioritizes: boolean;
  readonly binds: boolean;
  readonly preempts: boolean;
  readonly weight: number;

  constructor(config: ExtenderConfiguration, { clock, cache }: { clock: Clock; cache: Cache }) {
    this.#config = config;
    this.#managedResources = new Set(config.managedResources.map((resource) => resource.name));
    this.#clock = clock;
    this.#cache = cache;
    this.name = config.urlPrefix;
    this.ignorable = config.ignorable;
    this.filters = config.filterVerb !== '';
    this.prioritizes = config.prioritizeVerb !== '';
    this.binds = config.bindVerb !== '';
    this.preempts = config.preemptVerb !== '';
    this.weight = config.weight;
  }

  isInterested({ pod }: PodInfo): boolean {
    if (this.#managedResources.size === 0) return true;
    const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
    return containers.some(({ resources }) =>
      [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some((name) =>
        this.#managedResources.has(name),
      ),
    );
  }

  async filter({ pod }: PodInfo, nodes: readonly Node[], signal: AbortSignal): Promise<ExtenderFilterResult> {
    const body = { Pod: pod, ...this.#nodeFields(nodes) };
    const answer = await this.#call<FilterAnswer>(this.#config.filterVerb, body, signal);
    if (answer.Error) throw new Error(answer.Error);
    const names = answer.NodeNames ?? (answer.Nodes?.items ?? []).map((node) => node.metadata.name ?? '');
    return {
      nodeNames: new Set(names),
      failed: answer.FailedNodes ?? {},
      failedAndUnresolvable: answer.FailedAndUnresolvableNodes ?? {},
    };
  }

  async prioritize({ pod }: PodInfo, nodes: readonly Node[], signal: AbortSignal): Promise<Map<string, number>> {
    const body = { Pod: pod, ...this.#nodeFields(nodes) };
    const answer = await this.#call<{ Host: string; Score: number }[]>(this.#config.prioritizeVerb, body, signal);
    return new Map((answer ?? []).map(({ Host, Score }) => [Host, Score]));
  }

  async preempt(
    { pod }: PodInfo,
    victims: ReadonlyMap<string, ExtenderVictims>,
    signal: AbortSignal,
  ): Promise<Map<string, ExtenderVictims>> {
    const byNode = (podOf: (victim: PodInfo) => object): object =>
      Object.fromEntries(
        Array.from(victims, ([node, { pods, numPdbViolations }]) => [
          node,
          { Pods: pods.map(podOf), NumPDBViolations: numPdbViolations },
        ]),
      );
    const body = {
      Pod: pod,
      ...(this.#config.nodeCacheCapable
        ? { NodeNameToMetaVictims: byNode(({ uid }) => ({ UID: uid })) }
        : { NodeNameToVictims: byNode((victim) => victim.pod) }),
    };
    const answer = await this.#call<{ NodeNameToMetaVictims?: Record<string, MetaVictims> }>(
      this.#config.preemptVerb,
      body,
      signal,
    );
    const chosen = Object.entries(answer.NodeNameToMetaVictims ?? {});
    return new Map(chosen.map(([node, metaVictims]) => [node, victimsOf(this.#cache, node, metaVictims)]));
  }

  async bind({ name, namespace, uid }: PodInfo, nodeName: string, signal: AbortSignal): Promise<void> {
    const body = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: nodeName };
    const answer = await this.#call<{ Error?: string }>(this.#config.bindVerb, body, signal);
    if (answer?.Error) throw new Error(answer.Error);
  }

  async #call<T>(verb: string, body: unknown, signal: AbortSignal): Promise<T> {
    const deadline = this.#clock.deadline(this.#config.httpTimeoutMs, signal);
    return capitalized(await unlessAborted(deadline, post(this.#config, verb, body, deadline))) as T;
  }

  /** An extender with a cache of its own gets the names only. */
  #nodeFields(nodes: readonly Node[]): object {
    return this.#config.nodeCacheCapable
      ? { Nodes: null, NodeNames: nodes.map((node) => node.metadata.name) }
      : { Nodes: { apiVersion: 'v1', kind: 'NodeList', metadata: {}, items: nodes }, NodeNames: null };
  }
}

function victimsOf(cache: Cache, nodeName: string, answer: MetaVictims): ExtenderVictims {
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

/** Go decodes field names in any case, so the fields of an answer are accepted in any case too. */
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
