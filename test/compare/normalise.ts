/** The form of an answer in which two servers can be compared: without what two servers never share. */
import { parseAllDocuments } from 'yaml';
import type { Answer } from './conversation.ts';
import { protobufTree, PROTOBUF_MAGIC } from './protobuf-tree.ts';

export interface Comparable {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** What the names of this conversation are on one server, and what the uids of its flow control mean. */
export interface Own {
  readonly variables: ReadonlyMap<string, string>;
  readonly flowNames: ReadonlyMap<string, string>;
  /** The start of a name that the server completes by chance. */
  readonly generateName?: string;
}

/** Of the connection, or of the moment. The length follows from the body. */
const HEADERS_LEFT_OUT = ['date', 'content-length', 'connection', 'keep-alive', 'transfer-encoding', 'trailer'];
const HEADERS_OF_ONE_SERVER = ['audit-id', 'etag', 'last-modified', 'expires', 'process-start-time-unix'];
const FLOW_HEADERS = ['x-kubernetes-pf-flowschema-uid', 'x-kubernetes-pf-prioritylevel-uid'];

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d(?: UTC)?)?/g;
const AGE = /^(?:\d+[smhdy]){1,2}$/;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** A value as upstream's programming language shows it, by its own names of the fields. */
const STRUCT_DUMP = /Invalid value: [[{].*?"[A-Z]\w*":.*[\]}](?=: )/gs;
/** How such values differ, in lines of a patch. */
const STRUCT_DIFF = /\n@@ -\d+,\d+ \+\d+,\d+ @@\n.*/s;
/** An object as text in a message: its keys have no order there either. */
const QUOTED_OBJECT = /(?<=Invalid value: )"\{(?:[^"\\]|\\.)*\}"/g;
/** Several errors of an applied configuration: the other server walks its maps in an order of chance. */
const APPLY_ERRORS = /(?<=: errors:\n)(?: {2}.*(?:\n|$))+/g;
const A_DAY_MS = 86_400_000;
const HIDDEN: Readonly<Record<string, string>> = {
  resourceVersion: '<version>',
  continue: '<continue>',
  serverAddress: '<server>',
  hash: '<hash>',
};

export function comparable(answer: Answer, own: Own): Comparable {
  const type = String(answer.headers['content-type'] ?? '');
  return {
    status: answer.status,
    headers: comparableHeaders(answer.headers, own),
    body: clean(withoutBookmarks(readBody(answer.body, type)), '', own),
  };
}

/** Bookmarks come when a server finds the time, but for the one after the initial events. */
function withoutBookmarks(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  return body.filter((event: unknown) => {
    const text = JSON.stringify(event) ?? '';
    return !/^\{"(?:type":"BOOKMARK"|protobuf":\{"1":\["BOOKMARK"\])/.test(text) || text.includes('initial-events-end');
  });
}

function comparableHeaders(headers: Answer['headers'], own: Own): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const name of Object.keys(headers).sort()) {
    const value = headers[name];
    if (HEADERS_LEFT_OUT.includes(name) || value === undefined) continue;
    if (HEADERS_OF_ONE_SERVER.includes(name)) out[name] = '<present>';
    else if (FLOW_HEADERS.includes(name)) out[name] = own.flowNames.get(String(value)) ?? '<uid>';
    // An OpenAPI document's URL has the hash of its text, and descriptions are each server's own.
    else if (name === 'location') out[name] = String(clean(value, name, own)).replace(/hash=\w+/, 'hash=<hash>');
    else out[name] = clean(value, name, own);
  }
  return out;
}

/** JSON, one JSON document a line, a protobuf message, or lines of text. */
export function readBody(body: Buffer, contentType: string): unknown {
  if (body.length === 0) return undefined;
  if (body.subarray(0, 4).toString('latin1') === PROTOBUF_MAGIC)
    return { protobuf: maskedTree(protobufTree(body.subarray(4))) ?? body.toString('hex') };
  if (contentType.includes('protobuf') && contentType.includes('stream=watch'))
    return frames(body).map((frame) => ({ protobuf: maskedTree(protobufTree(frame)) ?? frame.toString('hex') }));
  if (contentType.includes('protobuf')) return { protobuf: maskedTree(protobufTree(body)) ?? body.toString('hex') };
  const text = body.toString('utf8');
  if (contentType.includes('yaml')) return parsedYaml(text);
  if (!contentType.includes('json')) return text.split('\n');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const lines = text.trim().split('\n');
    return lines.map((line) => parsedOr(line));
  }
}

/** A watch in protobuf: each event after its length. */
function frames(body: Buffer): Buffer[] {
  const out: Buffer[] = [];
  for (let at = 0; at + 4 <= body.length;) {
    const length = body.readUInt32BE(at);
    out.push(body.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return out;
}

/** Fields without names: a version stands beside a uid or alone in a list's metadata; seconds of today are times. */
function maskedTree(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(maskedTree);
  if (typeof tree === 'string')
    return /^\d{10}$/.test(tree) && Math.abs(Number(tree) * 1000 - Date.now()) < A_DAY_MS ? '<time>' : tree;
  if (tree === null || typeof tree !== 'object') return tree;
  const fields = tree as Readonly<Record<string, readonly unknown[]>>;
  const isDigits = (values: readonly unknown[] | undefined): boolean =>
    values?.length === 1 && /^\d+$/.test(String(values[0]));
  const version =
    typeof fields['5']?.[0] === 'string' && isDigits(fields['6'])
      ? '6'
      : fields['1']?.[0] === '' && isDigits(fields['2'])
        ? '2'
        : '';
  return Object.fromEntries(
    Object.entries(fields).map(([field, values]) => [field, field === version ? '<version>' : maskedTree(values)]),
  );
}

function parsedYaml(text: string): unknown {
  try {
    const documents = parseAllDocuments(text, { version: '1.1' }).map((document) => document.toJS() as unknown);
    return documents.length === 1 ? documents[0] : documents;
  } catch {
    return text.split('\n');
  }
}

function parsedOr(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return line;
  }
}

export function clean(value: unknown, key: string, own: Own): unknown {
  if (key === 'managedFields' && Array.isArray(value))
    return clean(
      value.filter((entry) => !isOfController(entry)),
      'entries',
      own,
    );
  if (Array.isArray(value)) return value.map((element: unknown) => clean(element, key, own));
  if (typeof value === 'string') return cleanText(value, key, own);
  if (typeof value === 'number') return key === 'nodePort' || key === 'healthCheckNodePort' ? nodePort(value) : value;
  if (value === null || typeof value !== 'object') return value;
  const out: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) out[cleanText(name, '', own)] = clean(inner, name, own);
  // Descriptions of columns are each server's own words.
  if ('priority' in value && 'format' in value) delete out['description'];
  const { generateName, name } = value as { generateName?: unknown; name?: unknown };
  if (
    typeof generateName === 'string' &&
    typeof name === 'string' &&
    name.startsWith(generateName) &&
    name !== generateName
  ) {
    out['name'] = `${cleanText(generateName, '', own)}<suffix>`;
  }
  return out;
}

/** Controllers write when they come to it. */
function isOfController(entry: unknown): boolean {
  return ['kube-controller-manager', 'kube-scheduler'].includes((entry as { manager?: string } | null)?.manager ?? '');
}

function nodePort(value: number): unknown {
  return value >= 30_000 ? '<port>' : value;
}

function cleanText(text: string, key: string, own: Own): string {
  const hidden = HIDDEN[key];
  if (hidden !== undefined && text !== '' && text !== '0') return hidden;
  if (key === 'token' && JWT.test(text)) return '<token>';
  if (key === 'cells' && AGE.test(text)) return '<age>';
  const masked = mask(named(text, own.variables));
  const { generateName } = own;
  return generateName === undefined ? masked : withoutSuffix(masked, generateName);
}

function withoutSuffix(text: string, start: string): string {
  return text
    .split(start)
    .map((part, i) => (i === 0 ? part : part.replace(/^[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])/, '<suffix>')))
    .join(start);
}

/** What has a name in the conversation is called by it; the longest first, because one may be part of another. */
function named(text: string, variables: ReadonlyMap<string, string>): string {
  let out = text;
  for (const [name, value] of variables) {
    if (value.length > 3 && out.includes(value)) out = out.split(value).join(`$${name}`);
  }
  return out;
}

function mask(text: string): string {
  if (text.length < 4) return text;
  return text
    .replace(UUID, '<uid>')
    .replace(/\bselfType\d+\b/g, 'self')
    .replace(TIME, (time) => (isRecent(time) ? '<time>' : time))
    .replace(/\b10\.96\.\d+\.\d+\b/g, '<ip>')
    .replace(/:3[0-2]\d\d\d\//g, ':<port>/')
    .replace(/0xc[0-9a-f]{8,}/g, '<pointer>')
    .replace(/((?:resource|Resource) ?[vV]ersion[^:]{0,20}: )\d+/g, '$1<version>')
    .replace(/((?:in record |current: )\(?)\d+/g, '$1<version>')
    .replace(/\b\d+(?:\.\d+)?(?:µs|ms)\b/g, '<duration>')
    .replace(/kube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-<suffix>')
    .replace(STRUCT_DIFF, '\n<diff>')
    .replace(APPLY_ERRORS, (errors) => errors.split('\n').sort().join('\n'))
    .replace(/ in scheme "[^"]*"/g, ' in scheme <scheme>')
    .replace(QUOTED_OBJECT, sortedObject)
    .replace(STRUCT_DUMP, 'Invalid value: <struct>');
}

function sortedObject(quoted: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(JSON.parse(quoted) as string)));
  } catch {
    return quoted;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, key === 'resourceVersion' ? '<version>' : sorted(inner)]),
  );
}

/** Times that conversations send are years away, so that they are compared. */
function isRecent(time: string): boolean {
  return Math.abs(Date.parse(time) - Date.now()) < A_DAY_MS;
}
