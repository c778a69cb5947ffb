/** Requests by nghttp2's `h2load`, where it is installed: it takes a fraction of the processor time of a client in Node. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../test/requires.ts';
import type { LoadResult, RequestLoad } from './load.ts';
import { percentiles } from './percentiles.ts';

const run = promisify(execFile);

/** It can show a token, not a certificate, and sends the same body all the time. */
export const canUseH2load = ({ target, body }: RequestLoad): boolean =>
  target.cert === undefined && !body?.includes('{n}') && findProgram('h2load') !== undefined;

export async function runH2load(load: RequestLoad, onWarm: () => void): Promise<LoadResult> {
  const scratch = mkdtempSync(join(tmpdir(), 'k8ts-load-'));
  try {
    await runFor(load, ['-n', String(load.warmUp)], scratch);
    onWarm();
    return await runFor(load, ['-D', `${load.durationMs}ms`], scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function runFor(load: RequestLoad, extent: readonly string[], scratch: string): Promise<LoadResult> {
  const { target, connections, concurrency } = load;
  const log = join(scratch, 'log');
  const body = join(scratch, 'body');
  rmSync(log, { force: true });
  if (load.body !== undefined) writeFileSync(body, load.body);
  const { stdout } = await run('h2load', [
    ...[...extent, '-c', String(connections), '-m', String(Math.ceil(concurrency / connections)), '--log-file', log],
    ...['-H', 'accept: application/json', ...(target.token ? ['-H', `authorization: Bearer ${target.token}`] : [])],
    ...(load.body === undefined ? [] : ['-d', body, '-H', 'content-type: application/json']),
    `${target.server}${load.path}`,
  ]);
  const latencies: number[] = [];
  let errors = 0;
  let firstError: string | undefined;
  // Each line: when it began, the status, and how long it took, in microseconds.
  for (const line of readFileSync(log, 'utf8').trimEnd().split('\n')) {
    const [, status = '', took = ''] = line.split('\t');
    latencies.push(Number(took) / 1000);
    if (status.startsWith('2')) continue;
    errors++;
    firstError ??= `status ${status}`;
  }
  const perSecond = Number(/([\d.]+) req\/s/.exec(stdout)?.[1] ?? 0);
  return {
    perSecond,
    count: latencies.length,
    errors,
    ...(firstError ? { firstError } : {}),
    ...percentiles(latencies),
  };
}
