/**
 * A text with invalid syntax. The API server answers it with 400; other components catch it without depending on
 * HTTP.
 */
export class ParseError extends Error {
  override name = 'ParseError';
  readonly code: string = 'InvalidText';
}
