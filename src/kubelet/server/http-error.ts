/** An error response of the kubelet API. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
