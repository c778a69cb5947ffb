/** The log of a simulated container: its last lines with their times, and the clients that follow it. */
export interface LogLine {
  readonly at: number;
  readonly text: string;
}

const MAX_LINES = 10_000;

export class PodLog {
  #lines: LogLine[] = [];
  #previous: readonly LogLine[] = [];
  readonly #followers = new Set<(line: LogLine | undefined) => void>();

  /** Of the instance that runs, or ran last. */
  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  /** Of the instance before it. */
  get previous(): readonly LogLine[] {
    return this.#previous;
  }

  /** A new instance of the container starts. Who follows the one before has seen all of it. */
  restart(): void {
    this.#previous = this.#lines;
    this.#lines = [];
    this.end();
  }

  write(text: string, at: number): void {
    for (const part of text.replace(/\n$/, '').split('\n')) {
      const line = { at, text: part };
      this.#lines.push(line);
      if (this.#lines.length > MAX_LINES) this.#lines.shift();
      for (const follower of this.#followers) follower(line);
    }
  }

  /** Calls the follower with each new line, and with undefined at the end. The result stops following. */
  follow(follower: (line: LogLine | undefined) => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  end(): void {
    for (const follower of this.#followers) follower(undefined);
    this.#followers.clear();
  }
}
