/** The client side of a measurement, in a process of its own: reads one load from its arguments, sends the result. */
import http2 from 'node:http2';
import type { Load, LoadResult, RequestLoad, Target, WatchLoad } from './load.ts';
import { percentiles } from './percentiles.ts';
import { openWatches } from './watch-connection.ts';

const load = JSON.parse(process.argv[2] ?? '{}') as Load;
let number = 0;

function connect(target: Target): http2.ClientHttp2Session {
  const { ca, cert, key } = target;
  const session = http2.connect(target.server, {
    ...(ca ? { ca } : { rejectUnauthorized: false }),
    ...(cert && key ? { cert, key } : {}),
    settings: { initialWindowSize: 16 * 1024 * 1024, enablePush: false },
  });
  session.setMaxListeners(0);
  session.on('connect', () => session.setLocalWindowSize(64 * 1024 * 1024));
  return session;
}

const authorization = (target: Target): Record<string, string> => (target.token ? { authorization: `Bearer ${target.token}` } : {});

/** Resolves with the status once the whole answer is here. */
function call(session: http2.ClientHttp2Session, headers: http2.OutgoingHttpHeaders, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let status = 0;
    let text = '';
    stream.on('response', (received) => (status = Number(received[':status'])));
    stream.on('data', (piece: Buffer) => {
      if (status >= 400) text += piece.toString();
    });
    stream.on('end', () => resolve({ status, text }));
    stream.on('error', reject);
    if (body !== undefined) stream.end(body);
  });
}

async function requests(work: RequestLoad): Promise<LoadResult> {
  const sessions = Array.from({ length: work.connections }, () => connect(work.target));
  const headers = { ':method': work.method, ':path': work.path, accept: 'application/json', ...(work.body ? { 'content-type': 'application/json' } : {}), ...authorization(work.target) };
  let latencies: number[] = [];
  let errors = 0;
  let firstError: string | undefined;
  const runWhile = async (goesOn: (done: number, elapsedMs: number) => boolean): Promise<number> => {
    const start = performance.now();
    latencies = [];
    const lane = async (session: http2.ClientHttp2Session): Promise<void> => {
      while (goesOn(latencies.length, performance.now() - start)) {
        const began = performance.now();
        const { status, text } = await call(session, headers, work.body?.replaceAll('{n}', String(number++)));
        if (status >= 300) {
          errors++;
          firstError ??= `${status} ${text.slice(0, 300)}`;
        }
        latencies.push(performance.now() - began);
      }
    };
    await Promise.all(Array.from({ length: work.concurrency }, (_, i) => lane(sessions[i % sessions.length]!)));
    return performance.now() - start;
  };
  await runWhile((done) => done < work.warmUp);
  process.send?.('warm');
  const elapsed = await runWhile((_done, ms) => ms < work.durationMs);
  for (const session of sessions) session.destroy();
  return { perSecond: (latencies.length / elapsed) * 1000, count: latencies.length, errors, ...(firstError ? { firstError } : {}), ...percentiles(latencies) };
}

/** Events delivered to all watchers together, while one object is changed as fast as the events arrive. */
async function watch(work: WatchLoad): Promise<LoadResult> {
  const writer = connect(work.target);
  const auth = authorization(work.target);
  let opened = 0;
  let delivered = 0;
  let wanted = 0;
  let reached: (() => void) | undefined;
  let fail: (error: Error) => void = () => {};
  const ended = new Promise<never>((_, reject) => (fail = reject));
  const all = (count: number): Promise<void> => {
    wanted = count;
    return new Promise((resolve) => {
      reached = resolve;
      if (delivered >= wanted) resolve();
    });
  };
  const path = `${work.collection}?watch=true&fieldSelector=metadata.name%3D${work.name}`;
  const close = Array.from({ length: work.connections }, () =>
    openWatches(work.target, path, {
      watches: work.watchers / work.connections,
      onOpened: (watches) => (opened += watches),
      onEvents: (events) => {
        delivered += events;
        if (delivered >= wanted) reached?.();
      },
      onEnded: (reason) => fail(new Error(reason)),
    }),
  );
  // Every watch begins with the object as it is.
  await Promise.race([all(work.watchers), ended]);
  if (opened !== work.watchers) throw new Error(`${opened} of ${work.watchers} watches were opened`);
  process.send?.('warm');
  const put = { ':method': 'PUT', ':path': `${work.collection}/${work.name}`, 'content-type': 'application/json', ...auth };
  const latencies: number[] = [];
  let errors = 0;
  const start = performance.now();
  const before = delivered;
  while (performance.now() - start < work.durationMs) {
    const began = performance.now();
    const changed = Promise.all([call(writer, put, work.body.replaceAll('{n}', String(number++))), all(delivered + work.watchers)]);
    const [{ status }] = await Promise.race([changed, ended]);
    if (status >= 300) errors++;
    latencies.push(performance.now() - began);
  }
  const elapsed = performance.now() - start;
  const count = delivered - before;
  for (const closeOne of close) closeOne();
  writer.destroy();
  return { perSecond: (count / elapsed) * 1000, count, errors, ...percentiles(latencies) };
}

process.send?.(load.type === 'requests' ? await requests(load) : await watch(load));
process.disconnect?.();
