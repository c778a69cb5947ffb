/** Sends conversations to both servers and says for each request how the answers differ. */
import type { Answer, Conversation, Step } from './conversation.ts';
import { establishedAfter } from './custom-resources.ts';
import { differences, type Difference } from './difference.ts';
import { Side, type Endpoint } from './side.ts';

export interface Job {
  readonly area: string;
  /** Which conversation of the area. */
  readonly index: number;
  readonly conversation: Conversation;
}

export interface Outcome {
  readonly area: string;
  readonly index: number;
  readonly topic: string;
  readonly step: number;
  readonly request: Step;
  readonly differences: readonly Difference[];
}

export interface CompareOptions {
  readonly ours: Endpoint;
  readonly theirs: Endpoint;
  /** Names of this run start with it. */
  readonly word: string;
  readonly ca: string;
  readonly concurrency: number;
  /** Whether ServiceAccounts come by themselves in new namespaces. */
  readonly controllers: boolean;
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** A difference that another try does not show was a race with something else in one of the clusters. */
const TRIES = 3;
/** A watch sees what happens from now on only when it has been opened. */
const WATCH_OPENS_MS = 200;

export async function compare(jobs: Iterable<Job>, options: CompareOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = jobs[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      for (const outcome of await settle(next.value, options)) {
        outcomes.push(outcome);
        options.onOutcome?.(outcome);
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return outcomes.sort((a, b) => a.area.localeCompare(b.area) || a.index - b.index || a.step - b.step);
}

/** What differs in every try. */
async function settle(job: Job, options: CompareOptions): Promise<Outcome[]> {
  let outcomes = await converse(job, 0, options);
  for (let attempt = 1; attempt < TRIES && outcomes.some((outcome) => outcome.differences.length > 0); attempt++) {
    const again = await converse(job, attempt, options);
    outcomes = outcomes.map((outcome, i) => ({
      ...outcome,
      differences: outcome.differences.filter((one) => isIn(again[i]?.differences ?? [], one)),
    }));
  }
  return outcomes;
}

function isIn(list: readonly Difference[], { path, what }: Difference): boolean {
  return list.some((one) => one.path === path && one.what === what);
}

async function converse(
  { area, index, conversation }: Job,
  attempt: number,
  options: CompareOptions,
): Promise<Outcome[]> {
  const run = `${options.word}-${area}-${index}t${attempt}`;
  const variables = { NS: `ns-${run}`, RUN: run, CA: options.ca };
  const sides = [new Side(options.ours, variables), new Side(options.theirs, variables)] as const;
  if (conversation.namespace) await Promise.all(sides.map((side) => makeNamespace(side, options.controllers)));
  const found: Promise<Outcome | undefined>[] = [];
  for (const [step, request] of conversation.steps.entries()) {
    const answers = Promise.all(sides.map((side) => side.send(request).catch(broken))) as Promise<[Answer, Answer]>;
    const outcome = answers.then(([mine, other]) =>
      differences(sides[0].comparable(request, mine), sides[1].comparable(request, other)),
    );
    found.push(
      outcome.then((list) =>
        request.setup ? undefined : { area, index, topic: conversation.topic, step, request, differences: list },
      ),
    );
    if (!request.watch) await outcome;
    const established = establishedAfter(request);
    if (established) await Promise.all(sides.map((side) => side.send(established).catch(broken)));
    const pauseMs = request.watch ? WATCH_OPENS_MS : (request.pauseMs ?? 0);
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  const outcomes = await Promise.all(found);
  await Promise.all(sides.map((side) => cleanUp(side, conversation)));
  return outcomes.filter((outcome) => outcome !== undefined);
}

/** A connection that ends without an answer is one too. */
function broken(error: unknown): Answer {
  return { status: 0, headers: {}, body: Buffer.from(String(error)) };
}

async function makeNamespace(side: Side, controllers: boolean): Promise<void> {
  await side.send({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: '$NS' } } });
  const accounts = '/api/v1/namespaces/$NS/serviceaccounts';
  if (controllers) {
    await side.send({ method: 'GET', path: `${accounts}/default`, until: 200 });
    await side.send({ method: 'GET', path: '/api/v1/namespaces/$NS/configmaps/kube-root-ca.crt', until: 200 });
  } else await side.send({ method: 'POST', path: accounts, body: { metadata: { name: 'default' } } });
}

async function cleanUp(side: Side, { namespace, cleanup = [] }: Conversation): Promise<void> {
  for (const step of cleanup) await side.send(step).catch(() => undefined);
  if (namespace) await side.send({ method: 'DELETE', path: '/api/v1/namespaces/$NS' }).catch(() => undefined);
}
