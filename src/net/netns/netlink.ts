/**
 * Netlink over a socket in a namespace: how interfaces, addresses, routes and neighbours (rtnetlink) and elements of
 * nftables sets (nfnetlink) are made without starting a program. The kernel works on a request while it is being sent, so its answers wait in the
 * socket when `send` returns, and several requests can go out in one message.
 *
 *     nlmsghdr  length u32 | type u16 | flags u16 | sequence u32 | port u32
 *     rtattr    length u16 | type u16 | payload, padded to 4
 */
import { checked, describeErrno, libc } from './libc.ts';
import { inNetns } from './namespace.ts';

const AF_NETLINK = 16;
const SOCK_RAW = 3;
const SOCK_CLOEXEC = 0o2000000;
const NETLINK_ROUTE = 0;
const NETLINK_NETFILTER = 12;
const SOL_NETLINK = 270;
const NETLINK_EXT_ACK = 11;
const NETLINK_GET_STRICT_CHK = 12;
const MSG_DONTWAIT = 0x40;
const MSG_PEEK = 0x02;

const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const NLM_F_REQUEST = 0x1;
const NLM_F_ACK = 0x4;
const NLM_F_DUMP = 0x300;
export const NLM_F_REPLACE = 0x100;
export const NLM_F_EXCL = 0x200;
export const NLM_F_CREATE = 0x400;
const NLM_F_ACK_TLVS = 0x200;
const NLM_F_CAPPED = 0x100;
const NLMSGERR_ATTR_MSG = 1;

const HEADER = 16;

/** One request: its type, the family's fixed header and its attributes. */
export interface NetlinkRequest {
  readonly type: number;
  readonly flags: number;
  readonly body: Buffer;
  /** The attempted operation, for the error: "add the interface veth1". */
  readonly what: string;
  /** Begins or ends a batch; the kernel does not answer it. */
  readonly unanswered?: boolean;
  /** Errors that count as success, such as EEXIST. */
  readonly accept?: readonly string[];
}

export interface NetlinkMessage {
  readonly type: number;
  readonly body: Buffer;
}

/** The kernel refused a request. */
class NetlinkError extends Error {
  readonly code: string;

  constructor(
    readonly what: string,
    readonly errno: number,
    detail: string | undefined,
  ) {
    const { code, text } = describeErrno(errno);
    super(`cannot ${what}: ${text} (${code})${detail === undefined ? '' : `: ${detail}`}`);
    this.name = 'NetlinkError';
    this.code = code;
  }
}

export class NetlinkSocket {
  readonly #fd: number;
  readonly #buffer = Buffer.allocUnsafe(64 * 1024);
  #sequence = 0;
  #closed = false;
  #queue: Promise<unknown> = Promise.resolve();

  /** Opens a socket in the namespace pinned at `netns`. */
  constructor(netns: string | undefined, family: 'route' | 'netfilter' = 'route') {
    const system = libc();
    this.#fd = inNetns(netns, () =>
      checked(
        system.socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family === 'route' ? NETLINK_ROUTE : NETLINK_NETFILTER),
        'socket',
        'of netlink',
      ),
    );
    const on = Buffer.from([1, 0, 0, 0]);
    // Kernels without these options send shorter errors and longer dumps, which are parsed, too.
    system.setsockopt(this.#fd, SOL_NETLINK, NETLINK_EXT_ACK, on, 4);
    system.setsockopt(this.#fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, on, 4);
  }

  /**
   * Sends the requests in one message, in order. All are tried; then the first error that is not accepted is thrown.
   * Waiting for kernel locks happens on another thread.
   */
  async send(requests: readonly NetlinkRequest[]): Promise<void> {
    if (requests.length === 0) return;
    await this.#exclusively(async () => {
      const { message, bySequence } = this.#encode(requests);
      await this.#transmit(message);
      this.#acknowledge(bySequence);
    });
  }

  /** As `send`, on this thread: for requests that do not wait for a lock, such as setting loopback up. */
  sendNow(requests: readonly NetlinkRequest[]): void {
    const { message, bySequence } = this.#encode(requests);
    checked(libc().send(this.#fd, message, message.length, 0), 'send', 'to netlink');
    this.#acknowledge(bySequence);
  }

  /** The answer to a request for one object; undefined for an accepted error. */
  async get(request: NetlinkRequest): Promise<NetlinkMessage | undefined> {
    return this.#exclusively(async () => {
      const sequence = ++this.#sequence;
      await this.#transmit(encodeMessage({ ...request, flags: request.flags | NLM_F_REQUEST, sequence }));
      for (;;) {
        for (const answer of this.#receive()) {
          if (answer.sequence !== sequence) continue;
          if (answer.type !== NLMSG_ERROR) return { type: answer.type, body: answer.body };
          const error = refusal(request.what, answer);
          if (error !== undefined && !(request.accept ?? []).includes(error.code)) throw error;
          return undefined;
        }
      }
    });
  }

  /** The answers to a request for a list. */
  async dump(type: number, body: Buffer): Promise<NetlinkMessage[]> {
    return this.#exclusively(async () => {
      const sequence = ++this.#sequence;
      const message = encodeMessage({ type, flags: NLM_F_REQUEST | NLM_F_DUMP, body, sequence });
      await this.#transmit(message);
      const messages: NetlinkMessage[] = [];
      for (;;) {
        for (const answer of this.#receive()) {
          if (answer.sequence !== sequence) continue;
          if (answer.type === NLMSG_DONE) return messages;
          if (answer.type === NLMSG_ERROR)
            throw refusal('list', answer) ?? new Error('netlink ended a list without a reason');
          messages.push({ type: answer.type, body: answer.body });
        }
      }
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    libc().close(this.#fd);
  }

  #encode(requests: readonly NetlinkRequest[]): { message: Buffer; bySequence: Map<number, NetlinkRequest> } {
    const bySequence = new Map<number, NetlinkRequest>();
    const messages = requests.map((request) => {
      const sequence = ++this.#sequence;
      if (!request.unanswered) bySequence.set(sequence, request);
      return encodeMessage({
        ...request,
        flags: request.flags | NLM_F_REQUEST | (request.unanswered ? 0 : NLM_F_ACK),
        sequence,
      });
    });
    return { message: Buffer.concat(messages), bySequence };
  }

  async #transmit(message: Buffer): Promise<void> {
    const sent = await libc().sendAsync(this.#fd, message, message.length, 0);
    if (sent !== message.length) throw new Error(`netlink took ${sent} of ${message.length} bytes`);
  }

  #acknowledge(bySequence: Map<number, NetlinkRequest>): void {
    let refused: NetlinkError | undefined;
    let failure: NetlinkError | undefined;
    // In a batch, the kernel answers only the request that failed.
    while (bySequence.size > 0 && (refused === undefined || this.#hasAnswers())) {
      for (const answer of this.#receive()) {
        const request = bySequence.get(answer.sequence);
        if (request === undefined || answer.type !== NLMSG_ERROR) continue;
        bySequence.delete(answer.sequence);
        const error = refusal(request.what, answer);
        refused ??= error;
        if (error !== undefined && !(request.accept ?? []).includes(error.code)) failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
  }

  #receive(): Answer[] {
    const length = checked(
      libc().recv(this.#fd, this.#buffer, this.#buffer.length, MSG_DONTWAIT),
      'recv',
      'from netlink',
    );
    return decodeAnswers(Buffer.from(this.#buffer.subarray(0, length)));
  }

  #hasAnswers(): boolean {
    return libc().recv(this.#fd, this.#buffer, this.#buffer.length, MSG_DONTWAIT | MSG_PEEK) > 0;
  }

  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(() => {
      if (this.#closed) throw new Error('the netlink socket is closed');
      return work();
    });
    this.#queue = result.catch(() => {});
    return result;
  }
}

interface Answer extends NetlinkMessage {
  readonly flags: number;
  readonly sequence: number;
}

function encodeMessage({
  type,
  flags,
  body,
  sequence,
}: {
  type: number;
  flags: number;
  body: Buffer;
  sequence: number;
}): Buffer {
  const message = Buffer.alloc(align(HEADER + body.length));
  message.writeUInt32LE(HEADER + body.length, 0);
  message.writeUInt16LE(type, 4);
  message.writeUInt16LE(flags, 6);
  message.writeUInt32LE(sequence, 8);
  body.copy(message, HEADER);
  return message;
}

function decodeAnswers(data: Buffer): Answer[] {
  const answers: Answer[] = [];
  for (let offset = 0; offset + HEADER <= data.length;) {
    const length = data.readUInt32LE(offset);
    if (length < HEADER) break;
    answers.push({
      type: data.readUInt16LE(offset + 4),
      flags: data.readUInt16LE(offset + 6),
      sequence: data.readUInt32LE(offset + 8),
      body: data.subarray(offset + HEADER, offset + length),
    });
    offset += align(length);
  }
  return answers;
}

function refusal(what: string, { body, flags }: Answer): NetlinkError | undefined {
  const errno = -body.readInt32LE(0);
  return errno === 0 ? undefined : new NetlinkError(what, errno, extendedMessage(body, flags));
}

/** The kernel's message besides errno; it follows the copy of the request, which may be capped. */
function extendedMessage(body: Buffer, flags: number): string | undefined {
  if ((flags & NLM_F_ACK_TLVS) === 0) return undefined;
  const requestLength = (flags & NLM_F_CAPPED) === 0 ? body.readUInt32LE(4) : HEADER;
  const text = decodeAttributes(body.subarray(4 + align(requestLength))).get(NLMSGERR_ATTR_MSG);
  return text?.toString('utf8').replace(/(?<!\0)\0+$/, '');
}

const align = (length: number): number => (length + 3) & ~3;

/** An attribute; a list of buffers is a nest. */
export function attribute(type: number, value: Buffer | readonly Buffer[]): Buffer {
  const payload = Buffer.isBuffer(value) ? value : Buffer.concat(value);
  const encoded = Buffer.alloc(align(4 + payload.length));
  encoded.writeUInt16LE(4 + payload.length, 0);
  encoded.writeUInt16LE(type, 2);
  payload.copy(encoded, 4);
  return encoded;
}

export function decodeAttributes(data: Buffer): Map<number, Buffer> {
  const attributes = new Map<number, Buffer>();
  for (let offset = 0; offset + 4 <= data.length;) {
    const length = data.readUInt16LE(offset);
    if (length < 4) break;
    attributes.set(data.readUInt16LE(offset + 2) & 0x3fff, data.subarray(offset + 4, offset + length));
    offset += align(length);
  }
  return attributes;
}

export const u8 = (value: number): Buffer => Buffer.from([value]);

export function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value >>> 0);
  return buffer;
}

export const zeroTerminated = (text: string): Buffer => Buffer.from(`${text}\0`);
