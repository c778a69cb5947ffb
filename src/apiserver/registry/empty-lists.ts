/**
 * Where upstream always writes a list (`rules: []` of a Role), an empty one is stored as absent, but its author owns
 * the field. The canonical object no longer distinguishes the two; the body that it was decoded from does.
 */
import type { Message } from '../../api/index.ts';
import { isRecord } from '../../base/index.ts';
import { parseJson, parseYaml } from '../../machinery/decode/index.ts';
import { isStatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';

const bodies = new WeakMap<KubeObject, unknown>();

/** Remembers the body of an object with an empty list. Most have none, and cost one search of their bytes. */
export function rememberEmptyLists(object: KubeObject, body: Buffer, format: 'json' | 'yaml'): void {
  rememberBody(object, bodyWithEmptyLists(body, format));
}

/** The value of a body with an empty list; undefined for others. */
export function bodyWithEmptyLists(body: Buffer, format: 'json' | 'yaml'): unknown {
  if (!hasEmptyList(body)) return undefined;
  try {
    return format === 'json' ? parseJson(body).value : parseYaml(body.toString('utf8')).value;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return undefined;
  }
}

export function rememberBody(object: KubeObject, body: unknown): void {
  if (body !== undefined) bodies.set(object, body);
}

/** Whether the object's body is remembered. */
export const wroteEmptyLists = (object: KubeObject): boolean => bodies.has(object);

const OPENING = 0x5b;
const CLOSING = 0x5d;
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function hasEmptyList(body: Buffer): boolean {
  for (let at = body.indexOf(OPENING); at >= 0; at = body.indexOf(OPENING, at + 1)) {
    let next = at + 1;
    while (isSpace(body[next])) next++;
    if (body[next] === CLOSING) return true;
  }
  return false;
}

/** The object as its author wrote it, with its empty lists. For field ownership only. */
export function withEmptyLists(message: Message, object: KubeObject, written: KubeObject = object): KubeObject {
  const body = bodies.get(written);
  return body === undefined ? object : (restore(message, object, body) as KubeObject);
}

/** Whether the author sent an empty list of managedFields, which resets field tracking. */
export function clearsManagedFields(written: KubeObject): boolean {
  const body = bodies.get(written);
  const metadata = isRecord(body) && isRecord(body['metadata']) ? body['metadata'] : {};
  return Array.isArray(metadata['managedFields']) && metadata['managedFields'].length === 0;
}

function restore(message: Message, value: unknown, body: unknown): unknown {
  if (!isRecord(value) || !isRecord(body)) return value;
  let result = value;
  for (const { name, type, keep } of message.fields) {
    const given = body[name];
    if (given === undefined || given === null) continue;
    const now = value[name];
    let restored: unknown = now;
    if (type.kind === 'list' && keep && now === null && Array.isArray(given)) restored = [];
    else if (type.kind === 'message') restored = restore(type, now, given);
    if (restored !== now) result = { ...result, [name]: restored };
  }
  return result;
}
