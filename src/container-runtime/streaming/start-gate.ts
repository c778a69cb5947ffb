/** Holds back an exec's output until its command has started: output before that is the OCI runtime's error message. */
import { Transform, type TransformCallback } from 'node:stream';
import type { Clock, Timer } from '../../kernel/index.ts';
import type { ExecProcess } from '../containers/exec-process.ts';

const POLL_INTERVAL_MS = 5;

export class StartGate extends Transform {
  readonly #process: ExecProcess;
  readonly #clock: Clock;
  #held: Buffer[] = [];
  #timer: Timer | undefined;
  #open = false;

  constructor(process: ExecProcess, clock: Clock) {
    super();
    this.#process = process;
    this.#clock = clock;
    this.on('error', () => {});
  }

  /** The output that was held back. */
  get runtimeOutput(): string {
    return Buffer.concat(this.#held).toString();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (!this.#open) this.#check();
    if (this.#open) {
      done(null, chunk);
      return;
    }
    this.#held.push(chunk);
    this.#timer ??= this.#clock.every(POLL_INTERVAL_MS, () => this.#check());
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#check();
    this.#timer?.cancel();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#timer?.cancel();
    done(error);
  }

  #check(): void {
    if (this.#open || !this.#process.hasStarted()) return;
    this.#open = true;
    this.#timer?.cancel();
    for (const chunk of this.#held) this.push(chunk);
    this.#held = [];
  }
}
