/** generateName: a random suffix on a prefix that is cut to fit. */
import type { Random } from '../../kernel/index.ts';
import type { KubeObject } from '../../machinery/index.ts';

const MAX_NAME = 63;
const SUFFIX = 5;

/** How often a generated name is tried before a conflict is reported. */
export const DEFAULT_NAME_ATTEMPTS = 8;

export function fillName(object: KubeObject, random: Random): void {
  const { name, generateName } = object.metadata;
  if (name || !generateName) return;
  object.metadata.name = generateName.slice(0, MAX_NAME - SUFFIX) + random.nameSuffix(SUFFIX);
}
