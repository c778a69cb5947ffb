/** The position in the Go types, for upstream's type errors. */
export interface ErrorContext {
  /** The struct of the field; empty at the top. */
  readonly struct: string;
  /** Field names from the top, without list indices and map keys. */
  readonly fields: readonly string[];
}

/** `json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool` */
export function typeErrorText(value: string, goType: string, { struct, fields }: ErrorContext): string {
  const where = fields.length > 0 ? `struct field ${struct}.${fields.join('.')}` : 'value';
  return `json: cannot unmarshal ${value} into Go ${where} of type ${goType}`;
}

/** Ends the decoding. The caller makes it a StatusError with upstream's prefix. */
export class FatalDecodeError extends Error {}

/**
 * Messages that contain themselves (schemas in schemas) are decoded recursively. The limit keeps far from the end of
 * the stack, where V8 aborts the process if it compiles a regular expression.
 */
export const MAX_MESSAGE_DEPTH = 300;

export class TooDeepError extends FatalDecodeError {
  constructor() {
    super(`exceeded max depth of ${MAX_MESSAGE_DEPTH} messages`);
  }
}
