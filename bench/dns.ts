import { Worker } from 'node:worker_threads';
import { ClusterRecords, encodeMessage, TYPE } from '../src/dns/index.ts';
import { Forwarder } from '../src/dns/forwarder.ts';
import { AnswerCache, respond, type Resolver } from '../src/dns/respond.ts';
import { listen } from '../src/dns/serve.ts';
import { createContext } from '../src/kernel/index.ts';
import { callsPerSecond, type BenchOptions, type Row } from './harness.ts';

export const name = 'dns';

const SERVICES = 10_000;

/** A client with 64 questions under way, in a thread of its own; gives answers per second and the slowest hundredth. */
const CLIENT = `
const dgram = require('node:dgram');
const { workerData, parentPort } = require('node:worker_threads');
const { port, queries, durationMs } = workerData;
const socket = dgram.createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
const sent = new Map(); const took = []; let next = 0;
const start = performance.now();
const ask = () => {
  const id = next++ % 65536;
  const query = Buffer.from(queries[next % queries.length]);
  query.writeUInt16BE(id, 0);
  sent.set(id, performance.now());
  socket.send(query, port, '127.0.0.1');
};
socket.on('message', (answer) => {
  const id = answer.readUInt16BE(0);
  took.push(performance.now() - sent.get(id));
  if (performance.now() - start < durationMs) ask();
  else {
    socket.close();
    took.sort((a, b) => a - b);
    parentPort.postMessage({ perSecond: took.length / (performance.now() - start) * 1000, p99: took[Math.floor(took.length * 0.99)] });
  }
});
socket.bind(0, '127.0.0.1', () => { for (let i = 0; i < 64; i++) ask(); });
`;

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const stop = new AbortController();
  const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
  const resolver: Resolver = {
    records: services(),
    zone: { domain: 'cluster.local', ttl: 5, nameServerAddresses: ['10.96.0.10'] },
    forwarder: new Forwarder(ctx, { servers: [] }),
    cache: new AnswerCache(),
    chance: () => ctx.random.next(),
    observe: () => {},
  };
  const queries = Array.from({ length: 1000 }, (_, i) => encodeMessage({ id: 0, recursionDesired: true, questions: [{ name: `service-${(i * 7) % SERVICES}.default.svc.cluster.local`, type: TYPE.A, class: 1 }], edns: { size: 1232 } }));
  const server = await listen(ctx, { address: '127.0.0.1', port: 0, respond: (bytes, transport) => respond(resolver, bytes, transport) });
  try {
    let next = 0;
    const pure = callsPerSecond(() => void respond(resolver, queries[next++ % queries.length]!, 'udp'), durationMs);
    const worker = new Worker(CLIENT, { eval: true, workerData: { port: server.port, queries, durationMs: durationMs * 2 } });
    const { perSecond, p99 } = await new Promise<{ perSecond: number; p99: number }>((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await worker.terminate();
    return [
      { work: `resolve a Service of ${SERVICES}, without sockets`, value: pure, unit: 'queries/s', atLeast: 100_000 },
      { work: 'resolve over UDP, one core for the server', value: perSecond, unit: 'queries/s', atLeast: 20_000 },
      { work: 'resolve over UDP, 64 under way: p99', value: p99, unit: 'ms', atMost: 5 },
    ];
  } finally {
    stop.abort();
    await server.close();
  }
}

function services(): ClusterRecords {
  const records = new ClusterRecords();
  records.setNamespace('default');
  for (let i = 0; i < SERVICES; i++) {
    const clusterIP = `10.96.${i >> 8}.${i & 255}`;
    records.setService({ metadata: { name: `service-${i}`, namespace: 'default' }, spec: { clusterIP, clusterIPs: [clusterIP], ports: [{ name: 'http', port: 80 }] } });
  }
  return records;
}
