import { getHeapStatistics } from 'node:v8';

/** V8 starts a full GC whenever ArrayBuffers have grown by this much. */
const EXTERNAL_GROWTH = 64 * 2 ** 20;
/** A full GC of a heap of this size is quick. */
const SMALL_HEAP = 192 * 2 ** 20;
const MAX_GROWTH = 2 ** 30;
const CHECK_EVERY_BYTES = 8 * 2 ** 20;

export interface ByteAllocator {
  /** A Buffer that is not initialized. */
  allocate(size: number): Buffer;
}

/**
 * Buffers that live long. V8 starts a full GC whenever ArrayBuffers have grown by 64 MB, however large the heap is;
 * with a hundred thousand cached objects it does little else. SharedArrayBuffers do not count. So the larger the heap,
 * the smaller the part of the buffers that are ordinary ones. The plain counterpart is `plainBytes`. Pays for the bench
 * module `cluster-scale`.
 */
export class LongLivedBuffers implements ByteAllocator {
  readonly #heapBytes: () => number;
  /** The part of the bytes that are ordinary ArrayBuffers. */
  #share = 1;
  #ordinaryBytes = 0;
  #untilNextCheck = 0;

  constructor(heapBytes: () => number) {
    this.#heapBytes = heapBytes;
  }

  /** Not from Node's pool, because one long-lived buffer would retain a whole slab of it. */
  allocate(size: number): Buffer {
    this.#untilNextCheck -= size;
    if (this.#untilNextCheck < 0) this.#check();
    this.#ordinaryBytes += size * this.#share;
    if (this.#ordinaryBytes < size) return Buffer.from(new SharedArrayBuffer(size));
    this.#ordinaryBytes -= size;
    return plainBytes.allocate(size);
  }

  #check(): void {
    const growth = Math.min(Math.max(2 * (this.#heapBytes() - SMALL_HEAP), EXTERNAL_GROWTH), MAX_GROWTH);
    this.#share = EXTERNAL_GROWTH / growth;
    this.#untilNextCheck = CHECK_EVERY_BYTES;
  }
}

/** Ordinary ArrayBuffers only. */
export const plainBytes: ByteAllocator = { allocate: (size) => Buffer.allocUnsafeSlow(size) };

let memory: ByteAllocator = new LongLivedBuffers(() => getHeapStatistics().used_heap_size);

/** The process has one allocator. Returns a function that restores the one before. */
export function useByteAllocator(allocator: ByteAllocator): () => void {
  const before = memory;
  memory = allocator;
  return () => void (memory = before);
}

const SLAB_BYTES = 64 * 1024;
const MAX_SHARED_BYTES = 16 * 1024;

/**
 * Parts of few large buffers: an allocation for each of a million small values takes longer than reading them. A slab is in memory as
 * long as one of its parts is.
 */
export class SlabBytes implements ByteAllocator {
  #slab: Buffer = Buffer.alloc(0);
  #used = 0;

  allocate(size: number): Buffer {
    if (size > MAX_SHARED_BYTES) return allocateBytes(size);
    if (this.#used + size > this.#slab.length) {
      this.#slab = allocateBytes(SLAB_BYTES);
      this.#used = 0;
    }
    this.#used += size;
    return this.#slab.subarray(this.#used - size, this.#used);
  }
}

/** An uninitialized Buffer that may live long. */
export function allocateBytes(size: number): Buffer {
  return memory.allocate(size);
}
