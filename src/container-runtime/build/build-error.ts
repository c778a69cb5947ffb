/** A build cannot go on; the message names the line of the Dockerfile. */
export class BuildError extends Error {
  override readonly name = 'BuildError';
  readonly code = 'image-build';

  constructor(line: number, message: string, options?: ErrorOptions) {
    super(line > 0 ? `Dockerfile:${line}: ${message}` : message, options);
  }
}
