/** The url library: `url(text).getHost()` and so on. */
import { parseGoUrl } from '../../machinery/validation/index.ts';
import { method, overload, type Library } from '../function-table.ts';
import { BOOL, STRING, listOf, mapOf, opaque } from '../types.ts';
import { CelError, LibraryValue, type MapKey, type Value } from '../values.ts';

const URL_TYPE = opaque('kubernetes.URL');

class UrlValue extends LibraryValue {
  readonly typeName = URL_TYPE.name;

  constructor(
    readonly text: string,
    readonly scheme: string,
    readonly host: string,
    readonly path: string,
    readonly query: string,
  ) {
    super();
  }

  override equals(other: Value): boolean {
    return other instanceof UrlValue && other.text === this.text;
  }

  override get size(): number {
    return this.text.length;
  }
}

/** Accepts absolute URLs and paths that begin with a slash. */
function parse(text: string): UrlValue | string {
  const parsed = parseGoUrl(text);
  if (typeof parsed === 'string') return parsed;
  if (text === '') return 'parse "": empty url';
  const rest = text.replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, '');
  // What follows a scheme without a slash is opaque.
  if (!rest.startsWith('/') && parsed.scheme !== '') return new UrlValue(text, parsed.scheme, '', '', parsed.query);
  if (!rest.startsWith('/') && parsed.host === '') return `parse ${JSON.stringify(text)}: invalid URI for request`;
  const path = rest.replace(/^\/\/[^/?#]*/, '').replace(/[?#].*/s, '');
  return new UrlValue(text, parsed.scheme, parsed.host, path, parsed.query);
}

function url(text: string): Value {
  const parsed = parse(text);
  if (typeof parsed === 'string') throw new CelError(`URL parse error during conversion from string: ${parsed}`);
  return parsed;
}

const hostname = ({ host }: UrlValue): string =>
  host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '');

function query({ query: text }: UrlValue): Value {
  const found = new Map<MapKey, Value[]>();
  for (const [name, value] of new URLSearchParams(text)) found.set(name, [...(found.get(name) ?? []), value]);
  return found;
}

const escapedPath = (path: string): string =>
  path.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/gu, (char) => encodeURIComponent(char));

export const urlLibrary: Library = {
  functions: {
    url: [overload('string_to_url', [STRING], URL_TYPE, url)],
    isURL: [overload('is_url_string', [STRING], BOOL, (text: string) => typeof parse(text) !== 'string')],
    getScheme: [method('url_get_scheme', [URL_TYPE], STRING, (value: UrlValue) => value.scheme)],
    getHost: [method('url_get_host', [URL_TYPE], STRING, (value: UrlValue) => value.host)],
    getHostname: [method('url_get_hostname', [URL_TYPE], STRING, hostname)],
    getPort: [
      method(
        'url_get_port',
        [URL_TYPE],
        STRING,
        ({ host }: UrlValue) => /:(\d*)$/.exec(host.slice(host.indexOf(']') + 1))?.[1] ?? '',
      ),
    ],
    getEscapedPath: [method('url_get_escaped_path', [URL_TYPE], STRING, ({ path }: UrlValue) => escapedPath(path))],
    getQuery: [method('url_get_query', [URL_TYPE], mapOf(STRING, listOf(STRING)), query)],
  },
};
