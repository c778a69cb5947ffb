/** `k8ts explain pod NAME`: why a pod is on its node, or on none. */
import { flagsHelp, type FlagTable, parseFlags, UsageError } from '../flags/index.ts';
import type { Explanation } from '../scheduler/index.ts';
import { dataDirFlag, outputFlag } from './command.ts';
import { runningCluster } from './control-client.ts';
import { bold, print, table } from './output.ts';
import { queryScheduler } from './query-scheduler.ts';

export const flags = {
  namespace: { kind: 'text', shorthand: 'n', default: 'default', summary: "The pod's namespace" },
  all: { kind: 'switch', summary: 'Show all nodes' },
  scheduler: {
    kind: 'text',
    summary: 'Address of a separate scheduler (default: the running cluster, then https://127.0.0.1:10259)',
  },
  kubeconfig: { kind: 'text', summary: 'Kubeconfig with credentials for a separate scheduler' },
  ...dataDirFlag,
  ...outputFlag,
} as const satisfies FlagTable;
export const verbs = ['pod'] as const;

const SHOWN_NODES = 20;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: 'k8ts explain pod NAME: explain why a pod is on its node, or Pending' }));
    return 0;
  }
  const [kind, name, ...rest] = positional.flatMap((word) => word.split('/'));
  if (!['pod', 'pods', 'po'].includes(kind ?? '') || name === undefined || rest.length > 0)
    throw new UsageError('usage: k8ts explain pod NAME [-n NAMESPACE]');
  const query = `namespace=${encodeURIComponent(values.namespace)}&pod=${encodeURIComponent(name)}`;
  const querySeparateScheduler = (): Promise<Explanation> =>
    queryScheduler({
      address: values.scheduler,
      kubeconfig: values.kubeconfig,
      namespace: values.namespace,
      pod: name,
    });
  const queryCluster = async (): Promise<Explanation> =>
    runningCluster(parsed).call<Explanation>('GET', `/explain?${query}`);
  const explanation =
    values.scheduler === undefined
      ? await queryCluster().catch((error: unknown) => querySeparateScheduler().catch(() => Promise.reject(error)))
      : await querySeparateScheduler();
  print(values.output, explanation, (all) => text(all, values.all ? Infinity : SHOWN_NODES));
  return 0;
}

function text(
  { pod, outcome, node, message, time, attempt, feasibleNodes, totalNodes, nodes, whatWouldHelp }: Explanation,
  limit: number,
): string {
  const where = outcome === 'scheduled' ? `was put on ${bold(node)}` : `is ${bold(outcome)}: ${message}`;
  const rows = nodes.slice(0, limit).map(({ node: name, fits, filters, total }) => {
    const failed = filters.find(({ result }) => result === 'fail');
    return [
      name,
      fits ? 'fits' : 'does not fit',
      total === undefined ? '' : String(Math.round(total)),
      failed ? `${failed.plugin}: ${failed.reasons?.join('; ') ?? ''}` : '',
    ];
  });
  return [
    `Pod ${pod.namespace}/${pod.name} ${where}`,
    `attempt ${attempt} at ${time}; ${feasibleNodes} of ${totalNodes} nodes fit`,
    '',
    table([['NODE', 'RESULT', 'SCORE', 'WHY'], ...rows]),
    ...(nodes.length > limit ? [`… and ${nodes.length - limit} more; --all shows them`] : []),
    ...(whatWouldHelp.length > 0 ? ['', 'What would help:', ...whatWouldHelp.map((line) => `  ${line}`)] : []),
  ].join('\n');
}
