/** What a simulated container has written: the last lines, with their times, and whoever follows them. */
export interface LogLine {
  readonly at: number;
  readonly text: string;
}

const KEPT_LINES = 10_000;

export class PodLog {
  readonly lines: LogLine[] = [];
  readonly #followers = new Set<(line: LogLine | undefined) => void>();

  write(text: string, at: number): void {
    for (const part of text.replace(/\n$/, '').split('\n')) {
      const line = { at, text: part };
      this.lines.push(line);
      if (this.lines.length > KEPT_LINES) this.lines.shift();
      for (const follower of this.#followers) follower(line);
    }
  }

  /** Gives every further line, and undefined at the end. The result stops it. */
  follow(follower: (line: LogLine | undefined) => void): () => void {
    this.#followers.add(follower);
    return () => void this.#followers.delete(follower);
  }

  end(): void {
    for (const follower of this.#followers) follower(undefined);
    this.#followers.clear();
  }
}
