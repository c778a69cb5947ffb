/** Which fields of a kind are next: those that the area has had least often, in whichever kind. */
import type { Field } from '../../src/api/index.ts';
import { fieldPlaces, type FieldPlace } from './fields.ts';
import type { KindSample } from './kinds.ts';
import type { Random } from './random.ts';

export class FieldTurns {
  readonly #turns = new Map<Field, number>();

  next({ resource }: KindSample, random: Random, limit: number): FieldPlace[] {
    const ranked = random
      .shuffled(fieldPlaces(resource.message))
      .map((place) => ({ place, turns: this.#turns.get(place.field) ?? 0 }))
      .sort((a, b) => a.turns - b.turns);
    const chosen: FieldPlace[] = [];
    for (const { place } of ranked) {
      if (chosen.length === limit) break;
      // A field and the elements of its list are one turn.
      if (chosen.some(({ field }) => field === place.field)) continue;
      chosen.push(place);
      this.#turns.set(place.field, (this.#turns.get(place.field) ?? 0) + 1);
    }
    return chosen;
  }
}
