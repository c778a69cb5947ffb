/**
 * One pass over the bytes of a JSON document, beside JSON.parse: counts the keys, so that duplicates are noticed, and
 * finds values whose exact text matters.
 */
export interface JsonScan {
  /** Keys of all objects, with duplicates. */
  readonly keys: number;
  /**
   * The document has something that JSON.parse reads differently from upstream: a number with a fraction, an exponent
   * or more than 15 digits, half of a surrogate pair, or nesting beyond the limit.
   */
  readonly unusual: boolean;
}

/**
 * Deeper documents are refused with upstream's message for more than 10,000 levels. Everything that walks an object
 * (defaults, validation, field sets, patches, CEL) recurses, and V8 aborts the process if it compiles a regular
 * expression at the end of the stack. Within this limit four tenths of the stack stay free.
 */
export const MAX_DEPTH = 1_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const LOWER_E = 0x65;
const SAFE_DIGITS = 15;

const ORDINARY = 0;
const STRING = 1;
const COLON = 2;
const OPEN = 3;
const CLOSE = 4;
const DIGIT = 5;
const FRACTION = 6;
const MAYBE_EXPONENT = 7;

const CLASS = new Uint8Array(256);
CLASS[QUOTE] = STRING;
CLASS[0x3a] = COLON;
CLASS[0x7b] = CLASS[0x5b] = OPEN;
CLASS[0x7d] = CLASS[0x5d] = CLOSE;
CLASS.fill(DIGIT, 0x30, 0x3a);
CLASS[0x2e] = CLASS[0x45] = FRACTION;
CLASS[LOWER_E] = MAYBE_EXPONENT;

/** 1 for bytes that have a meaning inside a string. */
const ENDS_TEXT = new Uint8Array(256);
ENDS_TEXT[QUOTE] = ENDS_TEXT[BACKSLASH] = 1;

export function scanJson(bytes: Uint8Array): JsonScan {
  const end = bytes.length;
  let keys = 0;
  let depth = 0;
  let unusual = false;
  let i = 0;
  while (i < end) {
    const byte = bytes[i]!;
    i++;
    switch (CLASS[byte]) {
      case STRING:
        for (;;) {
          while (i < end && ENDS_TEXT[bytes[i]!] === 0) i++;
          if (i >= end || bytes[i] === QUOTE) break;
          // \uD8xx to \uDFxx: only well-formed pairs survive upstream.
          if (bytes[i + 1] === LOWER_U && (bytes[i + 2]! | 0x20) === 0x64) unusual = true;
          i += 2;
        }
        i++;
        break;
      case COLON:
        keys++;
        break;
      case OPEN:
        if (++depth > MAX_DEPTH) return { keys, unusual: true };
        break;
      case CLOSE:
        depth--;
        break;
      case DIGIT: {
        const start = i;
        while (i < end && CLASS[bytes[i]!] === DIGIT) i++;
        if (i - start >= SAFE_DIGITS) unusual = true;
        break;
      }
      case FRACTION:
        unusual = true;
        break;
      case MAYBE_EXPONENT:
        if (i > 1 && CLASS[bytes[i - 2]!] === DIGIT) unusual = true;
        break;
      case ORDINARY:
        break;
    }
  }
  return { keys, unusual };
}
