/**
 * A text that does not have the form that it should have. The API server answers it with a 400; everybody else may
 * catch it without knowing of HTTP.
 */
export class ParseError extends Error {
  override name = 'ParseError';
  readonly code: string = 'InvalidText';
}
