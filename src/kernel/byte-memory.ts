/**
 * Memory for bytes that live long. V8 starts a full garbage collection whenever buffers have grown by 64 MB, however much memory
 * there is: with a hundred thousand objects it does little else. V8 does not count memory that threads may share. So only a
 * part of what is allocated here is memory that V8 counts, and the larger the heap, the smaller the part. Pays for the bench
 * module `cluster-scale`.
 */
import { getHeapStatistics } from 'node:v8';

export interface ByteAllocator {
  /** Bytes that are not initialized. */
  allocate(size: number): Buffer;
}

/** Counted buffers may grow by this much before V8 starts a full collection. */
const COUNTED_GROWTH = 64 * 2 ** 20;
/** A heap of this size is collected quickly. */
const SMALL_HEAP = 192 * 2 ** 20;
const MAX_GROWTH = 2 ** 30;
const MEASURE_EVERY_BYTES = 8 * 2 ** 20;

export class ByteMemory implements ByteAllocator {
  readonly #heapBytes: () => number;
  /** The part that V8 counts. */
  #countedShare = 1;
  #countedBytesDue = 0;
  #untilNextMeasurement = 0;

  constructor(heapBytes: () => number) {
    this.#heapBytes = heapBytes;
  }

  /** Not from Node's pool: a slab of it would live as long as the longest-lived bytes in it. */
  allocate(size: number): Buffer {
    this.#untilNextMeasurement -= size;
    if (this.#untilNextMeasurement < 0) this.#measure();
    this.#countedBytesDue += size * this.#countedShare;
    if (this.#countedBytesDue < size) return Buffer.from(new SharedArrayBuffer(size));
    this.#countedBytesDue -= size;
    return plainBytes.allocate(size);
  }

  #measure(): void {
    const growth = Math.min(Math.max(2 * (this.#heapBytes() - SMALL_HEAP), COUNTED_GROWTH), MAX_GROWTH);
    this.#countedShare = COUNTED_GROWTH / growth;
    this.#untilNextMeasurement = MEASURE_EVERY_BYTES;
  }
}

/** V8 counts all of it. */
export const plainBytes: ByteAllocator = { allocate: (size) => Buffer.allocUnsafeSlow(size) };

let memory: ByteAllocator = new ByteMemory(() => getHeapStatistics().used_heap_size);

/** Memory is the process's: the allocator is too. Returns what restores the one before. */
export function useByteAllocator(allocator: ByteAllocator): () => void {
  const before = memory;
  memory = allocator;
  return () => void (memory = before);
}

export function allocateBytes(size: number): Buffer {
  return memory.allocate(size);
}
