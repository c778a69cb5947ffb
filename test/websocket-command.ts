import { WebSocket } from 'ws';

/** A client of exec and attach over WebSocket, which a test can type into and read from. */
export class WebSocketCommand {
  readonly #socket: WebSocket;
  readonly output: Record<'stdout' | 'stderr' | 'error', string> = { stdout: '', stderr: '', error: '' };
  readonly closed: Promise<void>;

  constructor(url: string, protocol = 'v5.channel.k8s.io') {
    this.#socket = new WebSocket(url.replace(/^http/, 'ws'), protocol);
    this.#socket.on('message', (data: Buffer) => {
      const channel = (['', 'stdout', 'stderr', 'error'] as const)[data[0]!];
      if (channel) this.output[channel] += data.toString('utf8', 1);
    });
    this.closed = new Promise((resolve, reject) => {
      this.#socket.once('close', () => resolve());
      this.#socket.once('error', reject);
    });
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.#socket.once('open', () => resolve()));
  }

  type(text: string): void {
    this.#socket.send(Buffer.concat([Buffer.from([0]), Buffer.from(text)]));
  }

  endStdin(): void {
    this.#socket.send(Buffer.from([255, 0]));
  }

  resize(width: number, height: number): void {
    this.#socket.send(Buffer.concat([Buffer.from([4]), Buffer.from(JSON.stringify({ Width: width, Height: height }))]));
  }

  cut(): void {
    this.#socket.terminate();
  }

  /** What the error channel said, when the stream was over. */
  async status(): Promise<{
    status?: string;
    reason?: string;
    message?: string;
    details?: { causes?: { reason?: string; message?: string }[] };
  }> {
    await this.closed;
    return JSON.parse(this.output.error) as object;
  }
}
