/** Validates names of the form `acme.io/foo`: a domain, a slash, and a path that is valid in a URL. */
import { type FieldError, invalidValue, type Path, required } from '../errors/index.ts';
import { dns1123Subdomain, regexMessage } from '../names/index.ts';

const PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH_RE = new RegExp(`^${PATH}$`);

export function domainPrefixedPath(errors: FieldError[], value: string, at: Path): void {
  if (value === '') {
    errors.push(required(at));
    return;
  }
  const slash = value.indexOf('/');
  if (slash <= 0 || slash === value.length - 1) {
    errors.push(invalidValue(at, value, 'must be a domain-prefixed path (such as "acme.io/foo")'));
    return;
  }
  const [domain, rest] = [value.slice(0, slash), value.slice(slash + 1)];
  for (const message of dns1123Subdomain(domain)) errors.push(invalidValue(at, domain, message));
  if (!PATH_RE.test(rest)) errors.push(invalidValue(at, rest, regexMessage('Invalid path', PATH)));
}
