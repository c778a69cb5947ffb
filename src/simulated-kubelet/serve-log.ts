/** GET /containerLogs of a simulated node, with the query parameters of a kubelet. */
import type http from 'node:http';
import { formatMicroTime, parseTime } from '../base/index.ts';
import type { Clock } from '../kernel/index.ts';
import type { LogLine } from './pod-log.ts';
import type { SimulatedPod } from './simulated-pod.ts';

interface LogRequest {
  readonly pod: SimulatedPod;
  readonly container: string;
  readonly query: URLSearchParams;
  readonly response: http.ServerResponse;
  readonly clock: Clock;
}

export function serveLog({ pod, container, query, response, clock }: LogRequest): void {
  const model = pod.containers.find(({ spec }) => spec.name === container);
  if (model === undefined || model.id === '') {
    const waiting = model?.phase.type === 'waiting' ? model.phase.reason : 'not found';
    response.writeHead(400, { 'content-type': 'text/plain' });
    response.end(`container "${container}" in pod "${pod.name}" is waiting to start: ${waiting}`);
    return;
  }
  const previous = query.get('previous') === 'true';
  if (previous && model.last === undefined) {
    response.writeHead(400, { 'content-type': 'text/plain' });
    response.end(`previous terminated container "${container}" in pod "${pod.name}" not found`);
    return;
  }
  const log = pod.logOf(container);
  const options = logQuery(query);
  if (options === undefined) {
    response.writeHead(400, { 'content-type': 'text/plain' }).end('Unable to decode query.');
    return;
  }
  const timestamps = query.get('timestamps') === 'true';
  // All of a behaviour's lines are standard output.
  let left = query.get('stream') === 'Stderr' ? 0 : (options.limitBytes ?? Infinity);
  const write = (line: LogLine): void => {
    const bytes = Buffer.from(`${timestamps ? `${formatMicroTime(line.at)} ` : ''}${line.text}\n`).subarray(0, left);
    left -= bytes.length;
    if (bytes.length > 0) response.write(bytes);
  };
  response.writeHead(200, { 'content-type': 'text/plain' });
  const isRunning = model.phase.type === 'running';
  // A container that waits for its restart has no other instance yet: its last one is the previous one.
  for (const line of selectLines(previous && isRunning ? log.previous : log.lines, options, clock)) write(line);
  if (query.get('follow') !== 'true' || !isRunning || previous || left <= 0) {
    response.end();
    return;
  }
  response.flushHeaders();
  const stop = log.follow((line) => {
    if (line === undefined || left <= 0) response.end();
    else write(line);
  });
  response.once('close', stop);
}

interface LogQuery {
  readonly sinceTime?: number;
  readonly sinceSeconds?: number;
  readonly tailLines?: number;
  readonly limitBytes?: number;
}

/** Undefined for a value that is not a number or time, which a kubelet answers with 400. */
function logQuery(query: URLSearchParams): LogQuery | undefined {
  const wanted: Record<string, number> = {};
  for (const name of ['sinceSeconds', 'tailLines', 'limitBytes']) {
    const text = query.get(name);
    if (text === null || text === '') continue;
    if (!/^\d{1,15}$/.test(text)) return undefined;
    wanted[name] = Number(text);
  }
  const since = query.get('sinceTime');
  if (!since) return wanted;
  try {
    return { ...wanted, sinceTime: parseTime(since) };
  } catch {
    return undefined;
  }
}

function selectLines(
  lines: readonly LogLine[],
  { sinceTime, sinceSeconds, tailLines }: LogQuery,
  clock: Clock,
): readonly LogLine[] {
  const from = sinceTime ?? (sinceSeconds === undefined ? 0 : clock.now() - sinceSeconds * 1000);
  const recent = from > 0 ? lines.filter(({ at }) => at >= from) : lines;
  return tailLines === undefined ? recent : recent.slice(Math.max(0, recent.length - tailLines));
}
