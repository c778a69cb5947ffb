/** Where in the Go types a value was to go, for the texts of upstream's type errors. */
export interface ErrorContext {
  /** The struct that has the field; empty at the top. */
  readonly struct: string;
  /** The names from the top of the object to the field; list indices and map keys are not among them. */
  readonly fields: readonly string[];
}

/** `json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool` */
export function typeErrorText(value: string, goType: string, { struct, fields }: ErrorContext): string {
  const where = fields.length > 0 ? `struct field ${struct}.${fields.join('.')}` : 'value';
  return `json: cannot unmarshal ${value} into Go ${where} of type ${goType}`;
}

/** Ends the decoding; becomes a StatusError with the words that upstream puts before it. */
export class FatalDecodeError extends Error {}

/**
 * Messages that contain themselves (schemas in schemas) are walked by recursion. The limit is far from where the stack
 * ends: V8 gives up the whole process if it has to compile a regular expression there.
 */
export const MAX_MESSAGE_DEPTH = 300;

export class TooDeepError extends FatalDecodeError {
  constructor() {
    super(`exceeded max depth of ${MAX_MESSAGE_DEPTH} messages`);
  }
}
