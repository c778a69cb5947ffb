/** The range of node ports, as in `30000-32767`. */
import type { Random } from '../../kernel/index.ts';

const MIN_STATIC = 16;
const MAX_STATIC = 128;
const STATIC_SHARE = 32;

export class PortRange {
  readonly first: number;
  readonly size: number;
  readonly #text: string;
  /** Clients choose ports from the lower part of the range, so it is used last. */
  readonly #staticSize: number;

  constructor(text: string) {
    const match = /^(\d+)-(\d+)$/.exec(text);
    if (!match) throw new Error(`invalid port range ${text}`);
    this.#text = text;
    this.first = Number(match[1]);
    this.size = Number(match[2]) - this.first + 1;
    const share = Math.floor(this.size / STATIC_SHARE);
    this.#staticSize = this.size <= MIN_STATIC ? 0 : Math.min(Math.max(share, MIN_STATIC), MAX_STATIC);
  }

  contains(port: number): boolean {
    return Number.isInteger(port) && port >= this.first && port < this.first + this.size;
  }

  toString(): string {
    return this.#text;
  }

  /** A free port from a random one on, or undefined when all are allocated. */
  findFree(random: Random, isAllocated: (port: number) => boolean): number | undefined {
    const search = (from: number, to: number): number | undefined => {
      const length = to - from;
      if (length <= 0) return undefined;
      const start = random.integer(length);
      for (let i = 0; i < length; i++) {
        const port = this.first + from + ((start + i) % length);
        if (!isAllocated(port)) return port;
      }
      return undefined;
    };
    return search(this.#staticSize, this.size) ?? search(0, this.#staticSize);
  }
}
