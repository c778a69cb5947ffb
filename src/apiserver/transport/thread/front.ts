/**
 * The thread that has the port: it takes TLS and HTTP/2 off the requests and passes them on to the pipeline's thread,
 * and puts them on the answers. It decides nothing. HTTP/1.1 is passed on as the bytes that it is: it is for few
 * requests, and for protocols that take their connection over.
 */
import type net from 'node:net';
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../../kernel/index.ts';
import { Http2Connection, type Http2Listener } from '../../../net/http2/index.ts';
import { secureServer } from '../secure-server.ts';
import { http2Options, tlsOptions } from '../settings.ts';
import type { TlsOptions } from '../transport.ts';
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
  const sessions = new Set<Http2Connection>();
  const listener: Http2Listener = {
    begin: (stream, connection) => streams.begin(stream, connection),
    closed: (connection) => {
      sessions.delete(connection);
      streams.ended(connection);
    },
  };
  const { server, sockets } = secureServer(options.tls, {
    http1: (socket) => connections.begin(socket),
    http2: (socket) => void sessions.add(new Http2Connection(socket, http2Options(clock), listener)),
  });
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
    await Promise.all(Array.from(sessions, (session) => session.leave()));
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
