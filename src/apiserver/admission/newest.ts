import type { KubeObject } from '../../machinery/index.ts';

/** The object with the latest creationTimestamp; on a tie the first by name. */
export function newest(objects: readonly KubeObject[]): KubeObject | undefined {
  let found: KubeObject | undefined;
  for (const object of objects) if (!found || isNewer(object, found)) found = object;
  return found;
}

function isNewer(a: KubeObject, b: KubeObject): boolean {
  const [left, right] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  return left === right ? a.metadata.name! < b.metadata.name! : left > right;
}
