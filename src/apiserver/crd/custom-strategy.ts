/** The strategy of custom resources. */
import { deepEqual } from '../../base/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Strategy } from '../registry/strategy.ts';

export function customStrategy(deprecation: string | undefined): Strategy {
  return {
    generationChanges: contentChanges,
    statusMetadata: 'none',
    statusResetFields: ['metadata', 'spec'],
    ...(deprecation === undefined ? {} : { deprecation }),
  };
}

/** Every change outside metadata increments the generation. */
function contentChanges(object: KubeObject, old: KubeObject): boolean {
  const { metadata: _now, ...content } = object;
  const { metadata: _before, ...before } = old;
  return !deepEqual(content, before);
}
