/** Lengths and order of strings in UTF-8 bytes, as upstream measures them. */
export const utf8Length = (text: string): number => Buffer.byteLength(text, 'utf8');

/** Whether the text has more than `max` bytes; measures it only if it can. */
export const utf8Longer = (text: string, max: number): boolean =>
  text.length > max || (text.length * 3 > max && utf8Length(text) > max);

export const MATCH_PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Upstream sorts texts by their bytes. */
export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The number of bytes that a base64 text encodes. */
export const base64Length = (text: string): number => Buffer.byteLength(text, 'base64');
