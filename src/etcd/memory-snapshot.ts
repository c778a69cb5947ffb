import type { Clock } from '../kernel/index.ts';
import { Lessor } from './lessor.ts';
import { emptyMemoryState, type MemoryState } from './memory-state.ts';
import { OrderedMap } from './ordered-map.ts';
import { type KeyValue, StoreError } from './store.ts';

/**
 * A memory store's snapshot: one line of JSON that describes it, then the values of all pairs in key order. History
 * is not part of it, so a store made from it starts compacted at its revision.
 */
interface Description {
  format: 'k8ts-memory-snapshot';
  version: 1;
  revision: number;
  leases: [id: string, ttl: number][];
  pairs: [key: string, createRevision: number, modRevision: number, version: number, lease: string, bytes: number][];
}

export function* writeMemorySnapshot(state: MemoryState, clock: Clock): Iterable<Uint8Array> {
  const lessor = new Lessor(clock, () => Promise.resolve(), state.leases);
  lessor.close();
  const description: Description = {
    format: 'k8ts-memory-snapshot',
    version: 1,
    revision: state.revision,
    leases: lessor.ids().map((id) => [String(id), lessor.status(id, false).grantedTtl]),
    pairs: [],
  };
  const values: Uint8Array[] = [];
  state.pairs.scan(undefined, undefined, (kv) => {
    const { key, createRevision, modRevision, version, lease, value } = kv;
    description.pairs.push([key, createRevision, modRevision, version, String(lease), value.length]);
    values.push(value);
  });
  yield Buffer.from(`${JSON.stringify(description)}\n`);
  yield* values;
}

export function readMemorySnapshot(bytes: Uint8Array, clock: Clock): MemoryState {
  const lineEnd = bytes.indexOf(0x0a);
  const description = describe(lineEnd < 0 ? bytes : bytes.subarray(0, lineEnd));
  let pairs = OrderedMap.empty<string, KeyValue>();
  const lessor = new Lessor(clock, () => Promise.resolve());
  for (const [id, ttl] of description.leases) lessor.grant({ id: BigInt(id), ttl });
  let offset = lineEnd + 1;
  for (const [key, createRevision, modRevision, version, leaseId, length] of description.pairs) {
    if (offset + length > bytes.length) throw new StoreError('corrupt', 'the snapshot is truncated');
    const lease = BigInt(leaseId);
    pairs = pairs.set(key, {
      key,
      value: bytes.slice(offset, offset + length),
      createRevision,
      modRevision,
      version,
      lease,
    });
    if (lease !== 0n) lessor.attach(lease, key);
    offset += length;
  }
  lessor.close();
  const { revision } = description;
  return {
    pairs,
    revisions: emptyMemoryState.revisions.from(Infinity).set(revision, { revision, changes: [] }),
    historyBytes: 0,
    revision,
    compactRevision: revision,
    leases: lessor.state,
  };
}

function describe(line: Uint8Array): Description {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(line).toString());
  } catch (cause) {
    throw new StoreError('corrupt', 'not a snapshot of a memory store', 0, { cause });
  }
  if (typeof parsed === 'object' && parsed !== null && 'format' in parsed && parsed.format === 'k8ts-memory-snapshot') {
    return parsed as Description;
  }
  throw new StoreError('corrupt', 'not a snapshot of a memory store');
}
