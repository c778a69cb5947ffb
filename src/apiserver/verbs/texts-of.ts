/** Objects as the thread of large requests gets them. */
import { type Steps, stringifySteps } from '../../base/index.ts';
import { managedFieldsSteps } from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { inSlices } from '../request/in-slices.ts';
import type { JsonText } from '../stage-thread/stages.ts';
import type { Scope } from './scope.ts';

/** The objects' JSON texts; undefined where there is no thread or an object nests too deeply. The live object has its text already. */
export async function textsOf(
  scope: Scope,
  ...objects: readonly (KubeObject | undefined)[]
): Promise<JsonText[] | undefined> {
  const { stages, ctx } = scope.backend;
  if (!stages.runs) return undefined;
  const texts: JsonText[] = [];
  for (const object of objects) {
    if (!object) continue;
    try {
      const isLive = object === scope.live?.object;
      texts.push(isLive ? scope.live!.bytes() : await inSlices(ctx.clock, textSteps(object)));
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
  return texts;
}

/** The texts of managedFields are cached. */
function* textSteps(object: KubeObject): Steps<string> {
  const { metadata, ...fields } = object;
  const { managedFields, ...rest } = metadata;
  const tracked = managedFields ? `"managedFields":${yield* managedFieldsSteps(managedFields)}` : '';
  const own = (yield* stringifySteps(rest)).slice(1, -1);
  const text = (yield* stringifySteps(fields)).slice(1);
  return `{"metadata":{${tracked}${tracked !== '' && own !== '' ? ',' : ''}${own}}${text === '}' ? '' : ','}${text}`;
}
