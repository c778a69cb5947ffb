/** What is particular to custom resources when they are written. */
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

/** Every change but one of the metadata is a new generation. */
function contentChanges(object: KubeObject, old: KubeObject): boolean {
  const { metadata: _now, ...content } = object;
  const { metadata: _before, ...before } = old;
  return !deepEqual(content, before);
}
