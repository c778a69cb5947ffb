/**
 * Encodes and decodes DNS messages (RFC 1035, EDNS of RFC 6891):
 *
 *     header 12 bytes: id, flags, four counts | questions | answers | authority | additional
 *
 * Names are text without the last dot and keep their case; the root is ''.
 */
import { addressBytes, addressText } from '../base/index.ts';

export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  HINFO: 13,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  OPT: 41,
  AXFR: 252,
  ANY: 255,
} as const;
export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
export const CLASS_IN = 1;

const FLAG = {
  response: 0x8000,
  authoritative: 0x0400,
  truncated: 0x0200,
  recursionDesired: 0x0100,
  recursionAvailable: 0x0080,
} as const;

export interface Question {
  readonly name: string;
  readonly type: number;
  readonly class: number;
}

export type RecordData =
  | { readonly type: 'A' | 'AAAA'; readonly address: string }
  | { readonly type: 'CNAME' | 'PTR' | 'NS'; readonly target: string }
  | {
      readonly type: 'SRV';
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly target: string;
    }
  | { readonly type: 'TXT'; readonly texts: readonly string[] }
  | {
      readonly type: 'SOA';
      readonly primary: string;
      readonly mailbox: string;
      readonly serial: number;
      readonly refresh: number;
      readonly retry: number;
      readonly expire: number;
      readonly minimum: number;
    }
  /** Any other type, as its bytes. */
  | { readonly type: number; readonly bytes: Buffer };

export interface ResourceRecord {
  readonly name: string;
  readonly ttl: number;
  readonly data: RecordData;
}

export interface DnsMessage {
  readonly id: number;
  readonly response?: boolean;
  readonly opcode?: number;
  readonly authoritative?: boolean;
  readonly truncated?: boolean;
  readonly recursionDesired?: boolean;
  readonly recursionAvailable?: boolean;
  readonly rcode?: number;
  readonly questions: readonly Question[];
  readonly answers?: readonly ResourceRecord[];
  readonly authority?: readonly ResourceRecord[];
  readonly additional?: readonly ResourceRecord[];
  /** The sender's EDNS option; `size` is the largest datagram that it accepts. */
  readonly edns?: { readonly size: number; readonly dnssecOk?: boolean; readonly version?: number };
}

export class MalformedDnsMessage extends Error {
  readonly code = 'malformed-dns-message';
}

export function decodeMessage(bytes: Buffer): DnsMessage {
  if (bytes.length < 12) throw new MalformedDnsMessage('shorter than a header');
  const reader = new Reader(bytes);
  const flags = bytes.readUInt16BE(2);
  reader.offset = 12;
  const questions = Array.from({ length: bytes.readUInt16BE(4) }, () => ({
    name: reader.name(),
    type: reader.uint16(),
    class: reader.uint16(),
  }));
  const sections = [6, 8, 10].map((at) => Array.from({ length: bytes.readUInt16BE(at) }, () => reader.record()));
  const [answers, authority, additional] = sections.map((section) =>
    section.filter((record) => record.data.type !== TYPE.OPT),
  );
  const opt = sections[2]!.find((record) => record.data.type === TYPE.OPT) as
    | (ResourceRecord & { class: number })
    | undefined;
  return {
    id: bytes.readUInt16BE(0),
    response: (flags & FLAG.response) !== 0,
    opcode: (flags >> 11) & 15,
    authoritative: (flags & FLAG.authoritative) !== 0,
    truncated: (flags & FLAG.truncated) !== 0,
    recursionDesired: (flags & FLAG.recursionDesired) !== 0,
    recursionAvailable: (flags & FLAG.recursionAvailable) !== 0,
    rcode: flags & 15,
    questions,
    answers: answers!,
    authority: authority!,
    additional: additional!,
    // An OPT record has the size in its class and the flags in its TTL.
    ...(opt ? { edns: { size: opt.class, dnssecOk: (opt.ttl & 0x8000) !== 0, version: (opt.ttl >>> 16) & 255 } } : {}),
  };
}

/** Encodes within `limit` bytes. Records that do not fit are left out and the message is marked as truncated. */
export function encodeMessage(message: DnsMessage, limit = 65_535): Buffer {
  const writer = new Writer(limit);
  const room = limit - (message.edns ? 11 : 0);
  for (const question of message.questions) {
    writer.name(question.name);
    writer.uint16(question.type);
    writer.uint16(question.class);
  }
  let truncated = message.truncated ?? false;
  const counts = [message.answers ?? [], message.authority ?? [], message.additional ?? []].map((section, index) => {
    let written = 0;
    for (const record of section) {
      const start = writer.offset;
      if (truncated || !writer.record(record, room)) {
        writer.offset = start;
        // Additional records are optional: without them the answer is still complete.
        if (index < 2) truncated = true;
        break;
      }
      written++;
    }
    return written;
  });
  if (message.edns) {
    writer.opt(message.edns);
    counts[2]!++;
  }
  const flags =
    (message.response ? FLAG.response : 0) |
    ((message.opcode ?? 0) << 11) |
    (message.authoritative ? FLAG.authoritative : 0) |
    (truncated ? FLAG.truncated : 0) |
    (message.recursionDesired ? FLAG.recursionDesired : 0) |
    (message.recursionAvailable ? FLAG.recursionAvailable : 0) |
    (message.rcode ?? 0);
  return writer.finish([message.id, flags, message.questions.length, ...counts]);
}

const NUMBERS: ReadonlyMap<string, number> = new Map(Object.entries(TYPE));
const NAMES = new Map(Object.entries(TYPE).map(([name, number]) => [number as number, name]));

class Reader {
  offset = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint16(): number {
    this.#need(2);
    const value = this.#bytes.readUInt16BE(this.offset);
    this.offset += 2;
    return value;
  }

  uint32(): number {
    this.#need(4);
    const value = this.#bytes.readUInt32BE(this.offset);
    this.offset += 4;
    return value;
  }

  /** Compression pointers may only point backwards, so that following them ends. */
  name(): string {
    const labels: string[] = [];
    let at = this.offset;
    let end = -1;
    let lowest = at;
    let length = 0;
    for (;;) {
      const size = this.#bytes[at];
      if (size === undefined) throw new MalformedDnsMessage('a name runs past the end');
      if (size === 0) break;
      if (size >= 0xc0) {
        if (at + 1 >= this.#bytes.length) throw new MalformedDnsMessage('a pointer runs past the end');
        if (end < 0) end = at + 2;
        const target = this.#bytes.readUInt16BE(at) & 0x3fff;
        if (target >= lowest) throw new MalformedDnsMessage('a pointer does not point back');
        lowest = at = target;
        continue;
      }
      if (size > 63 || at + 1 + size > this.#bytes.length) throw new MalformedDnsMessage('a label is too long');
      length += size + 1;
      if (length > 254) throw new MalformedDnsMessage('a name is too long');
      labels.push(this.#bytes.toString('latin1', at + 1, at + 1 + size));
      at += size + 1;
    }
    this.offset = end < 0 ? at + 1 : end;
    return labels.join('.');
  }

  record(): ResourceRecord & { class: number } {
    const name = this.name();
    const type = this.uint16();
    const recordClass = this.uint16();
    const ttl = this.uint32();
    const length = this.uint16();
    this.#need(length);
    const end = this.offset + length;
    const data = this.#data(type, end);
    this.offset = end;
    return { name, ttl, class: recordClass, data };
  }

  #data(type: number, end: number): RecordData {
    const name = NAMES.get(type);
    switch (name) {
      case 'A':
      case 'AAAA':
        if (end - this.offset !== (name === 'A' ? 4 : 16))
          throw new MalformedDnsMessage('an address has the wrong length');
        return { type: name, address: addressText(this.#bytes.subarray(this.offset, end)) };
      case 'CNAME':
      case 'PTR':
      case 'NS':
        return { type: name, target: this.name() };
      case 'SRV':
        return { type: name, priority: this.uint16(), weight: this.uint16(), port: this.uint16(), target: this.name() };
      case 'SOA':
        return {
          type: name,
          primary: this.name(),
          mailbox: this.name(),
          serial: this.uint32(),
          refresh: this.uint32(),
          retry: this.uint32(),
          expire: this.uint32(),
          minimum: this.uint32(),
        };
      case 'TXT': {
        const texts: string[] = [];
        while (this.offset < end) {
          const size = this.#bytes[this.offset]!;
          texts.push(this.#bytes.toString('latin1', this.offset + 1, Math.min(end, this.offset + 1 + size)));
          this.offset += 1 + size;
        }
        return { type: name, texts };
      }
      default:
        return { type, bytes: Buffer.from(this.#bytes.subarray(this.offset, end)) };
    }
  }

  #need(count: number): void {
    if (this.offset + count > this.#bytes.length) throw new MalformedDnsMessage('shorter than it says');
  }
}

class Writer {
  #bytes: Buffer;
  offset = 12;
  /** The offset of each written name (suffixes, in lower case), for compression pointers. */
  readonly #names = new Map<string, number>();

  constructor(limit: number) {
    this.#bytes = Buffer.allocUnsafe(Math.min(limit, 4096) + 512);
  }

  uint16(value: number): void {
    this.#room(2);
    this.offset = this.#bytes.writeUInt16BE(value, this.offset);
  }

  uint32(value: number): void {
    this.#room(4);
    this.offset = this.#bytes.writeUInt32BE(value >>> 0, this.offset);
  }

  name(name: string, compress = true): void {
    let rest = name;
    while (rest !== '') {
      const suffix = rest.toLowerCase();
      const known = this.#names.get(suffix);
      if (compress && known !== undefined && known < this.offset) {
        this.uint16(0xc000 | known);
        return;
      }
      if (this.offset < 0x4000) this.#names.set(suffix, this.offset);
      const dot = rest.indexOf('.');
      const label = dot < 0 ? rest : rest.slice(0, dot);
      this.#room(label.length + 1);
      this.#bytes[this.offset] = label.length;
      this.#bytes.write(label, this.offset + 1, 'latin1');
      this.offset += label.length + 1;
      rest = dot < 0 ? '' : rest.slice(dot + 1);
    }
    this.#room(1);
    this.#bytes[this.offset++] = 0;
  }

  /** Returns false when the record does not fit; the caller then restores the offset. */
  record(record: ResourceRecord, room: number): boolean {
    const { data } = record;
    this.name(record.name);
    this.uint16(typeof data.type === 'number' ? data.type : NUMBERS.get(data.type)!);
    this.uint16(CLASS_IN);
    this.uint32(record.ttl);
    const lengthAt = this.offset;
    this.uint16(0);
    this.#data(data);
    this.#bytes.writeUInt16BE(this.offset - lengthAt - 2, lengthAt);
    return this.offset <= room;
  }

  #data(data: RecordData): void {
    if ('bytes' in data) {
      this.#raw(data.bytes);
      return;
    }
    switch (data.type) {
      case 'A':
      case 'AAAA':
        this.#raw(addressBytes(data.address));
        return;
      case 'CNAME':
      case 'PTR':
      case 'NS':
        this.name(data.target);
        return;
      case 'SRV':
        this.uint16(data.priority);
        this.uint16(data.weight);
        this.uint16(data.port);
        // RFC 2782: the target is never a pointer.
        this.name(data.target, false);
        return;
      case 'TXT':
        for (const text of data.texts)
          this.#raw(
            Buffer.concat([Buffer.of(Math.min(255, text.length)), Buffer.from(text, 'latin1').subarray(0, 255)]),
          );
        return;
      case 'SOA':
        this.name(data.primary);
        this.name(data.mailbox);
        for (const value of [data.serial, data.refresh, data.retry, data.expire, data.minimum]) this.uint32(value);
    }
  }

  opt(edns: NonNullable<DnsMessage['edns']>): void {
    this.#room(11);
    this.#bytes[this.offset++] = 0;
    this.uint16(TYPE.OPT);
    this.uint16(edns.size);
    this.uint32(((edns.version ?? 0) << 16) | (edns.dnssecOk ? 0x8000 : 0));
    this.uint16(0);
  }

  finish(header: readonly number[]): Buffer {
    header.forEach((value, index) => this.#bytes.writeUInt16BE(value, index * 2));
    return this.#bytes.subarray(0, this.offset);
  }

  #raw(bytes: Buffer): void {
    this.#room(bytes.length);
    bytes.copy(this.#bytes, this.offset);
    this.offset += bytes.length;
  }

  #room(count: number): void {
    if (this.offset + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.offset + count));
    this.#bytes.copy(larger, 0, 0, this.offset);
    this.#bytes = larger;
  }
}
