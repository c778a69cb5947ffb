import { describe, expect, it } from 'vitest';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ListResult } from '../request/request.ts';
import { encodeForStorage } from '../storage/encode-for-storage.ts';
import { Entry } from '../storage/entry.ts';
import { ListBody } from './list-body.ts';

const entry = (name: string): Entry =>
  Entry.fromValue(
    { key: name, namespace: 'a', name },
    encodeForStorage({ kind: 'Secret', apiVersion: 'v1', metadata: { name, namespace: 'a' }, data: { ü: 'x' } }),
    7,
  );

function listOf(names: readonly string[], custom: boolean): ListResult {
  const served = { group: '', version: 'v1', listKind: 'SecretList', custom } as ServedResource;
  return { type: 'list', served, entries: names.map(entry), resourceVersion: '9', continueToken: 'more' };
}

function readInPieces(body: ListBody, size: number): string {
  const fill = body.reader();
  const target = Buffer.alloc(size);
  const pieces: Buffer[] = [];
  for (let length = fill(target); length > 0; length = fill(target))
    pieces.push(Buffer.from(target.subarray(0, length)));
  return Buffer.concat(pieces).toString();
}

describe.each([{ custom: false }, { custom: true }])('the body of a list, custom: $custom', ({ custom }) => {
  it.each([{ names: [] }, { names: ['a'] }, { names: ['a', 'b', 'c'] }])('of $names', ({ names }) => {
    const body = new ListBody(listOf(names, custom));
    const whole = body.toBuffer();
    expect([body.isShorterThan(whole.length), body.isShorterThan(whole.length + 1)]).toEqual([false, true]);
    const typeMeta = custom ? { kind: 'Secret', apiVersion: 'v1' } : {};
    expect(JSON.parse(whole.toString())).toEqual({
      kind: 'SecretList',
      apiVersion: 'v1',
      metadata: { resourceVersion: '9', continue: 'more' },
      items: names.map((name) => ({
        ...typeMeta,
        metadata: { resourceVersion: '7', name, namespace: 'a' },
        data: { ü: 'x' },
      })),
    });
    for (const size of [1, 7, 64, 4096]) expect(readInPieces(body, size)).toBe(whole.toString());
  });
});
