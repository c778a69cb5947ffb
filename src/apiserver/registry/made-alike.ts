/**
 * Objects under generated names come in numbers and differ in nothing but their names: the Pods of a ReplicaSet, what a
 * script creates in a loop. One of them is decoded, looked through for what its creator owns, and validated; for those
 * that follow, what was found then holds again. They have only to be the same, which is a tenth of the work to see.
 */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { cloneJson, deepEqual, isRecord } from '../../base/index.ts';
import { NAME_SUFFIX_ALPHABET, NAME_SUFFIX_LENGTH } from '../../kernel/index.ts';
import type { FieldSet } from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ServedResource } from './served-resource.ts';

/** How many kinds of likeness are kept for a resource, and how long the body of one may be. */
const KEPT = 64;
const MAX_BODY_BYTES = 32 * 1024;
/** Objects that were decoded alike but go different ways in admission are not worth comparing. */
const MOST_VALID_FORMS = 8;

/** What is known of objects that were sent alike. */
export class Alike {
  /** What whoever creates them comes to own. */
  ownedFields: FieldSet | undefined;
  #valid: KubeObject | undefined;
  #validForms = 0;

  constructor(
    private readonly decoded: KubeObject,
    /** What a client in this process handed over. */
    readonly given: KubeObject | undefined,
  ) {}

  /** Another of them, decoded, with its defaults. */
  another(): KubeObject {
    return cloneJson(this.decoded);
  }

  /** Whether an object that was completed for the store is one that was found valid, and worth no warning, but for its name. */
  isKnownValid(object: KubeObject): boolean {
    return this.#valid !== undefined && isSameButForNames(this.#valid, object);
  }

  noteValid(object: KubeObject): void {
    if (this.#validForms++ >= MOST_VALID_FORMS) return;
    const { managedFields, ...metadata } = object.metadata;
    // Field sets are shared: equal ones are one.
    this.#valid = {
      ...cloneJson({ ...object, metadata }),
      metadata: { ...cloneJson(metadata), ...(managedFields ? { managedFields } : {}) },
    };
  }
}

export class AlikeObjects {
  /** undefined for what has been seen once. */
  readonly #byBody = new Map<string, Alike | undefined>();
  /** By what all their names begin with. */
  readonly #byName = new Map<string, Alike | undefined>();

  /** For a body in JSON. */
  ofBody(body: string): Alike | undefined {
    return this.#byBody.get(body);
  }

  /** For an object of a client in this process. */
  ofObject(given: KubeObject): Alike | undefined {
    const { name, generateName } = given.metadata ?? {};
    const alike = !name && generateName ? this.#byName.get(generateName) : undefined;
    return alike?.given && deepEqual(alike.given, given) ? alike : undefined;
  }

  /** Notes what a body was decoded to. The second time it is kept, and what is found out about the object from now on with it. */
  noteBody(body: string, decoded: KubeObject): Alike | undefined {
    return body.length <= MAX_BODY_BYTES && isNamedByServer(decoded)
      ? note(this.#byBody, body, () => new Alike(cloneJson(decoded), undefined))
      : undefined;
  }

  noteObject(given: KubeObject, decoded: KubeObject): Alike | undefined {
    return isNamedByServer(decoded)
      ? note(this.#byName, decoded.metadata.generateName!, () => new Alike(cloneJson(decoded), cloneJson(given)))
      : undefined;
  }
}

function note(known: Map<string, Alike | undefined>, key: string, make: () => Alike): Alike | undefined {
  const alike = known.has(key) ? make() : undefined;
  if (known.size >= KEPT && !known.has(key)) known.delete(known.keys().next().value!);
  known.set(key, alike);
  return alike;
}

/** Owners that a client brings along are told apart by more than the object. */
const isNamedByServer = ({ metadata }: KubeObject): boolean =>
  !metadata.name && !!metadata.generateName && !metadata.managedFields;

const byResource = new WeakMap<ServedResource, AlikeObjects>();

export function alikeObjectsOf(served: ServedResource): AlikeObjects {
  let objects = byResource.get(served);
  if (!objects) byResource.set(served, (objects = new AlikeObjects()));
  return objects;
}

function isSameButForNames(known: KubeObject, object: KubeObject): boolean {
  if (!isSameMetadata(known.metadata, object.metadata)) return false;
  const renamed = tokenVolumes(known, object);
  for (const key in object) if (!Object.hasOwn(known, key)) return false;
  for (const key in known) if (key !== 'metadata' && !isSame(known[key], object[key], renamed)) return false;
  return true;
}

/** A name, a UID and a time are the object's own; its creator owns the same fields of it. */
function isSameMetadata(known: ObjectMeta, meta: ObjectMeta): boolean {
  if (!isRenaming(known.name, meta.name)) return false;
  const [owner, ...others] = meta.managedFields ?? [];
  const knownOwner = known.managedFields?.[0];
  if (!owner || !knownOwner || others.length > 0 || known.managedFields?.length !== 1) return false;
  if (owner.manager !== knownOwner.manager || owner.fieldsV1 !== knownOwner.fieldsV1) return false;
  for (const key in meta) if (!Object.hasOwn(known, key)) return false;
  for (const key in known) {
    if (key === 'name' || key === 'uid' || key === 'creationTimestamp' || key === 'managedFields') continue;
    if (!deepEqual(known[key as keyof ObjectMeta], meta[key as keyof ObjectMeta])) return false;
  }
  return true;
}

interface Renaming {
  readonly from: string;
  readonly to: string;
}

const SAME_NAMES: Renaming = { from: '', to: '' };

/** Each Pod has a volume for its token under a name that was drawn for it. */
function tokenVolumes(known: KubeObject, object: KubeObject): Renaming {
  const from = lastVolumeName(known);
  const to = lastVolumeName(object);
  return from !== undefined && to !== undefined && from !== to && isRenaming(from, to) ? { from, to } : SAME_NAMES;
}

function lastVolumeName({ spec }: KubeObject): string | undefined {
  const volumes: unknown = isRecord(spec) ? spec['volumes'] : undefined;
  const last: unknown = Array.isArray(volumes) ? volumes.at(-1) : undefined;
  return isRecord(last) && typeof last['name'] === 'string' ? last['name'] : undefined;
}

/** Whether two names differ in nothing but what was drawn at random for their ends. */
function isRenaming(from: string | undefined, to: string | undefined): boolean {
  if (!from || !to || from.length !== to.length) return false;
  const drawnAt = to.length - NAME_SUFFIX_LENGTH;
  for (let i = 0; i < to.length; i++) {
    if (i < drawnAt ? from.charCodeAt(i) !== to.charCodeAt(i) : !isDrawn(from[i]!) || !isDrawn(to[i]!)) return false;
  }
  return true;
}

const isDrawn = (char: string): boolean => NAME_SUFFIX_ALPHABET.includes(char);

/** As deepEqual, where one text stands for another throughout. */
function isSame(known: unknown, value: unknown, renamed: Renaming): boolean {
  if (typeof known === 'string')
    return known === renamed.from && renamed !== SAME_NAMES
      ? value === renamed.to
      : value === known && (value !== renamed.to || renamed === SAME_NAMES);
  if (known === value) return true;
  if (typeof known !== 'object' || typeof value !== 'object' || known === null || value === null) return false;
  if (Array.isArray(known)) {
    if (!Array.isArray(value) || known.length !== value.length) return false;
    for (let i = 0; i < known.length; i++) if (!isSame(known[i], value[i], renamed)) return false;
    return true;
  }
  if (Array.isArray(value)) return false;
  const left = known as Readonly<Record<string, unknown>>;
  const right = value as Readonly<Record<string, unknown>>;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  for (const key in left) if (!isSame(left[key], right[key], renamed)) return false;
  return true;
}
