import { storedSchema } from '../../api/index.ts';
import { parseExactJson } from '../../machinery/decode/index.ts';
import type { KubeObject } from '../../machinery/index.ts';

/**
 * Parses a stored object. Integers of custom resources that a double cannot hold stay exact, so that they survive the
 * next write; those of built-in kinds are numbers.
 */
export function parseStored(bytes: Buffer): KubeObject {
  const text = bytes.toString('utf8');
  const object = parseExactJson(text, (value) => !isBuiltIn(value as KubeObject));
  return object as KubeObject;
}

function isBuiltIn({ apiVersion, kind }: KubeObject): boolean {
  const slash = apiVersion.indexOf('/');
  return (
    storedSchema.kind({
      group: apiVersion.slice(0, Math.max(slash, 0)),
      version: apiVersion.slice(slash + 1),
      kind,
    }) !== undefined
  );
}
