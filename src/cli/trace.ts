/** `k8ts trace`: does something, and shows everything that it causes until the cluster is quiet. */
import fs from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { ResourceFinder, type DiscoveredResource } from '../client/index.ts';
import { applyManifests } from '../cluster/index.ts';
import { flagsHelp, parseFlags, UsageError, type FlagTable } from '../flags/index.ts';
import {
  followTrace,
  lastTraceOf,
  RemoteSpans,
  traceMermaid,
  traceOtlp,
  tracesOf,
  tracesOtlp,
  traceText,
  type FollowedTrace,
} from '../glass/index.ts';
import type { RecordedSpan } from '../kernel/index.ts';
import { clusterClientFlags, withClusterClient, type ClusterClient } from './cluster-client.ts';
import { CommandError } from './command.ts';
import { startForwardingServer } from './forwarding-server.ts';
import { runCommand } from './run-command.ts';

export const flags = {
  filename: { kind: 'repeated', shorthand: 'f', summary: 'trace apply: the files to apply; - for standard input' },
  replicas: { kind: 'whole', summary: 'trace scale: the number of pods' },
  last: { kind: 'switch', summary: 'trace KIND/NAME: show what the last write to the object caused' },
  all: { kind: 'switch', summary: 'Show everything that the cluster has recorded and still keeps' },
  'until-served': {
    kind: 'text',
    summary: 'Request service/NAME from a node until it answers, too: its first answer is part of the trace',
  },
  timeout: { kind: 'duration', default: 60_000, summary: 'Follow at most this long' },
  ...clusterClientFlags,
  output: {
    kind: 'text',
    shorthand: 'o',
    only: ['text', 'json', 'otlp', 'mermaid'],
    default: 'text',
    summary: 'Output format',
  },
} as const satisfies FlagTable;
export const verbs = ['apply', 'scale', 'delete'] as const;

const USAGE = [
  'k8ts trace apply -f FILE',
  'k8ts trace scale KIND/NAME --replicas N',
  'k8ts trace delete KIND/NAME',
  'k8ts trace KIND/NAME --last',
  'k8ts trace -- COMMAND…',
  'k8ts trace --all',
];
const HELP = `${USAGE.join('\n')}

Do something, follow everything that it causes until the cluster is quiet, and print it as a tree: who wrote what because of
what, when, and what was refused or still waits

Examples:
  k8ts trace apply -f web.yaml --until-served service/web
  k8ts trace deployment/web --last -o mermaid
  k8ts trace -- kubectl rollout restart deployment/web
  k8ts trace --all -o otlp > traces.json`;

const usage = (): UsageError => new UsageError(`usage: ${USAGE.join('\n       ')}`);

type Parsed = ReturnType<typeof parse>;

const parse = (argv: readonly string[]) => parseFlags(argv, flags, { positional: true });

export async function run(argv: readonly string[]): Promise<number> {
  const end = argv.indexOf('--');
  const parsed = parse(end < 0 ? argv : argv.slice(0, end));
  if (parsed.help) {
    console.log(flagsHelp(flags, { usage: HELP }));
    return 0;
  }
  const command = end < 0 ? [] : argv.slice(end + 1);
  const { positional, values } = parsed;
  const isRunning = command.length > 0 && positional.length === 0;
  if (
    values.all
      ? argv.includes('--') || positional.length > 0
      : !isRunning && (command.length > 0 || positional.length === 0)
  )
    throw usage();
  return withClusterClient(parsed, { name: 'trace', tracer: 'memory' }, async (cluster) => {
    if (values.all) {
      printAll(values.output, await new RemoteSpans(cluster.client, cluster.ctx.signal).since(0));
      return 0;
    }
    if (values.last) {
      print(values.output, await lastTrace(cluster, parsed));
      return 0;
    }
    const work = isRunning ? runningOf(command) : workOf(parsed);
    const { code, trace } = await traceOf(cluster, parsed, work);
    if (trace) print(values.output, trace);
    else console.error('nothing was written, so there is nothing to follow');
    return code;
  });
}

interface TracedWork {
  /** The name of the trace. */
  readonly title: string;
  /** Returns the exit code. */
  run(cluster: ClusterClient, cause: number): Promise<number>;
}

const runningOf = (command: readonly string[]): TracedWork => ({
  title: command.join(' '),
  async run({ ctx, config, namespace }, cause) {
    const server = await startForwardingServer(ctx, { config, namespace, cause });
    try {
      return await runCommand(command, { KUBECONFIG: server.kubeconfig });
    } finally {
      await server.close();
    }
  },
});

function workOf({ positional, values }: Parsed): TracedWork {
  const [verb, ...references] = positional;
  if (verb === 'apply' && references.length === 0 && values.filename) {
    const files = values.filename;
    return { title: `apply -f ${files.join(' -f ')}`, run: (cluster) => apply(cluster, files) };
  }
  const [reference] = references;
  if (references.length !== 1 || reference === undefined) throw usage();
  if (verb === 'delete')
    return { title: `delete ${reference}`, run: (cluster) => deleteObject(cluster, reference).then(() => 0) };
  const { replicas } = values;
  if (verb !== 'scale' || replicas === undefined) throw usage();
  return {
    title: `scale ${reference} --replicas ${replicas}`,
    run: (cluster) => scale(cluster, reference, replicas).then(() => 0),
  };
}

async function apply({ client, namespace }: ClusterClient, files: readonly string[]): Promise<number> {
  const texts = await Promise.all(
    files.map((file) => (file === '-' ? readStream(process.stdin) : fs.readFile(file, 'utf8'))),
  );
  await applyManifests(client, new ResourceFinder(client), texts, { namespace, fieldManager: 'k8ts-trace' });
  return 0;
}

async function deleteObject({ client, namespace }: ClusterClient, reference: string): Promise<void> {
  const { resource, name } = await find(client, reference);
  await client.resource(resource).delete({ name, ...(resource.namespaced ? { namespace } : {}) });
}

async function scale({ client, namespace }: ClusterClient, reference: string, replicas: number): Promise<void> {
  const { resource, name } = await find(client, reference);
  await client
    .resource(resource)
    .patch({ name, namespace }, { spec: { replicas } }, { type: 'merge', subresource: 'scale' });
}

async function find(
  client: ClusterClient['client'],
  reference: string,
): Promise<{ resource: DiscoveredResource; name: string }> {
  const [kind = '', name, ...rest] = reference.split('/');
  if (name === undefined || rest.length > 0)
    throw new UsageError(`${JSON.stringify(reference)} is not KIND/NAME, such as deployment/web`);
  return { resource: await new ResourceFinder(client).byName(kind), name };
}

/** The span of this process names the trace: the API server records it when the first request names it as its cause. */
async function traceOf(
  cluster: ClusterClient,
  { values }: Parsed,
  work: TracedWork,
): Promise<{ code: number; trace: FollowedTrace | undefined }> {
  const { ctx, client } = cluster;
  const spans = new RemoteSpans(client, ctx.signal);
  const from = await spans.next();
  const { id } = ctx.tracer.start(`trace ${work.title.slice(0, 200)}`);
  const { traceparent = '' } = ctx.tracer.headersOf(id) ?? {};
  const code = await work.run({ ...cluster, client: client.causedBy({ span: id }) }, id);
  const recorded = await spans.since(from);
  const root = recorded.find(({ isRemote, spanId }) => isRemote && traceparent.includes(spanId));
  if (!root) return { code, trace: undefined };
  const served = values['until-served'];
  if (served !== undefined) await untilServed(cluster, served, { parent: root.id, timeoutMs: values.timeout });
  return { code, trace: await follow(cluster, root.id, values.timeout) };
}

/** The cluster's own process requests the Service, from a node: from elsewhere its address leads nowhere. */
async function untilServed(
  { here, namespace }: ClusterClient,
  reference: string,
  { parent, timeoutMs }: { parent: number; timeoutMs: number },
): Promise<void> {
  const [kind, name, ...rest] = reference.split('/');
  if (!['service', 'services', 'svc'].includes(kind ?? '') || !name || rest.length > 0)
    throw new UsageError(`--until-served ${JSON.stringify(reference)}: name a Service, such as service/web`);
  if (!here) throw new CommandError('--until-served works with the cluster of this machine only');
  await here.call('POST', '/first-answer', { namespace, name, parent, timeoutMs });
}

const POLL_MS = 100;

const follow = (
  { ctx, client }: ClusterClient,
  root: number,
  timeoutMs: number,
  quietMs?: number,
): Promise<FollowedTrace> => {
  const spans = new RemoteSpans(client, ctx.signal);
  return followTrace({
    spans: (since) => spans.since(since),
    root,
    client,
    now: () => ctx.clock.monotonic(),
    pause: () => ctx.clock.sleep(POLL_MS, ctx.signal),
    timeoutMs,
    ...(quietMs === undefined ? {} : { quietMs }),
  });
};

async function lastTrace(cluster: ClusterClient, { positional, values }: Parsed): Promise<FollowedTrace> {
  const { ctx, client } = cluster;
  const { resource, name } = await find(client, positional.join('/'));
  const root = lastTraceOf(await new RemoteSpans(client, ctx.signal).since(0), {
    resource: resource.plural,
    group: resource.group,
    namespace: resource.namespaced ? cluster.namespace : '',
    name,
  });
  if (root === undefined)
    throw new CommandError(`no write to ${positional.join('/')} is recorded any more: the newest spans are kept only`);
  return follow(cluster, root, values.timeout, 0);
}

function printAll(output: string, spans: readonly RecordedSpan[]): void {
  if (output === 'mermaid') throw new UsageError('--all -o mermaid: a flowchart shows one trace only');
  const traces = tracesOf(spans);
  if (output === 'otlp') console.log(JSON.stringify(tracesOtlp(traces)));
  else if (output === 'json') console.log(JSON.stringify([...traces], null, 2));
  else for (const trace of traces) process.stdout.write(`${traceText(trace)}\n`);
}

function print(output: string, trace: FollowedTrace): void {
  if (output === 'json') console.log(JSON.stringify(trace, null, 2));
  else if (output === 'otlp') console.log(JSON.stringify(traceOtlp(trace)));
  else process.stdout.write(output === 'mermaid' ? traceMermaid(trace) : traceText(trace));
}
