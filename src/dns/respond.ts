/** Answers one DNS request, from the bytes of the query to the bytes of the answer, over UDP or TCP. */
import { answerQuery, type Answer } from './answer-query.ts';
import type { ClusterRecords } from './cluster-records.ts';
import { decodeMessage, encodeMessage, RCODE, type DnsMessage, type ResourceRecord } from './message.ts';
import type { Routes } from './routes.ts';

export interface Resolver {
  readonly records: ClusterRecords;
  readonly routes: Routes;
  readonly cache: AnswerCache;
  /** Called for every answer. */
  readonly observe: (details: { type: number; rcode: number; transport: Transport }) => void;
  /** A random number below 1, for the order of equal answers. */
  readonly random: () => number;
}

export type Transport = 'udp' | 'tcp';

/** Encoded answers by the bytes of their query, until the cluster's records change. */
export class AnswerCache {
  #generation = 0;
  readonly #answers = new Map<string, { readonly bytes: Buffer; readonly type: number; readonly rcode: number }>();

  readonly #size: number;
  constructor(size = 20_000) {
    this.#size = size;
  }

  get(generation: number, key: string) {
    if (generation !== this.#generation) {
      this.#answers.clear();
      this.#generation = generation;
    }
    return this.#answers.get(key);
  }

  set(key: string, answer: { readonly bytes: Buffer; readonly type: number; readonly rcode: number }): void {
    if (this.#answers.size >= this.#size) this.#answers.clear();
    this.#answers.set(key, answer);
  }
}

/** The largest answer over UDP: 512 bytes without EDNS; with it, what passes every network unfragmented. */
const PLAIN_UDP_SIZE = 512;
const MAX_UDP_SIZE = 1232;
/** Longer queries are not cached: 64 KB of additional records in each would fill the memory. */
const MAX_CACHED_QUERY = 512;

/** Returns undefined for bytes that get no answer. Answers from cluster records are synchronous. */
export function respond(
  resolver: Resolver,
  bytes: Buffer,
  transport: Transport,
): Buffer | undefined | Promise<Buffer | undefined> {
  // The query without its identifier, which are the first two bytes.
  const key = `${transport} ${bytes.toString('latin1', 2)}`;
  const known = resolver.cache.get(resolver.records.generation, key);
  if (known) {
    const answer = Buffer.from(known.bytes);
    answer[0] = bytes[0]!;
    answer[1] = bytes[1]!;
    resolver.observe({ type: known.type, rcode: known.rcode, transport });
    return answer;
  }
  let query: DnsMessage;
  try {
    query = decodeMessage(bytes);
  } catch {
    // A response gets no answer, or two servers could send each other errors for ever.
    if (bytes.length < 12 || (bytes[2]! & 0x80) !== 0) return undefined;
    return encodeMessage({ id: bytes.readUInt16BE(0), response: true, rcode: RCODE.FORMERR, questions: [] });
  }
  if (query.response) return undefined;
  if (query.opcode !== 0) return encode(resolver, query, failure(RCODE.NOTIMP), transport);
  if (query.questions.length !== 1) return encode(resolver, query, failure(RCODE.FORMERR), transport);
  const question = query.questions[0]!;
  const zone = resolver.routes.zoneFor(question.name);
  const answer = zone && answerQuery(resolver.records, zone, question);
  if (answer && answer.forwardName === undefined) {
    const encoded = encode(resolver, query, answer, transport);
    // Several records are rotated for every answer, so they are not cached.
    if (answer.answers.length < 2 && key.length <= MAX_CACHED_QUERY)
      resolver.cache.set(key, { bytes: Buffer.from(encoded), type: question.type, rcode: answer.rcode });
    return encoded;
  }
  if (resolver.routes.isLoopProbe(question)) return encode(resolver, query, failure(RCODE.NXDOMAIN), transport);
  const name = answer?.forwardName ?? question.name;
  const forwarder = resolver.routes.forwarderFor(name);
  if (!forwarder?.enabled || query.recursionDesired === false)
    return encode(resolver, query, answer ?? failure(RCODE.REFUSED), transport);
  return forwarder.resolve({ ...question, name }).then((forwarded) =>
    encode(
      resolver,
      query,
      {
        rcode: forwarded.rcode,
        answers: [...(answer?.answers ?? []), ...forwarded.answers],
        authority: forwarded.authority,
        additional: [],
      },
      transport,
      answer !== undefined,
    ),
  );
}

const failure = (rcode: number): Answer => ({ rcode, answers: [], authority: [], additional: [] });

function encode(
  resolver: Resolver,
  query: DnsMessage,
  answer: Answer,
  transport: Transport,
  authoritative = answer.rcode === RCODE.NOERROR || answer.rcode === RCODE.NXDOMAIN,
): Buffer {
  resolver.observe({ type: query.questions[0]?.type ?? 0, rcode: answer.rcode, transport });
  const size = query.edns ? Math.min(MAX_UDP_SIZE, Math.max(PLAIN_UDP_SIZE, query.edns.size)) : PLAIN_UDP_SIZE;
  return encodeMessage(
    {
      id: query.id,
      response: true,
      opcode: query.opcode,
      authoritative,
      recursionDesired: query.recursionDesired,
      recursionAvailable: resolver.routes.isRecursive,
      rcode: answer.rcode,
      questions: query.questions,
      answers: rotated(answer.answers, resolver.random),
      authority: answer.authority,
      additional: answer.additional,
      ...(query.edns ? { edns: { size: MAX_UDP_SIZE } } : {}),
    },
    transport === 'udp' ? size : undefined,
  );
}

/** Rotates addresses, because clients take the first one. CNAMEs stay in front. */
function rotated(records: readonly ResourceRecord[], random: () => number): readonly ResourceRecord[] {
  const first = records.findIndex(({ data }) => data.type !== 'CNAME');
  const addressCount = first < 0 ? 0 : records.length - first;
  if (addressCount < 2) return records;
  const shift = Math.floor(random() * addressCount);
  return [...records.slice(0, first), ...records.slice(first + shift), ...records.slice(first, first + shift)];
}
