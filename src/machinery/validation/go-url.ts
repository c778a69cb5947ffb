/** Parses URLs as Go's net/url does, with its errors. */
import { quote } from '../../base/index.ts';

interface GoUrl {
  readonly scheme: string;
  readonly host: string;
  /** The user information before the `@`. */
  readonly user: string | undefined;
  readonly query: string;
  readonly fragment: string;
}

const CONTROL = /[\x00-\x1f\x7f]/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2}).{0,2}/s;
const HOST = /^[A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]*$/;

/** The parts, or Go's error. */
export function parseGoUrl(text: string): GoUrl | string {
  const problem = (why: string): string => `parse ${quote(text)}: ${why}`;
  if (CONTROL.test(text)) return problem('net/url: invalid control character in URL');
  const hash = text.indexOf('#');
  const fragment = hash < 0 ? '' : text.slice(hash + 1);
  let rest = hash < 0 ? text : text.slice(0, hash);
  if (rest === '') return { scheme: '', host: '', user: undefined, query: '', fragment };
  if (rest.startsWith(':')) return problem('missing protocol scheme');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(rest)?.[1] ?? '';
  if (scheme !== '') rest = rest.slice(scheme.length + 1);
  const question = rest.indexOf('?');
  const query = question < 0 ? '' : rest.slice(question + 1);
  if (question >= 0) rest = rest.slice(0, question);
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { scheme: scheme.toLowerCase(), host: '', user: undefined, query, fragment };
    if (rest.split('/')[0]!.includes(':')) return problem('first path segment in URL cannot contain colon');
  }
  let authority = '';
  if (rest.startsWith('//')) {
    const end = rest.indexOf('/', 2);
    authority = rest.slice(2, end < 0 ? undefined : end);
    rest = end < 0 ? '' : rest.slice(end);
  }
  const escape = BAD_ESCAPE.exec(rest) ?? BAD_ESCAPE.exec(fragment);
  if (escape) return problem(`invalid URL escape ${quote(escape[0])}`);
  const at = authority.lastIndexOf('@');
  const user = at < 0 ? undefined : authority.slice(0, at);
  const host = authority.slice(at + 1);
  const why =
    hostProblem(host) ??
    (user !== undefined && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%]*$/.test(user) ? 'net/url: invalid userinfo' : undefined);
  return why === undefined ? { scheme: scheme.toLowerCase(), host, user, query, fragment } : problem(why);
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) return "missing ']' in host";
    const port = host.slice(end + 1);
    return port === '' || /^:\d*$/.test(port) ? undefined : `invalid port ${quote(port)} after host`;
  }
  const colon = host.lastIndexOf(':');
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon))) return `invalid port ${quote(host.slice(colon))} after host`;
  const bad = [...host].find((char) => !HOST.test(char));
  return bad === undefined ? undefined : `invalid character ${quote(bad)} in host name`;
}
