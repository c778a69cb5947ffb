/** An answer that is not what was asked for. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
