/** Serves one upgraded connection of exec, attach or port-forward: negotiates the protocol and runs the session. */
import type http from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream } from 'ws';
import { splitTarget } from '../../net/http/index.ts';
import { acceptWebSocket } from '../../net/websocket/index.ts';
import type { RuntimeParts } from '../runtime-parts.ts';
import { attachSession } from './attach-session.ts';
import { execSession } from './exec-session.ts';
import {
  channelPortForward,
  dialerOf,
  PORT_CHANNEL_PROTOCOLS,
  PORT_FORWARD_PROTOCOL,
  spdyPortForward,
  TUNNEL_PROTOCOL,
} from './port-forward.ts';
import type { RemoteCommand, WantedStreams } from './remote-command.ts';
import { SPDY_COMMAND_PROTOCOLS, spdyCommand } from './spdy-command.ts';
import type { StreamRequest } from './stream-request.ts';
import { COMMAND_PROTOCOLS, websocketCommand } from './websocket-command.ts';

interface Upgrade {
  readonly request: http.IncomingMessage;
  readonly socket: Duplex;
  /** Bytes received after the request's headers. */
  readonly head: Buffer;
}

export async function serveStreams(parts: RuntimeParts, stream: StreamRequest, upgrade: Upgrade): Promise<void> {
  const protocol = (upgrade.request.headers.upgrade ?? '').toLowerCase();
  if (protocol === 'websocket') await serveWebSocket(parts, stream, upgrade);
  else if (protocol === 'spdy/3.1') await serveSpdy(parts, stream, upgrade);
  else refuse(upgrade.socket, 400, `unable to upgrade: ${JSON.stringify(protocol)} is neither websocket nor SPDY/3.1`);
}

async function serveSpdy(
  parts: RuntimeParts,
  stream: StreamRequest,
  { request, socket, head }: Upgrade,
): Promise<void> {
  const offered = headerList(request.headers['x-stream-protocol-version']);
  const known: readonly string[] = stream.kind === 'portforward' ? [PORT_FORWARD_PROTOCOL] : SPDY_COMMAND_PROTOCOLS;
  // Old clients send no protocol version.
  const protocol = offered.length === 0 ? known.at(-1)! : offered.find((name) => known.includes(name));
  if (protocol === undefined) {
    refuse(
      socket,
      403,
      `unable to upgrade: unable to negotiate protocol: client supports ${offered.join(', ')}, server accepts ${known.join(', ')}`,
    );
    return;
  }
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: SPDY/3.1\r\nx-stream-protocol-version: ${protocol}\r\n\r\n`,
  );
  if (stream.kind === 'portforward')
    await spdyPortForward(socket, head, { dial: dialerOf(parts, stream.request), clock: parts.ctx.clock });
  else
    await runCommand(
      parts,
      stream,
      await spdyCommand({ socket, head, protocol, wanted: wantedStreams(stream), clock: parts.ctx.clock }),
    );
}

async function serveWebSocket(
  parts: RuntimeParts,
  stream: StreamRequest,
  { request, socket, head }: Upgrade,
): Promise<void> {
  const known: readonly string[] =
    stream.kind === 'portforward' ? [TUNNEL_PROTOCOL, ...PORT_CHANNEL_PROTOCOLS] : COMMAND_PROTOCOLS;
  const offered = headerList(request.headers['sec-websocket-protocol']);
  // A client that asks for no subprotocol gets the oldest one.
  const protocol = offered.length === 0 ? '' : offered.find((name) => known.includes(name));
  if (protocol === undefined) {
    refuse(
      socket,
      403,
      `unable to upgrade: unable to negotiate protocol: client supports ${offered.join(', ')}, server accepts ${known.join(', ')}`,
    );
    return;
  }
  const connection = await acceptWebSocket({ request, socket, head }, protocol || undefined);
  if (stream.kind !== 'portforward')
    await runCommand(parts, stream, websocketCommand(connection, { protocol, wanted: wantedStreams(stream) }));
  else if (protocol === TUNNEL_PROTOCOL)
    await spdyPortForward(createWebSocketStream(connection), Buffer.alloc(0), {
      dial: dialerOf(parts, stream.request),
      clock: parts.ctx.clock,
    });
  else
    await channelPortForward(connection, {
      protocol,
      ports: portsOf(request, stream.request.port ?? []),
      dial: dialerOf(parts, stream.request),
    });
}

function runCommand(
  parts: RuntimeParts,
  stream: Exclude<StreamRequest, { kind: 'portforward' }>,
  remote: RemoteCommand,
): Promise<void> {
  return stream.kind === 'exec'
    ? execSession(parts, stream.request, remote)
    : attachSession(parts, stream.request, remote);
}

function wantedStreams({ request }: Exclude<StreamRequest, { kind: 'portforward' }>): WantedStreams {
  return {
    stdin: request.stdin ?? false,
    stdout: request.stdout ?? false,
    stderr: request.stderr ?? false,
    terminal: request.tty ?? false,
  };
}

/** The ports of the CRI request, or else of the URL's query. */
function portsOf(request: http.IncomingMessage, requested: readonly number[]): number[] {
  if (requested.length > 0) return [...requested];
  const { query } = splitTarget(request.url ?? '/');
  return [...query.getAll('port'), ...query.getAll('ports')]
    .flatMap((text) => text.split(','))
    .map(Number)
    .filter((port) => port > 0 && port < 65_536);
}

function headerList(value: string | string[] | undefined): string[] {
  return [value ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function refuse(socket: Duplex, code: number, message: string): void {
  socket.end(
    `HTTP/1.1 ${code} ${code === 403 ? 'Forbidden' : 'Bad Request'}\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(message)}\r\n\r\n${message}`,
  );
}
