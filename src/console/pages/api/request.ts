/** Requests to the API server through the console's server. */
import { signal } from '@preact/signals';
import { pastRevision } from '../router.ts';
import { T } from '../texts.ts';

export interface Status {
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: { readonly causes?: readonly { readonly message?: string; readonly field?: string }[] };
}

export class ApiError extends Error {
  readonly code: number;
  readonly status: Status;

  constructor(code: number, status: Status) {
    super(status.message ?? T.state.answered(code));
    this.code = code;
    this.status = status;
  }
}

/** undefined until it is known. */
export const session = signal<Session | undefined>(undefined);

interface Session {
  readonly signedIn: boolean;
  readonly as?: 'kubeconfig' | 'token';
  readonly server: string;
  readonly namespace?: string;
}

interface RequestOptions {
  readonly method?: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

const PROOF_KEY = 'k8ts-console-proof';

/** Signs in or out, or asks who is signed in. The proof is kept where only pages of this origin can read it. */
export async function callSession(options?: RequestOptions): Promise<Session> {
  const { proof, ...current } = (await (await send('/session', options)).json()) as Session & { proof?: string };
  if (proof !== undefined) localStorage.setItem(PROOF_KEY, proof);
  else if (!current.signedIn) localStorage.removeItem(PROOF_KEY);
  return current;
}

/** Any path of the console's server. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', body, contentType = 'application/json', accept = 'application/json' } = options;
  const response = await fetch(path, {
    method,
    headers: {
      'x-k8ts-console': localStorage.getItem(PROOF_KEY) ?? '',
      accept,
      ...(body === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  if (response.ok) return response;
  const text = await response.text();
  let status: Status = { message: text };
  try {
    status = JSON.parse(text) as Status;
  } catch {
    // Not a Status: the text says what there is to say.
  }
  if (response.status === 401 && path !== '/session' && session.value?.signedIn)
    session.value = { ...session.value, signedIn: false };
  throw new ApiError(response.status, status);
}

/** JSON of the API server; the path is that of the API server. */
export async function api<Body>(path: string, options?: RequestOptions): Promise<Body> {
  const writes = options?.method !== undefined && options.method !== 'GET' && !path.includes('/selfsubject');
  if (writes && pastRevision.peek() > 0) throw new Error(T.past.readOnly);
  return (await (await send(`/k8s${path}`, options)).json()) as Body;
}

interface QuestionOptions {
  readonly query?: Readonly<Record<string, string>>;
  /** With one, the question is a POST. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** What the console's server answers itself. */
export async function ask<T>(question: string, { query = {}, body, signal: ended }: QuestionOptions = {}): Promise<T> {
  const response = await send(`/ask/${question}?${new URLSearchParams(query).toString()}`, {
    ...(body ? { method: 'POST', body } : {}),
    ...(ended ? { signal: ended } : {}),
  });
  return (await response.json()) as T;
}

export async function apiText(path: string, options?: RequestOptions): Promise<string> {
  return (await send(`/k8s${path}`, { accept: '*/*', ...options })).text();
}

export function openSocket(path: string, protocols: readonly string[] = []): WebSocket {
  const proof = `proof.console.k8ts.dev.${localStorage.getItem(PROOF_KEY) ?? ''}`;
  // The console's server accepts the neutral one where the API server needs none.
  const socket = new WebSocket(`ws://${location.host}/k8s${path}`, [...protocols, 'console.k8ts.dev', proof]);
  socket.binaryType = 'arraybuffer';
  return socket;
}

export const messageOf = (error: unknown): string => (error as Partial<Error>).message ?? String(error);
