/** Objects as the thread of large requests gets them. */
import type { KubeObject } from '../../machinery/index.ts';
import { betweenStages } from './read-body.ts';
import type { Scope } from './scope.ts';

/** The objects' JSON texts, each encoded in a turn of its own; undefined where there is no thread or JSON cannot hold one. */
export async function textsOf(
  scope: Scope,
  ...objects: readonly (KubeObject | undefined)[]
): Promise<string[] | undefined> {
  if (!scope.backend.stages.runs) return undefined;
  const texts: string[] = [];
  for (const object of objects) {
    if (!object) continue;
    try {
      texts.push(JSON.stringify(object));
    } catch (error) {
      // Raw values may hold bigints or nest deeply.
      if (error instanceof TypeError || error instanceof RangeError) return undefined;
      throw error;
    }
    await betweenStages(scope);
  }
  return texts;
}
