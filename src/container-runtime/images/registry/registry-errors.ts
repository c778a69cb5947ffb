/** Errors of registries, with the messages and codes that the kubelet's events are based on. */
import { ImageError } from '../image-error.ts';

const UNREACHABLE = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EHOSTDOWN']);
const DISCONNECTED = new Set(['ECONNRESET', 'EPIPE', 'EAI_AGAIN', 'ERR_STREAM_PREMATURE_CLOSE']);

/** A retry may help. */
class TransientError extends ImageError {}

export function isTransient(error: unknown): boolean {
  return error instanceof TransientError;
}

/** Whether the server answered a TLS handshake with plain HTTP. */
export function isPlainHttpAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
}

/** Whether no registry has answered at all: an error along the chain of causes is of the connection, or of the name. */
export function isRegistryUnreachable(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = codeOf(at);
    if (code !== undefined && (UNREACHABLE.has(code) || code === 'ENOTFOUND' || code === 'EAI_AGAIN')) return true;
  }
  return false;
}

/** The error of a request without a response. */
export function connectionError(error: unknown, url: string): unknown {
  if (error instanceof ImageError || (error instanceof Error && error.name === 'AbortError')) return error;
  const code = codeOf(error);
  const reason = error instanceof Error && error.message !== '' ? error.message : (code ?? String(error));
  const message = `failed to do request: GET ${withoutQuery(url)}: ${reason}`;
  if (code !== undefined && UNREACHABLE.has(code))
    return new ImageError('UNKNOWN', `RegistryUnavailable: ${message}`, { cause: error });
  if (code !== undefined && DISCONNECTED.has(code)) return new TransientError('UNAVAILABLE', message, { cause: error });
  return new ImageError('UNKNOWN', message, { cause: error });
}

/** The error of a response with an error status. */
export function statusError({
  status,
  body,
  url,
  what,
  method = 'GET',
}: {
  status: number;
  body: string;
  url: string;
  what: string;
  method?: string;
}): ImageError {
  const text = serverMessage(body);
  const server = text === '' ? '' : `: server message: ${text}`;
  if (status === 404) return new ImageError('NOT_FOUND', `${nameIn(url, what)}: not found`);
  if (status === 401) {
    return new ImageError(
      'UNAUTHENTICATED',
      `failed to authorize: 401 Unauthorized: repository ${what} does not exist or may require authorization${server}`,
    );
  }
  if (status === 403) {
    return new ImageError(
      'PERMISSION_DENIED',
      `${method === 'GET' ? 'pull' : 'push'} access denied, repository ${what} does not exist or may require authorization${server}`,
    );
  }
  const message = `unexpected status from ${method} request to ${withoutQuery(url)}: ${status}${server}`;
  if (status === 429) return new TransientError('RESOURCE_EXHAUSTED', `toomanyrequests: ${message}`);
  if (status === 502 || status === 503 || status === 504)
    return new TransientError('UNKNOWN', `RegistryUnavailable: ${message}`);
  return status >= 500 ? new TransientError('UNAVAILABLE', message) : new ImageError('UNKNOWN', message);
}

/** `name:tag` or `name@digest` of the request's URL. */
function nameIn(url: string, what: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  return `${what}${last.includes(':') ? '@' : ':'}${last}`;
}

/** The first error of `{"errors":[{"code","message"}]}`; other bodies are not shown in events. */
function serverMessage(body: string): string {
  try {
    const { errors } = JSON.parse(body) as { errors?: readonly { code?: unknown; message?: unknown }[] };
    const [first] = errors ?? [];
    const text = [first?.code, first?.message].filter((part) => typeof part === 'string').join(': ');
    return text.replace(/[^\x20-\x7e]/g, '').slice(0, 200);
  } catch {
    return '';
  }
}

/** The query of signed URLs contains secrets. */
function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
