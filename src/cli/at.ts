/** `k8ts at TIME -- COMMAND`: runs a reading command against the cluster as it was. */
import { errorMessage } from '../base/index.ts';
import { flagsHelp, parseFlags, UsageError, type FlagTable } from '../flags/index.ts';
import { clusterRevisionAt, pastTime, PastTransport, RemoteSpans } from '../glass/index.ts';
import { splitTarget } from '../net/http/index.ts';
import { clusterClientFlags, withClusterClient, type ClusterClient } from './cluster-client.ts';
import { CommandError } from './command.ts';
import { startPrivateServer, type ServePrivately } from './private-server.ts';
import { runCommand } from './run-command.ts';

export const flags = clusterClientFlags satisfies FlagTable;

const USAGE = 'k8ts at TIME -- COMMAND…';
const HELP = `${USAGE}

Run a reading command against the cluster as it was; writes, watches, logs and exec are refused
TIME is a duration ago (5m), a time (2026-01-02T15:04:05Z) or a revision (@1234)

Example:
  k8ts at 5m -- kubectl get pods -A`;

export async function run(argv: readonly string[]): Promise<number> {
  const end = argv.indexOf('--');
  const parsed = parseFlags(end < 0 ? argv : argv.slice(0, end), flags, { positional: true });
  if (parsed.help) {
    console.log(flagsHelp(flags, { usage: HELP }));
    return 0;
  }
  const command = end < 0 ? [] : argv.slice(end + 1);
  const [when, ...rest] = parsed.positional;
  if (when === undefined || rest.length > 0 || command.length === 0) throw new UsageError(`usage: ${USAGE}`);
  return withClusterClient(parsed, { name: 'at' }, async (cluster) => {
    const revision = await revisionOf(cluster, when);
    const past = new PastTransport(cluster.client, revision);
    const server = await startPrivateServer(cluster.ctx, { namespace: cluster.namespace, serve: serveFrom(past) });
    try {
      return await runCommand(command, { KUBECONFIG: server.kubeconfig });
    } finally {
      await server.close();
    }
  });
}

/** Milliseconds since the epoch. */
export function timeOf(text: string, now: number): number {
  try {
    return pastTime(text, now);
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

/** The revision that the cluster had then. */
export async function revisionOf(
  { client, ctx }: Pick<ClusterClient, 'client' | 'ctx'>,
  when: string,
): Promise<number> {
  if (/^@\d{1,15}$/.test(when)) return Number(when.slice(1));
  const time = timeOf(when, ctx.clock.now());
  const spans = await new RemoteSpans(client, ctx.signal).since(0);
  const revision = clusterRevisionAt(spans, time);
  if (revision !== undefined) return revision;
  const since = spans[0] ? new Date(spans[0].startedAt).toISOString() : 'now';
  throw new CommandError(`no write of that time is recorded: the newest spans reach back to ${since}`);
}

const serveFrom =
  (past: PastTransport): ServePrivately =>
  async ({ method, target, headers, signal }, response) => {
    const { path, query } = splitTarget(target);
    const answer = await past.request({
      method: method as 'GET',
      path,
      query: Object.fromEntries(query),
      headers: { accept: jsonOf(headers['accept']) },
      signal,
    });
    // The form of a discovery document is part of its content type.
    const contentType = answer.headers['content-type'] ?? 'application/json';
    const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
    response.writeHead(answer.status, { 'content-type': contentType }).end(text);
  };

/** Lists are taken apart here, so they are asked for in JSON. */
function jsonOf(accept: string | readonly string[] | undefined): string {
  const wanted = String(accept ?? '')
    .split(',')
    .filter((type) => type.trim().startsWith('application/json'));
  return wanted.length > 0 ? wanted.join(',') : 'application/json';
}
