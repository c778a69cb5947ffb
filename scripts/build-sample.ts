/** A program for build.test.ts: needs packages of every kind that the real one bundles. */
import { Server } from '@grpc/grpc-js';
import { WebSocketServer } from 'ws';
import { parse } from 'yaml';

process.stdout.write(
  JSON.stringify({ grpc: typeof Server, ws: typeof WebSocketServer, yaml: parse('a: 1') as unknown }),
);
