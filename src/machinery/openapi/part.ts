/**
 * What documents are joined of: paths and definitions as the bytes that they have in JSON. The built-in kinds are one part,
 * every custom resource is another, made once; a document that changes is put together anew and not made anew.
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
  /** Parameters that the paths refer to; version 2 says them once. */
  readonly parameters: JsonObject;
  /** Of its content. */
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

/** The members of several parts in order, each once: parts share the paths of groups and what all kinds refer to. */
export function joined(lists: readonly (readonly Member[])[]): Member[] {
  const sorted = lists.flat().sort(byName);
  return sorted.filter(({ name }, i) => i === 0 || name !== sorted[i - 1]!.name);
}

const COMMA = Buffer.from(',');

/** The JSON object of the members, between what is given. */
export function objectBytes(members: readonly Member[], before: string, after: string): Buffer[] {
  const pieces: Buffer[] = [Buffer.from(`${before}{`)];
  members.forEach(({ bytes }, i) => {
    if (i > 0) pieces.push(COMMA);
    pieces.push(bytes);
  });
  pieces.push(Buffer.from(`}${after}`));
  return pieces;
}
