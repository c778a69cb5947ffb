/**
 * Image references: `[host[:port]/]path[:tag][@digest]`. Without a host the registry is Docker Hub, where a path of
 * one part means `library/<path>`; without tag and digest the tag is `latest`.
 */
import { isDigest } from './digest.ts';
import { ImageError } from './image-error.ts';

export interface ImageReference {
  /** Host and port, e.g. `docker.io`. */
  readonly domain: string;
  readonly path: string;
  readonly tag?: string;
  readonly digest?: string;
}

const DEFAULT_DOMAIN = 'docker.io';
const MAX_NAME_LENGTH = 255;

const PATH_PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const DOMAIN_PART = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const DOMAIN = new RegExp(`^(?:${DOMAIN_PART}(?:\\.${DOMAIN_PART})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`);
const PATH = new RegExp(`^${PATH_PART}(?:/${PATH_PART})*$`);
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

export function parseReference(text: string): ImageReference {
  const invalid = (detail = ''): ImageError =>
    new ImageError(
      'INVALID_ARGUMENT',
      `failed to parse reference ${JSON.stringify(text)}: invalid reference format${detail}`,
    );
  if (/^[0-9a-f]{64}$/.test(text)) {
    throw invalid(`: repository name (${text}) cannot be a 64-byte hexadecimal string`);
  }
  const at = text.indexOf('@');
  const digest = at === -1 ? undefined : text.slice(at + 1);
  const named = at === -1 ? text : text.slice(0, at);
  if (digest !== undefined && !(DIGEST.test(digest) && isDigest(digest))) throw invalid();

  const { domain, rest } = splitDomain(named);
  const colon = rest.lastIndexOf(':');
  const tag = colon === -1 ? undefined : rest.slice(colon + 1);
  let path = colon === -1 ? rest : rest.slice(0, colon);
  if (domain === DEFAULT_DOMAIN && path !== '' && !path.includes('/')) path = `library/${path}`;
  if (/[A-Z]/.test(path)) throw invalid(`: repository name (${path}) must be lowercase`);
  if (!DOMAIN.test(domain) || !PATH.test(path) || (tag !== undefined && !TAG.test(tag))) throw invalid();
  if (domain.length + 1 + path.length > MAX_NAME_LENGTH)
    throw invalid(`: repository name must not be more than ${MAX_NAME_LENGTH} characters`);
  return { domain, path, ...(tag === undefined ? {} : { tag }), ...(digest === undefined ? {} : { digest }) };
}

/** Drops the tag beside a digest, and adds `latest` if there is neither. */
export function normalizeReference(text: string): ImageReference {
  const { domain, path, tag, digest } = parseReference(text);
  return digest === undefined ? { domain, path, tag: tag ?? 'latest' } : { domain, path, digest };
}

export function repositoryOf({ domain, path }: ImageReference): string {
  return `${domain}/${path}`;
}

export function formatReference(reference: ImageReference): string {
  const tag = reference.tag === undefined ? '' : `:${reference.tag}`;
  return `${repositoryOf(reference)}${tag}${reference.digest === undefined ? '' : `@${reference.digest}`}`;
}

/** The part before the first slash is a host if it cannot be part of a path on Docker Hub. */
function splitDomain(named: string): { domain: string; rest: string } {
  const slash = named.indexOf('/');
  const first = slash === -1 ? '' : named.slice(0, slash);
  if (slash === -1 || (!/[.:]/.test(first) && first !== 'localhost' && first === first.toLowerCase())) {
    return { domain: DEFAULT_DOMAIN, rest: named };
  }
  const domain = first === 'index.docker.io' ? DEFAULT_DOMAIN : first;
  return { domain, rest: named.slice(slash + 1) };
}
