/** Content negotiation: the representation that the client accepts, by its Accept header. */
import { failure, notAcceptable, type StatusError } from '../../machinery/errors/index.ts';
import { headerOf, type ApiRequest } from './request.ts';

export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

export interface Negotiated {
  readonly mediaType: MediaType;
  readonly pretty: boolean;
  /** The object is converted to this before it is encoded. */
  readonly as?: {
    readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
    readonly version: string;
  };
}

export interface NegotiationOptions {
  /** Table and PartialObjectMetadata are possible. */
  readonly transforms?: boolean;
  /** Whether there is a Table among them; true by default. */
  readonly table?: boolean;
  readonly stream?: boolean;
  /** The endpoint lists and so can also watch. */
  readonly list?: boolean;
  readonly protobuf?: boolean;
  /** Whether a router compares the media types first; true by default. */
  readonly routed?: boolean;
}

const JSON_TYPE: MediaType = 'application/json';

interface AcceptClause {
  readonly type: string;
  readonly params: ReadonlyMap<string, string>;
  readonly q: number;
}

const parsedAccepts = new Map<string, readonly AcceptClause[]>();

/** The clauses of an Accept header, best first; equal ones keep their order. */
export function parseAccept(header: string): readonly AcceptClause[] {
  const known = parsedAccepts.get(header);
  if (known) return known;
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',')) {
    const [type = '', ...rest] = part.split(';').map((s) => s.trim());
    if (type === '') continue;
    const params = new Map<string, string>();
    for (const param of rest) {
      const eq = param.indexOf('=');
      if (eq > 0)
        params.set(
          param.slice(0, eq).trim().toLowerCase(),
          param
            .slice(eq + 1)
            .trim()
            .replace(/^"|"$/g, ''),
        );
    }
    const q = params.has('q') ? Number(params.get('q')) : 1;
    params.delete('q');
    clauses.push({ type: type.toLowerCase(), params, q: Number.isFinite(q) ? q : 0 });
  }
  const sorted = clauses.map((clause, i) => ({ clause, i })).sort((a, b) => b.clause.q - a.clause.q || a.i - b.i);
  const result = sorted.map(({ clause }) => clause);
  if (parsedAccepts.size < 1000) parsedAccepts.set(header, result);
  return result;
}

export function negotiate(
  accept: string | undefined,
  query: URLSearchParams,
  userAgent: string | undefined,
  options: NegotiationOptions = {},
): Negotiated {
  const pretty = wantsPretty(query, userAgent);
  if (accept === undefined || accept.trim() === '') return { mediaType: JSON_TYPE, pretty };
  for (const clause of parseAccept(accept)) {
    const mediaType = matchMediaType(clause.type, options);
    if (!mediaType) continue;
    const as = clause.params.get('as');
    if (as === undefined) return { mediaType, pretty: pretty || isPretty(clause) };
    if (!options.transforms) continue;
    const version = clause.params.get('v') ?? '';
    if (clause.params.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) continue;
    if (as !== 'Table' && as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') continue;
    if (as === 'Table' && (options.table === false || mediaType === 'application/vnd.kubernetes.protobuf')) continue;
    return { mediaType, pretty, as: { kind: as, version } };
  }
  throw refusal(accept, options);
}

/** The router refuses an unknown media type; the endpoint refuses one whose parameters do not fit. */
function refusal(accept: string, options: NegotiationOptions): StatusError {
  const plain = options.protobuf === false ? ALL_TYPES.slice(0, 2) : ALL_TYPES;
  const streams = plain.filter((type) => type !== 'application/yaml').map((type) => `${type};stream=watch`);
  const known = parseAccept(accept).some(({ type }) => type === '*/*' || (plain as readonly string[]).includes(type));
  if (known || options.routed === false)
    return notAcceptable(
      `only the following media types are accepted: ${(options.stream ? streams : plain).join(', ')}`,
    );
  return unroutable(options.list || options.stream ? [...plain, ...streams] : plain);
}

const ALL_TYPES: readonly MediaType[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

const isPretty = (clause: AcceptClause): boolean =>
  clause.params.get('pretty') === '1' || clause.params.get('pretty') === 'true';

function matchMediaType(type: string, options: NegotiationOptions): MediaType | undefined {
  if (type === '*/*' || type === JSON_TYPE) return JSON_TYPE;
  if (type === 'application/yaml' && !options.stream) return 'application/yaml';
  if (type === 'application/vnd.kubernetes.protobuf' && options.protobuf !== false)
    return 'application/vnd.kubernetes.protobuf';
  return undefined;
}

/** `?pretty=`, or else by client: curl, wget and browsers get indented JSON. */
function wantsPretty(query: URLSearchParams, userAgent: string | undefined): boolean {
  const value = query.get('pretty');
  if (value !== null) return value === '1' || value === 'true' || value === '';
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
}

/** For a web service that has one form only. */
export function checkAccept(request: ApiRequest, mediaType: string): void {
  const accept = headerOf(request, 'accept');
  if (!accept) return;
  const ranges = accept.split(',').map((range) => range.split(';')[0]!.trim());
  if (!ranges.some((range) => range === '*/*' || range === mediaType || range === 'application/*'))
    throw unroutable([mediaType]);
}

const unroutable = (produced: readonly string[]): StatusError =>
  failure(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${produced.join(', ')}`, {});
