/** `k8ts history KIND/NAME`: the revisions of an object that the store still has, with who changed what. */
import { stringify } from 'yaml';
import { ResourceFinder } from '../client/index.ts';
import { flagsHelp, parseFlags, UsageError, type FlagTable } from '../flags/index.ts';
import { askHistory, historyOf, historyText, RemoteSpans, revisionAt } from '../glass/index.ts';
import { timeOf } from './at.ts';
import { clusterClientFlags, withClusterClient } from './cluster-client.ts';
import { CommandError, outputFlag } from './command.ts';
import { print } from './output.ts';

export const flags = {
  at: { kind: 'text', summary: 'Print the object as it was then: 5m ago, or a time such as 2026-01-02T15:04:05Z' },
  limit: { kind: 'whole', default: 200, summary: 'How many revisions to show at most' },
  ...clusterClientFlags,
  ...outputFlag,
} as const satisfies FlagTable;

const USAGE = 'k8ts history KIND/NAME [-n NAMESPACE]';
const HELP = `${USAGE}

List the revisions of an object that are kept: when, by whom, because of what, and which fields changed

Examples:
  k8ts history deployment/web
  k8ts history deployment/web --at 5m`;

export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, flags, { positional: true });
  const { values, positional, help } = parsed;
  if (help) {
    console.log(flagsHelp(flags, { usage: HELP }));
    return 0;
  }
  const [kind = '', name, ...rest] = positional.flatMap((word) => word.split('/'));
  if (name === undefined || rest.length > 0) throw new UsageError(`usage: ${USAGE}`);
  return withClusterClient(parsed, { name: 'history' }, async ({ ctx, client, namespace }) => {
    const resource = await new ResourceFinder(client).byName(kind);
    const { limit } = values;
    const options = { client, resource, namespace, name, limit, signal: ctx.signal };
    if (values.at === undefined) {
      // Other API servers record nothing: the store tells what it can.
      print(values.output, await askHistory({ ...options, spans: [] }), historyText);
      return 0;
    }
    const spans = await new RemoteSpans(client, ctx.signal).since(0).catch(() => []);
    const history = await historyOf({ ...options, spans });
    const then = revisionAt(history, timeOf(values.at, ctx.clock.now()));
    if (!then?.object) throw new CommandError(`${kind}/${name}: no revision of that time is kept, or it did not exist`);
    print(values.output, then.object, (object) => stringify(object, { lineWidth: 0 }).trimEnd());
    return 0;
  });
}
