/**
 * Remembers something of sequences of keys. A sequence is found one key after the other, without making a text of it, which allocates and
 * is hashed each time.
 */
export class SequenceMemory<Key, Value> {
  /** The empty sequence. */
  readonly start: Sequence<Key, Value>;
  readonly #maxSequences: number;
  #sequences = 0;

  /** Beginnings of sequences count, too. */
  constructor(maxSequences: number) {
    this.#maxSequences = maxSequences;
    this.start = new Sequence<Key, Value>(this, undefined);
  }

  /** undefined where there is no room for more. */
  of(keys: readonly Key[]): Sequence<Key, Value> | undefined {
    let sequence: Sequence<Key, Value> | undefined = this.start;
    for (let i = 0; i < keys.length && sequence !== undefined; i++) sequence = sequence.with(keys[i]!);
    return sequence;
  }

  takeRoom(): boolean {
    if (this.#sequences >= this.#maxSequences) return false;
    this.#sequences++;
    return true;
  }
}

class Sequence<Key, Value> {
  remembered: Value | undefined = undefined;
  readonly #memory: SequenceMemory<Key, Value>;
  readonly #key: Key | undefined;
  /** The one that came last, and is likely to come next. */
  #last: Sequence<Key, Value> | undefined = undefined;
  #longer: Map<Key, Sequence<Key, Value>> | undefined = undefined;

  constructor(memory: SequenceMemory<Key, Value>, key: Key | undefined) {
    this.#memory = memory;
    this.#key = key;
  }

  /** This sequence and one more key; undefined where there is no room for it. */
  with(key: Key): Sequence<Key, Value> | undefined {
    const last = this.#last;
    if (last !== undefined && last.#key === key) return last;
    return (this.#last = this.#longer?.get(key) ?? this.#add(key));
  }

  #add(key: Key): Sequence<Key, Value> | undefined {
    if (!this.#memory.takeRoom()) return undefined;
    const added = new Sequence(this.#memory, key);
    (this.#longer ??= new Map<Key, Sequence<Key, Value>>()).set(key, added);
    return added;
  }
}

export type { Sequence };
