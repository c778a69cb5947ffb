/** Objects as the thread of large requests gets them. */
import { type Steps, stringifySteps } from '../../base/index.ts';
import { managedFieldsText } from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { inSlices } from '../request/in-slices.ts';
import type { Scope } from './scope.ts';

/** The objects' JSON texts; undefined where there is no thread or JSON cannot hold an object. */
export async function textsOf(
  scope: Scope,
  ...objects: readonly (KubeObject | undefined)[]
): Promise<string[] | undefined> {
  const { stages, ctx } = scope.backend;
  if (!stages.runs) return undefined;
  const texts: string[] = [];
  for (const object of objects) {
    if (!object) continue;
    try {
      texts.push(await inSlices(ctx.clock, textSteps(object)));
    } catch (error) {
      // Raw values may hold bigints or nest deeply.
      if (error instanceof TypeError || error instanceof RangeError) return undefined;
      throw error;
    }
  }
  return texts;
}

/** The texts of managedFields are cached. */
function* textSteps(object: KubeObject): Steps<string> {
  const { metadata, ...fields } = object;
  const { managedFields, ...rest } = metadata;
  const tracked = managedFields ? `"managedFields":${managedFieldsText(managedFields)}` : '';
  yield;
  const own = (yield* stringifySteps(rest)).slice(1, -1);
  const text = (yield* stringifySteps(fields)).slice(1);
  return `{"metadata":{${tracked}${tracked !== '' && own !== '' ? ',' : ''}${own}}${text === '}' ? '' : ','}${text}`;
}
