/** What went wrong with a registry, in the words and codes that the kubelet makes its events of. */
import { ImageError } from '../image-error.ts';

const UNREACHABLE = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EHOSTDOWN']);
const BROKEN_OFF = new Set(['ECONNRESET', 'EPIPE', 'EAI_AGAIN', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Asking again may help. */
class TransientError extends ImageError {}

export function isTransient(error: unknown): boolean {
  return error instanceof TransientError;
}

/** The server answered a TLS greeting with something else. */
export function isPlainHttpAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG';
}

/** A request that got no answer. */
export function connectionError(error: unknown, url: string): unknown {
  if (error instanceof ImageError || (error instanceof Error && error.name === 'AbortError')) return error;
  const code = codeOf(error);
  const reason = error instanceof Error && error.message !== '' ? error.message : (code ?? String(error));
  const message = `failed to do request: GET ${withoutQuery(url)}: ${reason}`;
  if (code !== undefined && UNREACHABLE.has(code))
    return new ImageError('UNKNOWN', `RegistryUnavailable: ${message}`, { cause: error });
  if (code !== undefined && BROKEN_OFF.has(code)) return new TransientError('UNAVAILABLE', message, { cause: error });
  return new ImageError('UNKNOWN', message, { cause: error });
}

/** A request that was answered with a refusal. */
export function statusError({
  status,
  body,
  url,
  what,
}: {
  status: number;
  body: string;
  url: string;
  what: string;
}): ImageError {
  const said = serverMessage(body);
  const server = said === '' ? '' : `: server message: ${said}`;
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
      `pull access denied, repository ${what} does not exist or may require authorization${server}`,
    );
  }
  const message = `unexpected status from GET request to ${withoutQuery(url)}: ${status}${server}`;
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

/** Registries answer with `{"errors":[{"code","message"}]}`; anything else is not for an event. */
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

/** Signed URLs carry secrets in their query. */
function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? url;
}

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
