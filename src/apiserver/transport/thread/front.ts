/**
 * The thread that has the port: it terminates TLS and HTTP/2 and passes requests on to the pipeline's thread. It decides
 * nothing. HTTP/1.1 is passed on as bytes: few requests use it, and protocols that take their connection over need that.
 */
import type net from 'node:net';
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../../../kernel/index.ts';
import { Http2Connection, type Http2Listener } from '../../../net/http2/index.ts';
import type { ServingOptions } from '../../../net/tls/index.ts';
import type { SpeedOptions } from '../../request/speed-options.ts';
import { ResponseHeads } from '../response-heads.ts';
import { secureServer } from '../secure-server.ts';
import { http2Options } from '../settings.ts';
import type { Http2Settings } from '../transport.ts';
import { FrontConnections } from './front-connections.ts';
import { FrontStreams } from './front-streams.ts';
import { BatchReader, endOfTurn, Outbox, unbatched, type Batch } from './message-batch.ts';
import * as op from './operations.ts';

export interface FrontOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: ServingOptions;
  readonly http2: Http2Settings;
  readonly maxBodyBytes: number;
  readonly speed: SpeedOptions;
}

/** Serves until the other side sends STOP. */
export function serveFront(port: MessagePort, clock: Clock, options: FrontOptions): void {
  const { speed, maxBodyBytes, http2 } = options;
  const outbox = new Outbox(port, speed.messageBatches ? endOfTurn(clock) : unbatched);
  const streams = new FrontStreams({
    outbox,
    clock,
    maxBodyBytes,
    heads: new ResponseHeads(clock, speed.headerTables),
  });
  const connections = new FrontConnections(outbox);
  const sessions = new Set<Http2Connection>();
  const listener: Http2Listener = {
    begin: (stream, connection) => streams.begin(stream, connection),
    closed: (connection) => {
      sessions.delete(connection);
      streams.ended(connection);
    },
  };
  const { server, sockets, renew } = secureServer(options.tls, {
    http1: (socket) => connections.begin(socket),
    ...(http2.enabled
      ? { http2: (socket) => void sessions.add(new Http2Connection(socket, http2Options(clock, http2), listener)) }
      : {}),
    handshakeFailed: () => outbox.send(op.HANDSHAKE_FAILED),
  });
  const failed = ({ message, code = '' }: NodeJS.ErrnoException): void => {
    outbox.send(op.FAILED, message, code);
    outbox.flush();
    port.close();
  };
  server.once('error', failed);
  server.listen(options.port, options.host, () => {
    server.off('error', failed);
    outbox.send(op.LISTENING, (server.address() as net.AddressInfo).port);
  });

  const closed = new Promise<void>((resolve) => server.once('close', resolve));
  const stop = async (): Promise<void> => {
    await Promise.all(Array.from(sessions, (session) => session.leave()));
    for (const socket of sockets) socket.destroy();
    streams.stop();
    await closed;
    // Nothing keeps the thread alive any more, and its end ends the other side's wait.
    outbox.flush();
    port.close();
  };
  port.on('message', (batch: Batch) => {
    const reader = new BatchReader(batch);
    while (!reader.done) {
      const operation = reader.next<number>();
      if (streams.perform(operation, reader) || connections.perform(operation, reader)) continue;
      if (operation === op.RENEW) renew(reader.next<ServingOptions>());
      else if (operation === op.STOP_LISTENING) {
        server.close();
        for (const session of sessions) session.close();
      } else if (operation === op.STOP) void stop();
    }
  });
}
