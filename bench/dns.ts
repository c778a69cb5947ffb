import { Worker } from 'node:worker_threads';
import { Forwarder } from '../src/dns/forwarder.ts';
import { ClusterRecords, encodeMessage, TYPE } from '../src/dns/index.ts';
import { AnswerCache, respond, type Resolver } from '../src/dns/respond.ts';
import { DEFAULT_BLOCKS, Routes } from '../src/dns/routes.ts';
import { listen } from '../src/dns/serve.ts';
import { createContext } from '../src/kernel/index.ts';
import { callsPerSecond, type BenchOptions, type Row } from './harness.ts';

export const name = 'dns';

const SERVICES = 10_000;
/** The best counts: what else the machine does is not what is measured. */
const SLICES = 4;

/** A client with 64 questions under way, in a thread of its own; gives answers per second and the slowest hundredth. */
const CLIENT = `
const dgram = require('node:dgram');
const { workerData, parentPort } = require('node:worker_threads');
const { port, queries, durationMs } = workerData;
const socket = dgram.createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
const sent = new Float64Array(65536); const took = []; let next = 0;
const start = performance.now();
const ask = () => {
  const id = next++ % 65536;
  const query = Buffer.from(queries[next % queries.length]);
  query.writeUInt16BE(id, 0);
  sent[id] = performance.now();
  socket.send(query);
};
socket.on('message', (answer) => {
  const id = answer.readUInt16BE(0);
  const now = performance.now();
  took.push(now - sent[id]);
  if (now - start < durationMs) ask();
  else {
    socket.close();
    took.sort((a, b) => a - b);
    parentPort.postMessage({ perSecond: took.length / (performance.now() - start) * 1000, p99: took[Math.floor(took.length * 0.99)] });
  }
});
socket.bind(0, '127.0.0.1', () => socket.connect(port, '127.0.0.1', () => { for (let i = 0; i < 64; i++) ask(); }));
`;

export async function run({ durationMs }: BenchOptions): Promise<Row[]> {
  const stop = new AbortController();
  const ctx = createContext({ signal: stop.signal, writeLog: () => {} });
  const resolver: Resolver = {
    records: services(),
    routes: new Routes(DEFAULT_BLOCKS, {
      zone: { domain: 'cluster.local', ttl: 5, nameServerAddresses: ['10.96.0.10'] },
      makeForwarder: (servers = []) => new Forwarder(ctx, { servers }),
    }),
    cache: new AnswerCache(),
    random: () => ctx.random.next(),
    observe: () => {},
  };
  const queries = Array.from({ length: 1000 }, (_, i) =>
    encodeMessage({
      id: 0,
      recursionDesired: true,
      questions: [{ name: `service-${(i * 7) % SERVICES}.default.svc.cluster.local`, type: TYPE.A, class: 1 }],
      edns: { size: 1232 },
    }),
  );
  const server = await listen(ctx, {
    address: '127.0.0.1',
    port: 0,
    respond: (bytes, transport) => respond(resolver, bytes, transport),
  });
  try {
    let next = 0;
    const pure = callsPerSecond(() => void respond(resolver, queries[next++ % queries.length]!, 'udp'), durationMs);
    const slices: { perSecond: number; p99: number }[] = [];
    for (let slice = 0; slice < SLICES; slice++) slices.push(await load({ port: server.port, queries, durationMs }));
    const perSecond = Math.max(...slices.map((slice) => slice.perSecond));
    const p99 = Math.min(...slices.map((slice) => slice.p99));
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

async function load(workerData: {
  port: number;
  queries: readonly Buffer[];
  durationMs: number;
}): Promise<{ perSecond: number; p99: number }> {
  const worker = new Worker(CLIENT, { eval: true, workerData });
  try {
    return await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  } finally {
    await worker.terminate();
  }
}

function services(): ClusterRecords {
  const records = new ClusterRecords();
  records.setNamespace('default');
  for (let i = 0; i < SERVICES; i++) {
    const clusterIP = `10.96.${i >> 8}.${i & 255}`;
    records.setService({
      metadata: { name: `service-${i}`, namespace: 'default' },
      spec: { clusterIP, clusterIPs: [clusterIP], ports: [{ name: 'http', port: 80 }] },
    });
  }
  return records;
}
