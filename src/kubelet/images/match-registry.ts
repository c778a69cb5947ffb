/** Matches images against registry patterns of credentials: `https://index.docker.io/v1/`, `*.example.com`, `host:5000/team`. */
import { parseImage } from './image-reference.ts';

/** The specificity of the match; undefined without a match. */
export function matchRegistry(pattern: string, image: string): number | undefined {
  const { domain, path } = parseImage(image);
  const [host = '', ...rest] = pattern.replace(/^https?:\/\//, '').split('/');
  const prefix = rest.join('/').replace(/\/$/, '');
  const scope = /^v[12]$/.test(prefix) ? '' : prefix;
  if (!matchHost(host, domain)) return undefined;
  if (scope !== '' && path !== scope && !path.startsWith(`${scope}/`)) return undefined;
  return scope.length + (host.includes('*') ? 0 : 1);
}

function matchHost(pattern: string, domain: string): boolean {
  const aliases = ['docker.io', 'index.docker.io', 'registry-1.docker.io'];
  if (pattern === domain || (aliases.includes(pattern) && aliases.includes(domain))) return true;
  const [patternHost = '', patternPort] = pattern.split(':');
  const [host = '', port] = domain.split(':');
  if (patternPort !== port) return false;
  const wanted = patternHost.split('.');
  const actual = host.split('.');
  return wanted.length === actual.length && wanted.every((part, i) => matchLabel(part, actual[i] ?? ''));
}

/** `*` matches any text. Matching each part between two `*` at its first occurrence is enough, so no backtracking is needed. */
function matchLabel(pattern: string, label: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === label;
  if (!label.startsWith(first) || label.length < first.length + last.length || !label.endsWith(last)) return false;
  const end = label.length - last.length;
  let at = first.length;
  for (const part of rest) {
    const found = label.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
