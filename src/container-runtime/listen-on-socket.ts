import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import type { GrpcServer } from '../grpc/index.ts';
import { makeDirectorySync } from '../kernel/index.ts';

/** Listens on a Unix socket. Replaces the socket of a killed process; fails if another process still serves on it. */
export async function listenOnSocket(server: GrpcServer, socket: string): Promise<void> {
  makeDirectorySync(path.dirname(socket), { mode: 0o711 });
  if (fs.existsSync(socket)) {
    if (await answers(socket)) throw new Error(`another process serves on ${socket} already`);
    fs.rmSync(socket, { force: true });
  }
  await server.listen(`unix://${socket}`);
  fs.chmodSync(socket, 0o660);
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = net.connect(socket);
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}
