/** References to definitions, in the style of either version of OpenAPI. */
import type { JsonObject } from '../../base/index.ts';

export type Style = 'v2' | 'v3';

export const refTo = (name: string, style: Style): JsonObject => ({
  $ref: style === 'v2' ? `#/definitions/${name}` : `#/components/schemas/${name}`,
});

/** A reference with other members. Version 3 allows them only if the reference is inside `allOf`. */
export function refWith(name: string, style: Style, more: JsonObject): JsonObject {
  if (Object.keys(more).length === 0) return refTo(name, style);
  return style === 'v2' ? { ...more, ...refTo(name, style) } : { allOf: [refTo(name, style)], ...more };
}
