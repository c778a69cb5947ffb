/**
 * Counts how much decoding adds to an object: fields that are always written, and defaults. Each empty item of a list can get
 * many of them: a body of one megabyte would become an object of a hundred. No client could send such an object, and the store
 * would not take it.
 */
import { requestEntityTooLarge } from '../errors/index.ts';

/** The limit of a request's body. */
const MAX_GROWTH = 3 * 1024 * 1024;

export class Growth {
  /** About how many bytes of JSON were added. */
  bytes = 0;

  /** Throws a StatusError above the limit. */
  add(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > MAX_GROWTH) throw tooLargeWithDefaults();
  }

  /** Throws a StatusError if the object would be above the limit even before its defaults are counted. */
  static check(bytes: number): void {
    if (bytes > MAX_GROWTH) throw tooLargeWithDefaults();
  }
}

const tooLargeWithDefaults = (): Error => requestEntityTooLarge(`limit is ${MAX_GROWTH}`);
