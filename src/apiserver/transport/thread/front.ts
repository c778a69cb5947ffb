/**
 * The thread that has the port: it takes TLS and HTTP/2 off the requests and passes them on to the pipeline's thread,
 * and puts them on the answers. It decides nothing. HTTP/1.1 is passed on as the bytes that it is: it is for few
 * requests, and for protocols that take their connection over.
 */
import http2 from 'node:http2';
import type net from 'node:net';
import tls from 'node:tls';
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../../kernel/index.ts';
import type { TlsOptions } from '../serve.ts';
import { HTTP2_OPTIONS, ofSession, tlsOptions } from '../settings.ts';
import { BatchReader, Outbox, type Batch } from './batch.ts';
import { FrontConnections } from './front-connections.ts';
import { FrontStreams } from './front-streams.ts';
import * as op from './operations.ts';

export interface FrontOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsOptions;
  readonly maxBodyBytes: number;
}

/** Serves until the other side says STOP. */
export function serveFront(port: MessagePort, clock: Clock, options: FrontOptions): void {
  const outbox = new Outbox(port, clock);
  const streams = new FrontStreams(outbox, clock, options.maxBodyBytes);
  const connections = new FrontConnections(outbox);
  const sessions = new Set<http2.ServerHttp2Session>();
  const sockets = new Set<net.Socket>();

  const http2Server = http2.createServer(HTTP2_OPTIONS);
  http2Server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    ofSession(session);
  });
  http2Server.on('stream', (stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders, _flags: number, raw: string[]) => streams.begin(stream, headers, raw));
  http2Server.on('sessionError', ignore);

  const server = tls.createServer({ ...tlsOptions(options.tls), ALPNProtocols: ['h2', 'http/1.1'] });
  server.on('connection', (socket: net.Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.setNoDelay(true);
  });
  server.on('secureConnection', (socket: tls.TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2Server.emit('connection', socket);
    else connections.begin(socket);
  });
  server.on('tlsClientError', ignore);
  const failed = ({ message, code = '' }: NodeJS.ErrnoException): void => {
    outbox.say(op.FAILED, message, code);
    outbox.flush();
    port.close();
  };
  server.once('error', failed);
  server.listen(options.port, options.host, () => {
    server.off('error', failed);
    outbox.say(op.LISTENING, (server.address() as net.AddressInfo).port);
  });

  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  const stop = async (): Promise<void> => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
    streams.stop();
    await closed;
    // Nothing is left that keeps the thread: its end tells the other side.
    outbox.flush();
    port.close();
  };
  port.on('message', (batch: Batch) => {
    const reader = new BatchReader(batch);
    while (!reader.done) {
      const operation = reader.next<number>();
      if (streams.perform(operation, reader) || connections.perform(operation, reader)) continue;
      if (operation === op.RENEW) server.setSecureContext(tlsOptions(reader.next<TlsOptions>()));
      else if (operation === op.STOP_LISTENING) {
        server.close();
        for (const session of sessions) session.close();
      } else if (operation === op.STOP) void stop();
    }
  });
}

const ignore = (): void => {};
