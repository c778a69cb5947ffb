/**
 * The parts that OpenAPI documents are joined from: paths and definitions as encoded JSON. The built-in kinds are one
 * part and every custom resource is another. When a custom resource changes, only its part is made again.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../base/index.ts';

/** A member of a JSON object, `"name":value`. */
export interface Member {
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Part {
  readonly paths: readonly Member[];
  readonly definitions: readonly Member[];
  /** Parameters that the paths of version 2 refer to. */
  readonly parameters: JsonObject;
  /** A hash of the content. */
  readonly digest: string;
}

export const member = (name: string, text: string): Member => ({
  name,
  bytes: Buffer.from(`${JSON.stringify(name)}:${text}`),
});

export const valueOf = ({ name, bytes }: Member): JsonObject =>
  (JSON.parse(`{${bytes.toString('utf8')}}`) as Record<string, JsonObject>)[name]!;

export function partOf(content: Omit<Part, 'digest'>): Part {
  const hash = createHash('sha512').update(JSON.stringify(content.parameters));
  for (const { bytes } of content.paths) hash.update(bytes);
  for (const { bytes } of content.definitions) hash.update(bytes);
  return { ...content, digest: hash.digest('base64') };
}

const byName = (a: Member, b: Member): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** The sorted members of several parts without duplicates: parts share the paths of groups and common definitions. */
export function joined(lists: readonly (readonly Member[])[]): Member[] {
  const sorted = lists.flat().sort(byName);
  return sorted.filter(({ name }, i) => i === 0 || name !== sorted[i - 1]!.name);
}

const COMMA = Buffer.from(',');

/** A JSON object with the members, between `before` and `after`. */
export function objectBytes(members: readonly Member[], before: string, after: string): Buffer[] {
  const pieces: Buffer[] = [Buffer.from(`${before}{`)];
  members.forEach(({ bytes }, i) => {
    if (i > 0) pieces.push(COMMA);
    pieces.push(bytes);
  });
  pieces.push(Buffer.from(`}${after}`));
  return pieces;
}
