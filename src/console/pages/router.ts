/** Pages are addressed by the fragment of the URL: `#/objects/pods?namespace=default`. */
import { computed, signal } from '@preact/signals';

interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter((part) => part !== '');
  return { parts: parts.map(decoded), query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const route = signal(parse(location.hash));

addEventListener('hashchange', () => {
  route.value = parse(location.hash);
});

/** The revision at which the pages show the cluster; 0 is now. */
export const pastRevision = computed(() => Number(route.value.query.get('at')) || 0);

/** The pages that can show the past. */
const WITH_PAST: ReadonlySet<string> = new Set(['cluster', 'objects', 'object']);

export const canShowPast = computed(() => WITH_PAST.has(route.value.parts[0] ?? 'cluster'));

/** Links of a page that shows the past stay there, unless `at` says otherwise. */
export function link(parts: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const past = pastRevision.peek();
  const stays = past > 0 && WITH_PAST.has(parts[0] ?? '');
  const all = { ...(stays ? { at: String(past) } : {}), ...query };
  const given = Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]);
  const search = new URLSearchParams(given).toString();
  return `#/${parts.map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`;
}

export const go = (hash: string): void => void (location.hash = hash);

/** Changes the query of the page without a new entry in the history. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { parts, query } = route.value;
  const next = { ...Object.fromEntries(query), ...changes };
  history.replaceState(null, '', link(parts, next));
  route.value = parse(location.hash);
}

interface ObjectPlace {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** `-` stands for the namespace of objects that have none. */
export const objectLink = (key: string, { namespace, name }: ObjectPlace, query?: Record<string, string>): string =>
  link(['object', key, namespace || '-', name], query);

export const listLink = (key: string, query?: Readonly<Record<string, string | undefined>>): string =>
  link(['objects', key], query);
