import { describe, expect, it } from 'vitest';
import { RealClock } from '../../../kernel/index.ts';
import type { ResponseHeaders } from '../../request/request.ts';
import { HeaderTableReader, headerTableWriter } from './header-table.ts';
import { BatchReader, endOfTurn, Outbox, type Batch } from './message-batch.ts';
import * as op from './operations.ts';

/** What the front makes of what the pipeline says of these answers, and how often common headers were told. */
function passed(answers: readonly ResponseHeaders[]): { headers: ResponseHeaders[]; told: number } {
  const batches: Batch[] = [];
  const outbox = new Outbox(
    { postMessage: (batch: Batch) => void batches.push(structuredClone(batch)) },
    endOfTurn(new RealClock()),
  );
  const writeHead = headerTableWriter(outbox);
  answers.forEach((headers, stream) => writeHead(stream, 200, headers));
  outbox.flush();
  const front = new HeaderTableReader();
  const result = { headers: [] as ResponseHeaders[], told: 0 };
  for (const reader of batches.map((batch) => new BatchReader(batch))) {
    while (!reader.done) {
      if (reader.next<number>() === op.RESPONSE_HEADERS) {
        front.add(reader);
        result.told++;
        continue;
      }
      reader.next<number>();
      result.headers.push(readHead(front, reader));
    }
  }
  return result;
}

function readHead(front: HeaderTableReader, reader: BatchReader): ResponseHeaders {
  const { common, auditId } = front.read(reader);
  const headers: ResponseHeaders = auditId === '' ? {} : { 'audit-id': auditId };
  expect(common.slice(0, 2)).toEqual([':status', '200']);
  for (let i = 2; i < common.length; i += 2) {
    const before = headers[common[i]!];
    headers[common[i]!] = before === undefined ? common[i + 1]! : [before, common[i + 1]!].flat();
  }
  return headers;
}

describe('headers of answers', () => {
  const json = { 'content-type': 'application/json', 'audit-id': 'a' };

  it('arrive unchanged; common headers are sent once', () => {
    const answers = [
      json,
      { ...json, 'audit-id': 'b' },
      { ...json, 'content-type': 'text/plain' },
      { ...json, 'audit-id': 'c' },
    ];
    expect(passed(answers)).toEqual({ headers: answers, told: 2 });
  });

  it('with equal values or in another order are not taken for each other', () => {
    const of = (...pairs: [string, string][]): ResponseHeaders => Object.fromEntries([...pairs, ['audit-id', 'a']]);
    const answers = [
      of(['a', '1'], ['b', '1']),
      of(['b', '1'], ['a', '1']),
      of(['a', '1']),
      of(['b', '1']),
      of(['a', '1'], ['c', '1']),
      of(['a', '1'], ['b', '2']),
      of(['a', '1'], ['b', '1'], ['c', '1']),
      of(),
    ];
    expect(passed([...answers, ...answers]).headers).toEqual([...answers, ...answers]);
  });

  it.each<[string, ResponseHeaders]>([
    ['several values of one header', { ...json, warning: ['299 - "a"', '299 - "b"'] }],
    ['no audit id', { 'content-type': 'application/json' }],
    ['no header at all', {}],
  ])('arrive with %s', (_, headers) => {
    expect(passed([headers, headers]).headers).toEqual([headers, headers]);
  });

  it('are not remembered without end', () => {
    const answers = Array.from({ length: 1000 }, (_, i) => ({ ...json, etag: String(i) }));
    const { headers, told } = passed(answers);
    expect(headers).toEqual(answers);
    expect(told).toBeLessThan(300);
  });
});
