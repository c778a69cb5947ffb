/**
 * Node's HTTP/1.1 parser refuses unknown methods. The API server treats such a request like others: it authenticates
 * and authorizes it before it refuses the method. So this reads what the parser gave up on.
 */
import http from 'node:http';
import type net from 'node:net';
import { MAX_HEADER_BYTES } from '../../net/http/index.ts';
import { headersOf } from '../../net/http2/index.ts';

/** Node's additions to its error. */
export interface ParseError extends NodeJS.ErrnoException {
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]+) ([\x21-\x7e]+) HTTP\/1\.([01])$/;
const HEADER = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/;
const AROUND_VALUE = /^[ \t]+|(?<![ \t])[ \t]+$/g;

export class UnknownMethods {
  /** Incomplete heads; empty for complete ones. */
  readonly #heads = new WeakMap<net.Socket, Buffer>();

  /**
   * A request without its body; 'wait' while the head is incomplete, or already handled; undefined for something else
   * than a request.
   */
  read(
    { code, rawPacket, bytesParsed = 0 }: ParseError,
    socket: net.Socket,
  ): http.IncomingMessage | 'wait' | undefined {
    if (code !== 'HPE_INVALID_METHOD' || !rawPacket) return undefined;
    const begun = this.#heads.get(socket);
    if (begun?.length === 0) return 'wait';
    const head = begun ? Buffer.concat([begun, rawPacket]) : rawPacket.subarray(startOfLine(rawPacket, bytesParsed));
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 && head.length < MAX_HEADER_BYTES && mayBecomeRequest(head)) {
      this.#heads.set(socket, head);
      return 'wait';
    }
    this.#heads.set(socket, Buffer.alloc(0));
    return end < 0 ? undefined : requestOf(head.toString('latin1', 0, end), socket);
  }
}

/** The start of the line at which the parser stopped: it has consumed everything before. */
const startOfLine = (packet: Buffer, stopped: number): number =>
  stopped > 0 ? packet.lastIndexOf('\n', stopped - 1) + 1 : 0;

/** Rejects early what cannot become a request. */
function mayBecomeRequest(head: Buffer): boolean {
  const end = head.indexOf('\r\n');
  return end < 0
    ? /^[\x20-\x7e]+\r?$/.test(head.toString('latin1'))
    : REQUEST_LINE.test(head.toString('latin1', 0, end));
}

function requestOf(head: string, socket: net.Socket): http.IncomingMessage | undefined {
  const [first = '', ...lines] = head.split('\r\n');
  const [, method, target, minor] = REQUEST_LINE.exec(first) ?? [];
  // The end of a longer method, whose beginning was in an earlier packet, must not be taken for another method.
  if (!method || !target || http.METHODS.includes(method)) return undefined;
  const fields: string[] = [];
  const rawHeaders: string[] = [];
  for (const line of lines) {
    const [, name, padded] = HEADER.exec(line) ?? [];
    if (name === undefined || padded === undefined) return undefined;
    const value = padded.replace(AROUND_VALUE, '');
    rawHeaders.push(name, value);
    fields.push(name.toLowerCase(), value);
  }
  const headers = headersOf(fields);
  if (minor === '1' && headers['host'] === undefined) return undefined;
  const request = new http.IncomingMessage(socket);
  Object.assign(request, {
    method,
    url: target,
    headers,
    rawHeaders,
    httpVersion: `1.${minor}`,
    httpVersionMajor: 1,
    httpVersionMinor: Number(minor),
    complete: true,
  });
  request.push(null);
  return request;
}
