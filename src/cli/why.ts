/** `k8ts why`: why an object is not as its spec asks for, why somebody is denied something, what became of a request or connection. */
import { ResourceFinder } from '../client/index.ts';
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import {
  accessText,
  answerText,
  askWhy,
  connectionText,
  requestText,
  why,
  whyConnection,
  whyDenied,
  whyRequest,
  type NodeRules,
  type SchedulingDecision,
} from '../glass/index.ts';
import { clusterClientFlags, withClusterClient, type ClusterClient } from './cluster-client.ts';
import { outputFlag } from './command.ts';
import type { RunningCluster } from './control-client.ts';
import { print } from './output.ts';
import { queryScheduler } from './query-scheduler.ts';

export const flags = {
  as: { kind: 'text', summary: 'With denied: whose access (default: your own)' },
  'as-group': { kind: 'repeated', summary: 'With denied: a group of that user; may be repeated' },
  protocol: { kind: 'text', default: 'TCP', only: ['TCP', 'UDP', 'SCTP'], summary: 'With connection: the protocol' },
  scheduler: { kind: 'text', summary: 'Address of a separate scheduler, for its decisions about a pod' },
  all: { kind: 'switch', summary: 'Show all nodes' },
  ...clusterClientFlags,
  ...outputFlag,
} as const satisfies FlagTable;
export const verbs = ['connection', 'denied', 'request'] as const;

type Parsed = ReturnType<typeof parsed>;
const parsed = (argv: readonly string[]) => parseFlags(argv, flags, { positional: true });

const USAGE = [
  'k8ts why KIND/NAME [-n NAMESPACE]',
  'k8ts why denied [--as USER] [--as-group GROUP] VERB RESOURCE[/NAME] [-n NAMESPACE]',
  'k8ts why request AUDIT-ID',
  'k8ts why connection POD to service/NAME:PORT | pod/NAME:PORT | DNS-NAME:PORT | ADDRESS:PORT [--protocol UDP]',
];

const HELP = `${USAGE.join('\n')}

Name the cause when an object is not as its spec asks for, when a connection or request fails or somebody is denied
something, with the evidence and what helps

Examples:
  k8ts why pod/web-5d9c7
  k8ts why denied --as jane delete pods/web-5d9c7
  k8ts why connection pod/client to service/web:80`;

export async function run(argv: readonly string[]): Promise<number> {
  const given = parsed(argv);
  const { positional, help } = given;
  if (help) {
    console.log(flagsHelp(flags, { usage: HELP }));
    return 0;
  }
  const [first = '', ...rest] = positional;
  switch (first) {
    case 'denied':
      return denied(given, rest);
    case 'connection':
      return connection(given, rest);
    case 'request':
      return request(given, rest);
    default:
      return object(given, positional.join('/'));
  }
}

const usage = (): UsageError => new UsageError(`usage: ${USAGE.join('\n       ')}`);

function object(given: Parsed, reference: string): Promise<number> {
  if (reference.split('/').filter((part) => part !== '').length !== 2) throw usage();
  const { values } = given;
  return withClusterClient(given, { name: 'why' }, async ({ ctx, client, namespace, here }) => {
    const { scheduler, kubeconfig } = values;
    const ask = scheduler === undefined ? askWhy : why;
    const answer = await ask(reference, {
      client,
      namespace,
      now: () => ctx.clock.now(),
      signal: ctx.signal,
      ...(scheduler !== undefined
        ? {
            schedulingDecision: ({ namespace: of, name: pod }) =>
              queryScheduler({ address: scheduler, kubeconfig, namespace: of, pod }),
          }
        : here
          ? { schedulingDecision: (pod) => decisionOf(here, pod) }
          : {}),
      ...(values.all ? { maxNodes: Infinity } : {}),
    });
    print(values.output, answer, answerText);
    return 0;
  });
}

function denied(given: Parsed, [verb, target, ...rest]: readonly string[]): Promise<number> {
  if (verb === undefined || target === undefined || rest.length > 0) throw usage();
  const { values } = given;
  return withClusterClient(given, { name: 'why' }, async ({ ctx, client, namespace }) => {
    const answer = await whyDenied({
      client,
      signal: ctx.signal,
      verb,
      namespace,
      ...(values.as === undefined ? {} : { as: values.as }),
      ...(values['as-group'] ? { asGroups: values['as-group'] } : {}),
      ...(await accessTarget(client, target)),
    });
    print(values.output, answer, accessText);
    return 0;
  });
}

/** `pods`, `pods/web`, `pods/log`, `deployments.apps/web/scale`, or a path such as /healthz. */
async function accessTarget(
  client: ClusterClient['client'],
  target: string,
): Promise<Pick<Parameters<typeof whyDenied>[0], 'resource' | 'name' | 'subresource'>> {
  if (target.startsWith('/')) return { resource: target };
  const [word = '', name, subresource] = target.split('/');
  const resource = await new ResourceFinder(client).byName(word);
  return { resource, ...(name ? { name } : {}), ...(subresource ? { subresource } : {}) };
}

function request(given: Parsed, [auditId, ...rest]: readonly string[]): Promise<number> {
  if (auditId === undefined || rest.length > 0) throw usage();
  return withClusterClient(given, { name: 'why' }, async ({ ctx, client }) => {
    print(given.values.output, await whyRequest({ client, auditId, signal: ctx.signal }), requestText);
    return 0;
  });
}

/** `pod/a to service/b:80`, or quoted for the shell `'pod/a -> service/b:80'`. */
function connection(given: Parsed, words: readonly string[]): Promise<number> {
  const [from, to, ...rest] = words
    .flatMap((word) => word.split(/\s+/))
    .filter((word) => !['', '->', 'to', '-'].includes(word));
  if (from === undefined || to === undefined || rest.length > 0) throw usage();
  const { values } = given;
  return withClusterClient(given, { name: 'why' }, async ({ ctx, client, namespace, here }) => {
    const protocol = values.protocol as 'TCP' | 'UDP' | 'SCTP';
    const options = {
      client,
      from,
      to,
      namespace,
      protocol,
      now: () => ctx.clock.now(),
      signal: ctx.signal,
      ...(here ? { nodeRules: (node: string) => nodeRulesOf(here, node) } : {}),
    };
    print(values.output, await whyConnection(options), connectionText);
    return 0;
  });
}

/** undefined for a node that runs no containers. */
export const nodeRulesOf = (cluster: RunningCluster, node: string): Promise<NodeRules | undefined> =>
  cluster.call<NodeRules>('GET', `/node-rules?node=${encodeURIComponent(node)}`).catch(() => undefined);

export async function decisionOf(
  cluster: RunningCluster,
  { namespace, name }: { namespace: string; name: string },
): Promise<SchedulingDecision | undefined> {
  const query = `namespace=${encodeURIComponent(namespace)}&pod=${encodeURIComponent(name)}`;
  // A scheduler that has not tried the pod has no decision.
  return cluster.call<SchedulingDecision>('GET', `/explain?${query}`).catch(() => undefined);
}
