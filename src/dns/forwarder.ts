/**
 * Forwards names outside of the cluster domain to upstream servers: one after the other, over UDP and, for truncated
 * answers, TCP. Answers are cached for their TTL, at most `MAX_TTL`.
 */
import dgram from 'node:dgram';
import net from 'node:net';
import type { Context } from '../kernel/index.ts';
import {
  decodeMessage,
  encodeMessage,
  RCODE,
  TYPE,
  type DnsMessage,
  type Question,
  type ResourceRecord,
} from './message.ts';

interface ForwarderOptions {
  /** `address` or `address:port`; IPv6 with a port in brackets. */
  readonly servers: readonly string[];
  readonly timeoutMs?: number;
  readonly cacheSize?: number;
}

interface ForwardedAnswer {
  readonly rcode: number;
  readonly answers: readonly ResourceRecord[];
  readonly authority: readonly ResourceRecord[];
}

const MAX_TTL = 30;
/** The TTL of failures and other answers that have none. */
const FAILURE_TTL = 5;
const UDP_SIZE = 1232;
const FAILED: ForwardedAnswer = { rcode: RCODE.SERVFAIL, answers: [], authority: [] };

interface Cached {
  readonly answer: ForwardedAnswer;
  readonly until: number;
  readonly since: number;
}

export class Forwarder {
  readonly #ctx: Context;
  readonly #options: ForwarderOptions;
  readonly #cache = new Map<string, Cached>();
  readonly #pending = new Map<string, Promise<ForwardedAnswer>>();
  /** A random name that only this process asks for. A query for it means that the upstream servers lead back here. */
  readonly #loopProbe: string;
  #looping = false;

  constructor(ctx: Context, options: ForwarderOptions) {
    this.#ctx = ctx;
    this.#options = options;
    this.#loopProbe = `${ctx.random.uid()}.${ctx.random.uid()}`.toLowerCase();
  }

  get enabled(): boolean {
    return this.#options.servers.length > 0 && !this.#looping;
  }

  /** Whether the question is this process's own loop probe; if so, forwarding is switched off. */
  isLoopProbe(question: Question): boolean {
    if (question.type !== TYPE.HINFO || question.name.toLowerCase() !== this.#loopProbe) return false;
    this.#looping = true;
    this.#ctx.logger.error(
      undefined,
      'Loop detected: the upstream servers lead back to this server; forwarding is off',
      {
        servers: this.#options.servers.join(','),
      },
    );
    return true;
  }

  /** Sends the loop probe once; `isLoopProbe` sees it if there is a loop. */
  async detectLoop(): Promise<void> {
    if (this.enabled) await this.#query({ name: this.#loopProbe, type: TYPE.HINFO, class: 1 });
  }

  async resolve(question: Question): Promise<ForwardedAnswer> {
    if (!this.enabled) return FAILED;
    const key = `${question.name.toLowerCase()} ${question.type} ${question.class}`;
    const now = this.#ctx.clock.monotonic();
    const cached = this.#cache.get(key);
    if (cached && cached.until > now) return aged(cached, now);
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const request = this.#query(question).finally(() => this.#pending.delete(key));
    this.#pending.set(key, request);
    const answer = await request;
    this.#store(key, answer);
    return answer;
  }

  #store(key: string, answer: ForwardedAnswer): void {
    const now = this.#ctx.clock.monotonic();
    this.#cache.delete(key);
    const seconds = timeToLive(answer);
    if (seconds <= 0) return;
    this.#cache.set(key, { answer, since: now, until: now + seconds * 1000 });
    const excess = this.#cache.size - (this.#options.cacheSize ?? 10_000);
    if (excess > 0) for (const oldest of [...this.#cache.keys()].slice(0, excess)) this.#cache.delete(oldest);
  }

  async #query(question: Question): Promise<ForwardedAnswer> {
    let last = FAILED;
    for (const server of this.#options.servers) {
      try {
        const answer = await this.#queryServer(server, question);
        last = { rcode: answer.rcode ?? 0, answers: answer.answers ?? [], authority: answer.authority ?? [] };
        if (last.rcode === RCODE.NOERROR || last.rcode === RCODE.NXDOMAIN) return last;
      } catch (error) {
        this.#ctx.logger.v(2).info('Upstream server did not answer', { server, err: error });
      }
    }
    return last;
  }

  async #queryServer(server: string, question: Question): Promise<DnsMessage> {
    const address = parseServer(server);
    const id = this.#ctx.random.integer(65_536);
    const query = encodeMessage({ id, recursionDesired: true, questions: [question], edns: { size: UDP_SIZE } });
    const isAnswer = (message: DnsMessage): boolean =>
      message.id === id &&
      message.response === true &&
      message.questions[0]?.name.toLowerCase() === question.name.toLowerCase() &&
      message.questions[0].type === question.type;
    const deadline = this.#ctx.clock.deadline(this.#options.timeoutMs ?? 2000, this.#ctx.signal);
    const answer = await overUdp(address, query, { isAnswer, signal: deadline });
    return answer.truncated ? overTcp(address, query, { isAnswer, signal: deadline }) : answer;
  }
}

interface ServerAddress {
  readonly address: string;
  readonly port: number;
}

interface Exchange {
  isAnswer(message: DnsMessage): boolean;
  readonly signal: AbortSignal;
}

function parseServer(server: string): ServerAddress {
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(server);
  if (bracketed) return { address: bracketed[1]!, port: Number(bracketed[2] ?? 53) };
  if (net.isIPv6(server)) return { address: server, port: 53 };
  const [address = '', port = '53'] = server.split(':');
  return { address, port: Number(port) };
}

/** Every query has its own socket, and so its own source port, which makes answers hard to forge. */
function overUdp({ address, port }: ServerAddress, query: Buffer, { isAnswer, signal }: Exchange): Promise<DnsMessage> {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket(net.isIPv6(address) ? 'udp6' : 'udp4');
    const end = (settle: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      socket.close();
      settle();
    };
    const onAbort = (): void => end(() => reject(signal.reason as Error));
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('message', (bytes) => {
      const message = decoded(bytes);
      if (message && isAnswer(message)) end(() => resolve(message));
    });
    // On a connected socket the kernel drops datagrams of other senders and reports ICMP errors.
    socket.connect(port, address, () => socket.send(query));
  });
}

function overTcp({ address, port }: ServerAddress, query: Buffer, { isAnswer, signal }: Exchange): Promise<DnsMessage> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: address, port, signal });
    let received = Buffer.alloc(0);
    socket.on('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(query.length);
      socket.write(Buffer.concat([length, query]));
    });
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const message = decoded(received.subarray(2, 2 + received.readUInt16BE(0)));
      socket.destroy();
      if (message && isAnswer(message)) resolve(message);
      else reject(new Error(`${address} sent an answer to another question`));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${address} closed the connection`)));
  });
}

function decoded(bytes: Buffer): DnsMessage | undefined {
  try {
    return decodeMessage(bytes);
  } catch {
    return undefined;
  }
}

function timeToLive({ rcode, answers, authority }: ForwardedAnswer): number {
  if (rcode !== RCODE.NOERROR && rcode !== RCODE.NXDOMAIN) return FAILURE_TTL;
  if (answers.length > 0) return Math.min(MAX_TTL, ...answers.map(({ ttl }) => ttl));
  const soa = authority.find(({ data }) => data.type === 'SOA');
  return soa?.data.type === 'SOA' ? Math.min(MAX_TTL, soa.ttl, soa.data.minimum) : FAILURE_TTL;
}

/** A cached answer with TTLs reduced by its age. */
function aged({ answer, since }: Cached, now: number): ForwardedAnswer {
  const age = Math.floor((now - since) / 1000);
  if (age === 0) return answer;
  const older = (records: readonly ResourceRecord[]): ResourceRecord[] =>
    records.map((record) => ({ ...record, ttl: Math.max(0, record.ttl - age) }));
  return { ...answer, answers: older(answer.answers), authority: older(answer.authority) };
}
