/** Questions of the pages that the API alone does not answer: why an object is as it is, its history, whether a pod would fit. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Client } from '../../client/index.ts';
import type { Context } from '../../kernel/index.ts';
import { sendError, sendStatus } from './api-proxy.ts';
import { readJsonBody } from './json-body.ts';
import type { Session } from './sessions.ts';

export interface ConsoleQuestion {
  readonly query: URLSearchParams;
  /** Of a POST; undefined otherwise. Questions that change something have one. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Reads as the user who asks. */
  readonly client: Client;
  /** Whether the user is the kubeconfig's; otherwise they signed in with a token. */
  readonly asKubeconfigUser: boolean;
  /** Aborts when the page no longer waits for the answer. */
  readonly signal: AbortSignal;
}

export type ConsoleQuestions = Readonly<Record<string, (question: ConsoleQuestion) => Promise<unknown>>>;

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly session: Session;
  readonly query: URLSearchParams;
  readonly name: string;
  readonly questions: ConsoleQuestions;
}

const MAX_BODY_BYTES = 1024 * 1024;

export async function serveQuestion(ctx: Context, asked: Asked): Promise<void> {
  const { request, response, session, query, name, questions } = asked;
  const answer = Object.hasOwn(questions, name) ? questions[name] : undefined;
  if (answer === undefined)
    return sendStatus(response, 404, { reason: 'NotFound', message: `There is no question ${name}.` });
  const body = request.method === 'POST' ? await readJsonBody(request, MAX_BODY_BYTES) : undefined;
  if (request.method !== 'GET' && body === undefined)
    return sendStatus(response, 400, { reason: 'BadRequest', message: 'A question is a GET, or a POST of JSON.' });
  const ended = new AbortController();
  response.once('close', () => ended.abort(new Error('the page no longer asks')));
  const client = connect(ctx, session.config);
  try {
    const asKubeconfigUser = session.as === 'kubeconfig';
    const value = await answer({ query, body, client, asKubeconfigUser, signal: ended.signal });
    response
      .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(value ?? {}));
  } catch (error) {
    sendError(response, error);
  } finally {
    await client.close();
  }
}
