import { getHeapStatistics } from 'node:v8';

/** Buffers that V8 counts may grow by this much before it begins to collect everything. */
const COUNTED_GROWTH = 64 * 2 ** 20;
/** A heap of that size is collected quickly, and memory that is counted takes less of it. */
const SMALL_HEAP = 192 * 2 ** 20;
const LARGEST_GROWTH = 2 ** 30;
const LOOK_EVERY_BYTES = 8 * 2 ** 20;

/**
 * Memory for bytes that live long. V8 begins to collect everything whenever buffers have grown by 64 MB, however much there
 * is: with a hundred thousand objects it does little else. Memory that threads may share it does not count. So only a part
 * of what is handed out here is of the counted kind, the less the larger the heap is.
 */
export class ByteMemory {
  readonly #heapBytes: () => number;
  /** How much of what is handed out is counted. */
  #share = 1;
  #owed = 0;
  #untilNextLook = 0;

  constructor(heapBytes: () => number) {
    this.#heapBytes = heapBytes;
  }

  /** Not from Node's pool: a slab of it would live as long as the longest-lived bytes in it. */
  allocate(size: number): Buffer {
    this.#untilNextLook -= size;
    if (this.#untilNextLook < 0) this.#look();
    this.#owed += size * this.#share;
    if (this.#owed < size) return Buffer.from(new SharedArrayBuffer(size));
    this.#owed -= size;
    return Buffer.allocUnsafeSlow(size);
  }

  #look(): void {
    const growth = Math.min(Math.max(2 * (this.#heapBytes() - SMALL_HEAP), COUNTED_GROWTH), LARGEST_GROWTH);
    this.#share = COUNTED_GROWTH / growth;
    this.#untilNextLook = LOOK_EVERY_BYTES;
  }
}

const memory = new ByteMemory(() => getHeapStatistics().used_heap_size);

/** Bytes that are not yet written. */
export function allocateBytes(size: number): Buffer {
  return memory.allocate(size);
}
