/** Which revisions of the cluster can be read, for the console's time machine, and what was written when. */
import { isExpired } from '../client/index.ts';
import type { ConsoleQuestion, KeptCommits } from '../console/index.ts';
import { spanTitle } from '../glass/index.ts';
import type { RecordedSpan } from '../kernel/index.ts';

const MAX_COMMITS = 5000;

export async function commitsAnswer(
  question: Pick<ConsoleQuestion, 'client' | 'signal'>,
  spans: readonly RecordedSpan[],
): Promise<KeptCommits> {
  const newest = (await readAt(question)) ?? 0;
  const byId = new Map(spans.map((span) => [span.id, span]));
  const commits = spans.flatMap((span) => {
    const revision = span.name === 'commit' ? span.attributes['etcd.revision'] : undefined;
    if (typeof revision !== 'number') return [];
    const user = byId.get(span.parent)?.attributes['user.name'];
    const at = span.endedAt ?? span.startedAt;
    return [{ revision, at, title: spanTitle(span), ...(typeof user === 'string' ? { user } : {}) }];
  });
  commits.sort((a, b) => a.revision - b.revision);
  const oldest = await oldestReadable(question, newest);
  return { oldest, newest, commits: commits.filter(({ revision }) => revision >= oldest).slice(-MAX_COMMITS) };
}

/** By halves: revisions before a compaction are refused, all later ones are served. */
async function oldestReadable(question: Pick<ConsoleQuestion, 'client' | 'signal'>, newest: number): Promise<number> {
  let [refused, served] = [0, newest];
  while (served - refused > 1) {
    const middle = Math.floor((refused + served) / 2);
    if ((await readAt(question, middle)) === undefined) refused = middle;
    else served = middle;
  }
  return served;
}

/** The revision of the answer; undefined when the store does not have it any more. */
async function readAt(
  { client, signal }: Pick<ConsoleQuestion, 'client' | 'signal'>,
  revision?: number,
): Promise<number | undefined> {
  const at =
    revision === undefined ? {} : { resourceVersion: String(revision), resourceVersionMatch: 'Exact' as const };
  try {
    const list = await client.resource('v1/namespaces').list({ limit: 1, signal, ...at });
    return Number(list.metadata.resourceVersion);
  } catch (error) {
    if (revision === undefined || !isExpired(error)) throw error;
    return undefined;
  }
}
