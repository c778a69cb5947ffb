/** Content negotiation: the representation that the client accepts, by its Accept header. */
import { failure, notAcceptable, type StatusError } from '../../machinery/errors/index.ts';
import { headerOf, type ApiRequest } from './request.ts';

type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

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

/** The clauses of an Accept header, best first; equal ones keep their order. Types are compared as they are written. */
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
    clauses.push({ type, params, q: Number.isFinite(q) ? q : 0 });
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
    const form = formOf(clause, mediaType, options);
    if (!form) continue;
    if (options.stream && mediaType === 'application/yaml') throw onlyAccepted(STREAM_TYPES);
    return { mediaType, pretty: pretty || clause.params.get('pretty') === '1', ...form };
  }
  throw refusal(accept, options);
}

/** The form that the parameters ask for; undefined if the endpoint does not have it. */
function formOf(
  { params }: AcceptClause,
  mediaType: MediaType,
  options: NegotiationOptions,
): Pick<Negotiated, 'as'> | undefined {
  const stream = params.get('stream') ?? '';
  if (stream !== '' && (stream !== 'watch' || mediaType === 'application/yaml')) return undefined;
  if (params.get('sv')) return undefined;
  const [as, group, version] = [params.get('as'), params.get('g'), params.get('v')];
  if (as === undefined && group === undefined && version === undefined) return {};
  if (!options.transforms || group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  if (as !== 'Table' && as !== 'PartialObjectMetadata' && as !== 'PartialObjectMetadataList') return undefined;
  if (as === 'Table' && (options.table === false || mediaType === 'application/vnd.kubernetes.protobuf'))
    return undefined;
  return { as: { kind: as, version } };
}

/** The router refuses an unknown media type; the endpoint refuses one whose parameters do not fit. */
function refusal(accept: string, options: NegotiationOptions): StatusError {
  const known = parseAccept(accept).some(
    ({ type }) => type === '*/*' || (ALL_TYPES as readonly string[]).includes(type),
  );
  if (known || options.routed === false) return onlyAccepted(ALL_TYPES);
  return unroutable(options.list || options.stream ? [...ALL_TYPES, ...STREAM_TYPES] : ALL_TYPES);
}

const ALL_TYPES: readonly MediaType[] = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

const STREAM_TYPES = ['application/json;stream=watch', 'application/vnd.kubernetes.protobuf;stream=watch'];

const onlyAccepted = (types: readonly string[]): StatusError =>
  notAcceptable(`only the following media types are accepted: ${types.join(', ')}`);

function matchMediaType(type: string, options: NegotiationOptions): MediaType | undefined {
  if (type === '*/*' || type === JSON_TYPE) return JSON_TYPE;
  if (type === 'application/yaml') return type;
  if (type === 'application/vnd.kubernetes.protobuf' && options.protobuf !== false)
    return 'application/vnd.kubernetes.protobuf';
  return undefined;
}

/** `?pretty=`, or else by client: curl, wget and browsers get indented JSON. */
function wantsPretty(query: URLSearchParams, userAgent: string | undefined): boolean {
  const value = query.get('pretty');
  if (value) return /^(1|t|T|true|True|TRUE)$/.test(value);
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
