/**
 * Reads a stored value. Ours are canonical JSON in a known key order; an upstream API server on the same etcd writes
 * protobuf, or JSON in another order or with a final newline, and some kinds in an older version: those are decoded and
 * brought into our form.
 */
import { storedSchema } from '../../api/index.ts';
import type { KeyValue } from '../../etcd/index.ts';
import { canonicalize } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { decodeProtobufObject, messageOfKind } from '../../machinery/protobuf/index.ts';
import { encodeForStorage } from './encode-for-storage.ts';
import { parseStored } from './parse-stored.ts';
import type { Transformer } from './transformer.ts';
import { storedVersionOf, toServedVersion } from './versions/stored-versions.ts';

const OURS = Buffer.from('{"kind":"');
const PROTOBUF_MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export function decodeStored(transformer: Transformer, kv: KeyValue): { value: Uint8Array; object?: KubeObject } {
  const { value } = transformer.fromStorage(kv.value, kv.key);
  if (startsWith(value, PROTOBUF_MAGIC)) return recode(served(decodeProtobufObject(storedSchema, value)));
  if (isOurs(value)) return { value };
  return recode(served(canonical(parseStored(Buffer.from(value)))));
}

/** The object in the version that is served, with its defaults: those of the stored version go first where its fields differ. */
function served(object: KubeObject): KubeObject {
  const version = storedVersionOf(object.apiVersion, object.kind);
  if (!version) return defaulted(object);
  return defaulted(canonical(toServedVersion(version.convert ? defaulted(object) : object, version)));
}

/** Upstream sets defaults when it reads: what it stored may lack them, as what an earlier release stored does. */
function defaulted(object: KubeObject): KubeObject {
  const { apiVersion, kind } = object;
  const slash = apiVersion.indexOf('/');
  return applyDefaults(
    { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind },
    object,
  );
}

/** Upstream writes some fields that ours leave out, such as a creationTimestamp of null in a template. */
function canonical(object: KubeObject): KubeObject {
  const message = messageOfKind(storedSchema, object);
  if (!message) return object;
  const { kind, apiVersion, ...fields } = object;
  return { kind, apiVersion, ...canonicalize(message, fields) } as KubeObject;
}

function recode(object: KubeObject): { value: Uint8Array; object: KubeObject } {
  return { value: encodeForStorage(object), object };
}

function startsWith(value: Uint8Array, prefix: Uint8Array): boolean {
  if (value.length < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (value[i] !== prefix[i]) return false;
  return true;
}

const HEAD = /^\{"kind":"([^"\\]*)","apiVersion":"([^"\\]*)","metadata":\{/;
const CLOSING_BRACE = 0x7d;

/** How the last value of ours began: when a server starts, thousands of one kind follow each other. */
let lastHead: Uint8Array = OURS;

/** kind and apiVersion are short and hold no escapes, so metadata must begin within the first few hundred bytes. */
function isOurs(value: Uint8Array): boolean {
  if (!startsWith(value, OURS) || value.at(-1) !== CLOSING_BRACE) return false;
  if (lastHead !== OURS && startsWith(value, lastHead)) return true;
  const text = Buffer.from(value.buffer, value.byteOffset, Math.min(value.byteLength, 600)).toString('latin1');
  const [head, kind, apiVersion] = HEAD.exec(text) ?? [];
  if (head === undefined || storedVersionOf(apiVersion!, kind!) !== undefined) return false;
  lastHead = value.slice(0, head.length);
  return true;
}
