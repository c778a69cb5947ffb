/** What the pages of the console can ask besides the API, answered by glass as the user who asks. */
import { ResourceFinder, type ClientConfig } from '../client/index.ts';
import type { ConsoleAnswers, ConsoleQuestion, ConsoleQuestions } from '../console/index.ts';
import { historyOf, RemoteSpans, why, whyConnection, type SchedulingDecision } from '../glass/index.ts';
import type { Context, RecordedSpan } from '../kernel/index.ts';
import { commitsAnswer } from './console-commits.ts';
import { fitAnswer, type WouldFit } from './console-fit.ts';
import { Laboratory, type Experiments } from './console-laboratory.ts';

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

export interface ConsoleQuestionOptions {
  readonly config: Pick<ClientConfig, 'namespace'>;
  readonly schedulingDecision?: (pod: PodName) => Promise<SchedulingDecision | undefined>;
  readonly wouldFit?: WouldFit;
  /** Of a cluster of simulated nodes in this process. */
  readonly experiments?: Experiments;
}

/** Answers have the form in which the pages read them. */
type Answered = {
  readonly [Name in keyof ConsoleAnswers]: (question: ConsoleQuestion) => Promise<ConsoleAnswers[Name]>;
};

export function consoleQuestions(ctx: Context, options: ConsoleQuestionOptions): ConsoleQuestions {
  const { config, schedulingDecision, wouldFit, experiments } = options;
  const laboratory = experiments && new Laboratory(experiments);
  return {
    why: ({ query, client, asKubeconfigUser, signal }) =>
      why(query.get('reference') ?? '', {
        client,
        namespace: query.get('namespace') || config.namespace,
        now: () => ctx.clock.now(),
        signal,
        // The scheduler tells about all nodes, so only the cluster's own user sees its decisions.
        ...(schedulingDecision && asKubeconfigUser ? { schedulingDecision } : {}),
      }),
    connection: ({ query, client, signal }) =>
      whyConnection({
        client,
        from: query.get('from') ?? '',
        to: query.get('to') ?? '',
        namespace: query.get('namespace') || config.namespace || 'default',
        now: () => ctx.clock.now(),
        signal,
      }),
    fit: (question) => fitAnswer(question, wouldFit),
    // Without one, the page says why it is empty.
    laboratory: (question) => laboratory?.answer(question) ?? Promise.resolve({}),
    history: historyAnswer,
    commits: async (question) => commitsAnswer(question, await newestSpans(question)),
  } satisfies ConsoleQuestions & Answered;
}

const MAX_REVISIONS = 100;
/** What the pages may have to hold: objects can have a megabyte each. */
const MAX_HISTORY_BYTES = 8 * 1024 * 1024;
const MAX_CHANGES = 100;

async function historyAnswer({ query, client, signal }: ConsoleQuestion): Promise<object> {
  const resource = await new ResourceFinder(client).byName(query.get('resource') ?? '');
  const [namespace, name] = [query.get('namespace') ?? '', query.get('name') ?? ''];
  const spans = await newestSpans({ client, signal });
  const history = await historyOf({ client, resource, namespace, name, spans, signal, limit: MAX_REVISIONS });
  let size = 0;
  const revisions = history.revisions.map(({ object, changes, ...revision }) => {
    const { managedFields: _, ...metadata } = object?.metadata ?? { name: '' };
    const kept = object && { ...object, metadata };
    size += JSON.stringify(kept ?? {}).length;
    const isKept = size <= MAX_HISTORY_BYTES;
    return { ...revision, changes: isKept ? changes.slice(0, MAX_CHANGES) : [], ...(isKept ? { object: kept } : {}) };
  });
  return { ...history, revisions, isRecorded: spans.length > 0 };
}

/** The recorder may hold many times as many; the pages show the recent past. */
const MAX_SPANS = 20_000;

/** None on other API servers, and for users who may not read them. */
async function newestSpans({ client, signal }: Pick<ConsoleQuestion, 'client' | 'signal'>): Promise<RecordedSpan[]> {
  const spans = new RemoteSpans(client, signal);
  try {
    return await spans.since(Math.max(0, (await spans.next()) - MAX_SPANS));
  } catch {
    return [];
  }
}
