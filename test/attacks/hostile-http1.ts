/** HTTP/1.1 as nobody should send it: smuggling shapes, lengths that lie, headers without end, upgrades to nothing. */
import type { Random } from '../../src/kernel/index.ts';

export interface Http1Ground {
  /** Paths that the server knows, among which the hostile ones hide. */
  readonly paths: readonly string[];
  /** Header lines that every request may carry, such as a token. */
  readonly headers?: readonly string[];
  /** A body that would be accepted. */
  readonly body?: string;
}

const pick = <T>(random: Random, from: readonly T[]): T => from[random.integer(from.length)]!;

const METHODS = [
  'GET',
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PRI',
  'BREW',
  'get',
  'M-SEARCH',
  'GET\t',
  '',
  'G\x00T',
  'X'.repeat(3000),
];
const TARGETS = [
  '//',
  '///',
  '*',
  '?',
  '',
  'x',
  'http://[',
  'http://x/version',
  'https://[::1',
  '//[',
  '/..',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/../../etc/passwd',
  '/%',
  '/%zz',
  '/%00',
  '/%ff',
  '/\xff\xfe',
  '/a#b',
  '/a b',
  '/a\\b',
  `/${'a/'.repeat(3000)}`,
  `/${'x'.repeat(20_000)}`,
  '/__proto__',
  '/constructor',
  '/?%',
  '/?a=%zz&b=;c',
  `/?${'a=b&'.repeat(3000)}`,
  '/;x',
  '/.',
  '/%c0%ae',
  '\x00',
  '/\t',
];
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/0.9',
  'HTTP/2.0',
  'HTTP/9.9',
  'HTTP/1.1 ',
  'http/1.1',
  'HTTP/1',
  '',
  'HTTP/1.100',
];
const LENGTHS = [
  '0',
  '5',
  '-1',
  '+5',
  '0x10',
  '5, 5',
  '5, 6',
  '1e3',
  '99999999999999999999',
  '4294967296',
  '',
  ' ',
  '5 ',
  '5a',
  '\t5',
];
const ENCODINGS = [
  'chunked',
  'Chunked',
  'chunked, chunked',
  'identity',
  'gzip, chunked',
  'chunked, identity',
  'xchunked',
  ' chunked',
  'chunked;a=b',
  '\x0bchunked',
  'deflate',
  '',
];
const UPGRADES = [
  'websocket',
  'SPDY/3.1',
  'h2c',
  'TLS/1.0',
  'websocket, SPDY/3.1',
  '\t',
  '',
  'x'.repeat(3000),
  'WebSocket',
];
const SUBPROTOCOLS = [
  'v5.channel.k8s.io',
  'v4.channel.k8s.io',
  'base64.channel.k8s.io',
  'SPDY/3.1+portforward.k8s.io',
  'base64url.bearer.authorization.k8s.io.%%%',
  ',',
  '',
  'v4.channel.k8s.io, v4.channel.k8s.io',
  'x'.repeat(5000),
  'a/b',
  '"',
];
const ODD_LINES = [
  'X\x00Y: z',
  'NoColon',
  ': empty name',
  'A : space before',
  'Folded: a\r\n b',
  'Bare: a\nLF: b',
  'Null: \x00',
  'Bell: \x07',
  'High: \xff\xfe',
  `Long: ${'y'.repeat(70_000)}`,
  'Expect: 100-continue',
  'Expect: nonsense',
  'Connection: close, keep-alive, upgrade',
  'Connection: ',
  'Keep-Alive: timeout=99999999',
  'Range: bytes=0-0,1-1,2-2',
  'Accept-Encoding: gzip;q=x',
  'Authorization: Bearer',
  'Authorization: Bearer a.b.c',
  'Authorization: Basic %%%',
  `Authorization: Bearer ${'z'.repeat(9000)}`,
  'Impersonate-User: system:admin',
  'X-Remote-User: system:admin',
  'X-Remote-Group: system:masters',
  'X-Forwarded-For: a, b, c',
  'Cookie: a=b',
  'Trailer: Content-Length',
  'TE: trailers',
  'Proxy-Connection: keep-alive',
  'HTTP2-Settings: AAMAAABkAAQAAP__',
  'Content-Encoding: gzip',
  'Content-Type: application/json',
  'Content-Type: ;;;',
  'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=99',
];

export interface Http1Attack {
  readonly pieces: readonly Buffer[];
  readonly pauseMs: number;
}

export function hostileHttp1(random: Random, ground: Http1Ground): Http1Attack {
  const chance = random.next();
  if (chance < 0.04) return { pieces: [Buffer.from(random.bytes(1 + random.integer(2000)))], pauseMs: 0 };
  let bytes = latin1(
    chance < 0.14
      ? Array.from({ length: 2 + random.integer(20) }, () => request(random, ground)).join('')
      : chance < 0.2
        ? `${requestLine(random, ground)}Host: x\r\n${'a: b\r\n'.repeat(random.integer(8000))}\r\n`
        : chance < 0.4
          ? upgrade(random, ground)
          : request(random, ground),
  );
  if (random.next() < 0.2) bytes = bytes.subarray(0, random.integer(bytes.length));
  else if (random.next() < 0.1) bytes = corrupted(random, bytes);
  // Slow clients, within bounds: a few pieces with a moment between them.
  if (random.next() < 0.05) return { pieces: cut(random, bytes, 1 + random.integer(8)), pauseMs: 5 };
  return { pieces: random.next() < 0.2 ? cut(random, bytes, 2) : [bytes], pauseMs: 0 };
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

function requestLine(random: Random, { paths }: Http1Ground): string {
  const known = random.next() < 0.7;
  const path =
    random.next() < 0.6
      ? pick(random, paths)
      : random.next() < 0.3
        ? `${pick(random, paths)}${pick(random, TARGETS)}`
        : pick(random, TARGETS);
  return `${known ? pick(random, METHODS.slice(0, 6)) : pick(random, METHODS)} ${path} ${known ? 'HTTP/1.1' : pick(random, VERSIONS)}${random.next() < 0.95 ? '\r\n' : '\n'}`;
}

function headerLines(random: Random, { headers = [] }: Http1Ground): string {
  const lines = random.next() < 0.9 ? ['Host: x'] : [];
  if (random.next() < 0.7) lines.push(...headers);
  while (random.next() < 0.35) lines.push(pick(random, ODD_LINES));
  return lines.map((line) => `${line}\r\n`).join('');
}

function request(random: Random, ground: Http1Ground): string {
  const head = requestLine(random, ground) + headerLines(random, ground);
  const body =
    ground.body !== undefined && random.next() < 0.5
      ? ground.body
      : pick(random, ['', 'hello', '{"a":', '\x00\x01', 'x'.repeat(5000)]);
  const chance = random.next();
  if (chance < 0.3) return `${head}\r\n`;
  if (chance < 0.5) return `${head}Content-Length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${body}`;
  const smuggled = random.next() < 0.3 ? `GET ${pick(random, ground.paths)} HTTP/1.1\r\nHost: x\r\n\r\n` : '';
  const lengths = random.next() < 0.7 ? `Content-Length: ${pick(random, LENGTHS)}\r\n` : '';
  const again = random.next() < 0.2 ? `Content-Length: ${pick(random, LENGTHS)}\r\n` : '';
  const encoding = random.next() < 0.7 ? `Transfer-Encoding: ${pick(random, ENCODINGS)}\r\n` : '';
  return `${head}${lengths}${again}${encoding}\r\n${random.next() < 0.7 ? chunks(random, body) : body}${smuggled}`;
}

function chunks(random: Random, body: string): string {
  const size = pick(random, [
    body.length.toString(16),
    'fffffffffffffffff',
    '-1',
    '0x5',
    '',
    'zz',
    ' 5',
    '5 ',
    `5;${'a=b;'.repeat(2000)}`,
    '00000000000000000005',
    '7fffffff',
    '0',
  ]);
  const end = pick(random, [
    '0\r\n\r\n',
    '0\r\n',
    '',
    `0\r\n${'T: x\r\n'.repeat(random.integer(2000))}\r\n`,
    '0\n\n',
    '0\r\nContent-Length: 5\r\n\r\n',
  ]);
  return `${size}\r\n${body}${random.next() < 0.9 ? '\r\n' : ''}${end}`;
}

function upgrade(random: Random, ground: Http1Ground): string {
  const key = pick(random, ['dGhlIHNhbXBsZSBub25jZQ==', 'x', '', 'dGhl']);
  const lines = [
    `Connection: ${pick(random, ['Upgrade', 'upgrade, keep-alive', 'keep-alive'])}`,
    `Upgrade: ${pick(random, UPGRADES)}`,
    `Sec-WebSocket-Version: ${pick(random, ['13', '8', '99', ''])}`,
    `Sec-WebSocket-Key: ${key}`,
  ];
  if (random.next() < 0.7) lines.push(`Sec-WebSocket-Protocol: ${pick(random, SUBPROTOCOLS)}`);
  if (random.next() < 0.4)
    lines.push(
      `X-Stream-Protocol-Version: ${pick(random, ['v4.channel.k8s.io', 'portforward.k8s.io', '', 'nonsense'])}`,
    );
  const method = random.next() < 0.8 ? 'GET' : 'POST';
  const after = random.next() < 0.5 ? hostileFrames(random).toString('latin1') : '';
  return `${method} ${pick(random, ground.paths)} HTTP/1.1\r\n${headerLines(random, ground)}${lines.join('\r\n')}\r\n\r\n${after}`;
}

/** What may follow an upgrade: frames of WebSocket and SPDY with lies in them, or nothing but chance. */
export function hostileFrames(random: Random): Buffer {
  const frames: Buffer[] = [];
  for (let i = 1 + random.integer(6); i > 0; i--) {
    const content = Buffer.from(random.bytes(random.integer(200)));
    const chance = random.next();
    if (chance < 0.4) frames.push(websocketFrame(random, content));
    else if (chance < 0.9) frames.push(spdyFrame(random, content));
    else frames.push(content);
  }
  const bytes = Buffer.concat(frames);
  return random.next() < 0.2 ? bytes.subarray(0, random.integer(bytes.length + 1)) : bytes;
}

function websocketFrame(random: Random, content: Buffer): Buffer {
  const first = random.next() < 0.7 ? 0x80 | pick(random, [0, 1, 2, 8, 9, 10]) : random.integer(256);
  const masked = random.next() < 0.8 ? 0x80 : 0;
  const length = pick(random, [
    [masked | Math.min(125, content.length)],
    [masked | 126, 0, content.length],
    [masked | 126, 0xff, 0xff],
    [masked | 127, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [masked | 127, 0, 0, 0, 0, 0x10, 0, 0, 0],
  ]);
  return Buffer.concat([Buffer.from([first, ...length]), masked ? Buffer.alloc(4) : Buffer.alloc(0), content]);
}

function spdyFrame(random: Random, content: Buffer): Buffer {
  const control = random.next() < 0.7;
  const head = Buffer.alloc(8);
  head.writeUInt32BE(
    control
      ? (0x8000_0000 | ((random.next() < 0.9 ? 3 : random.integer(0x7fff)) << 16) | random.integer(12)) >>> 0
      : random.integer(16),
    0,
  );
  head[4] = random.integer(4);
  head.writeUIntBE(random.next() < 0.8 ? content.length : pick(random, [0, 1, 3, 9, 0xff_ffff]), 5, 3);
  return Buffer.concat([head, content]);
}

function corrupted(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let i = random.integer(4); i >= 0; i--) copy[random.integer(copy.length)] = random.integer(256);
  return copy;
}

function cut(random: Random, bytes: Buffer, parts: number): Buffer[] {
  const places = Array.from({ length: parts }, () => random.integer(bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, [...places, bytes.length][index]));
}
