import type { KeyValue } from '../store.ts';

/** What an entry costs besides its key and value. */
const ENTRY_BYTES = 250;

/**
 * Pairs that were read or written lately, so that the next reader gets them without a copy out of the file. It holds
 * what is durable, never what is on its way. The entries that came in first go first.
 */
export class PairCache {
  private readonly pairs = new Map<string, KeyValue>();
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get(key: string): KeyValue | undefined {
    return this.pairs.get(key);
  }

  set(kv: KeyValue): void {
    const old = this.pairs.get(kv.key);
    if (old !== undefined) this.bytes -= sizeOf(old);
    this.pairs.set(kv.key, kv);
    this.bytes += sizeOf(kv);
    if (this.bytes > this.maxBytes) this.evict();
  }

  delete(key: string): void {
    const old = this.pairs.get(key);
    if (old === undefined) return;
    this.bytes -= sizeOf(old);
    this.pairs.delete(key);
  }

  private evict(): void {
    for (const kv of this.pairs.values()) {
      this.pairs.delete(kv.key);
      this.bytes -= sizeOf(kv);
      if (this.bytes <= this.maxBytes) return;
    }
  }
}

function sizeOf({ key, value }: KeyValue): number {
  return ENTRY_BYTES + key.length + value.length;
}
