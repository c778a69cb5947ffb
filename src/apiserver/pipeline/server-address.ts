/** Where clients reach this server. The port is known once the transport listens, after the pipeline has been built. */
export class ServerAddress {
  #port: number | undefined;

  constructor(readonly host: string) {}

  get port(): number | undefined {
    return this.#port;
  }

  listensOn(port: number): void {
    this.#port = port;
  }

  /** `HOST:PORT` */
  toString(): string {
    return `${this.host}:${this.#port ?? 0}`;
  }
}
