/** The hashes in the names of ReplicaSets and ControllerRevisions, equal to upstream's for equal templates. */
import { schema } from '../../api/index.ts';
import { fnv32, fnv32a } from '../../base/index.ts';
import { NAME_SUFFIX_ALPHABET } from '../../kernel/index.ts';
import { goDump } from './go-dump.ts';

const COLLISION_COUNT_BYTES = 8;

/** The hash of a pod template for Deployments and DaemonSets. A collision count changes it. */
export function templateHash(template: unknown, collisionCount?: number): string {
  const text = goDump(schema.message('io.k8s.api.core.v1.PodTemplateSpec'), template);
  const salt = Buffer.alloc(collisionCount === undefined ? 0 : COLLISION_COUNT_BYTES);
  if (collisionCount !== undefined) salt.writeUInt32LE(collisionCount);
  return safeText(fnv32a(Buffer.concat([Buffer.from(text), salt])));
}

/** The hash of a StatefulSet's ControllerRevision: of its data as JSON text. */
export const revisionHash = (data: string, collisionCount: number): string =>
  safeText(fnv32(Buffer.from(data + collisionCount)));

/** An alphabet without vowels, so that no words appear. */
const safeText = (hash: number): string =>
  Array.from(String(hash), (digit) => NAME_SUFFIX_ALPHABET[digit.charCodeAt(0) % NAME_SUFFIX_ALPHABET.length]).join('');
