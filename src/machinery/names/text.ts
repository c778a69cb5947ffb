/** Measures of text as upstream takes them: in bytes of UTF-8, where JavaScript counts UTF-16 units. */
export const utf8Length = (text: string): number => Buffer.byteLength(text, 'utf8');

/** Whether the text takes more than `max` bytes; most texts are so short that they need not be measured. */
export const utf8Longer = (text: string, max: number): boolean =>
  text.length > max || (text.length * 3 > max && utf8Length(text) > max);

export const MATCH_PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Upstream sorts texts by their bytes. */
export const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The number of bytes that a base64 text stands for. */
export const base64Length = (text: string): number => Buffer.byteLength(text, 'base64');
