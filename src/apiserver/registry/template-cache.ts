/**
 * Objects with a generated name usually come in numbers from one template: the Pods of a ReplicaSet, or what a script
 * creates in a loop. The first two are decoded and validated; later ones that equal them but for generated names need
 * neither, and comparing is a tenth of the work. Pays for the bench row `POST Pod`.
 */
import type { ObjectMeta } from '../../api/generated/meta-v1.ts';
import { cloneJson, deepEqual, isRecord } from '../../base/index.ts';
import { NAME_SUFFIX_ALPHABET, NAME_SUFFIX_LENGTH } from '../../kernel/index.ts';
import type { FieldSet } from '../../machinery/apply/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { ServedResource } from './served-resource.ts';

/** How many templates are kept for a resource, and how long the body of one may be. */
const MAX_TEMPLATES = 64;
const MAX_BODY_BYTES = 32 * 1024;
/** Objects of one template that admission changes in different ways are not worth comparing. */
const MAX_VALID_FORMS = 8;

/** What is known of the objects that a client creates from one template. */
export class Template {
  /** The fields that the creator owns. */
  ownedFields: FieldSet | undefined;
  readonly #decoded: KubeObject;
  #valid: KubeObject | undefined;
  #validForms = 0;

  constructor(
    decoded: KubeObject,
    /** The object as a client in this process sent it. */
    readonly sent?: KubeObject,
  ) {
    this.#decoded = decoded;
  }

  /** A new object of the template: decoded, with its defaults. */
  instantiate(): KubeObject {
    return cloneJson(this.#decoded);
  }

  /** Whether the object, completed for the store, equals one that was valid without warnings, but for generated names. */
  isKnownValid(object: KubeObject): boolean {
    return this.#valid !== undefined && isSameButForNames(this.#valid, object);
  }

  noteValid(object: KubeObject): void {
    if (this.#validForms++ >= MAX_VALID_FORMS) return;
    const { managedFields, ...metadata } = object.metadata;
    // Field sets are shared: equal ones are identical, and must stay so.
    this.#valid = {
      ...cloneJson({ ...object, metadata }),
      metadata: { ...cloneJson(metadata), ...(managedFields ? { managedFields } : {}) },
    };
  }
}

/** The templates of one resource. */
interface TemplateCache {
  /** The template of a JSON body. */
  ofBody(body: string): Template | undefined;
  /** The template of an object that a client in this process sent. */
  ofObject(sent: KubeObject): Template | undefined;
  /** Notes what a body was decoded to. The second time it becomes a template. */
  noteBody(body: string, decoded: KubeObject): Template | undefined;
  noteObject(sent: KubeObject, decoded: KubeObject): Template | undefined;
}

export class ResourceTemplates implements TemplateCache {
  /** undefined for a body that has been seen once. */
  readonly #byBody = new Map<string, Template | undefined>();
  readonly #byGenerateName = new Map<string, Template | undefined>();

  ofBody(body: string): Template | undefined {
    return this.#byBody.get(body);
  }

  ofObject(sent: KubeObject): Template | undefined {
    const { name, generateName } = sent.metadata ?? {};
    const template = !name && generateName ? this.#byGenerateName.get(generateName) : undefined;
    return template?.sent && deepEqual(template.sent, sent) ? template : undefined;
  }

  noteBody(body: string, decoded: KubeObject): Template | undefined {
    return body.length <= MAX_BODY_BYTES && isNamedByServer(decoded)
      ? note(this.#byBody, body, () => new Template(cloneJson(decoded)))
      : undefined;
  }

  noteObject(sent: KubeObject, decoded: KubeObject): Template | undefined {
    return isNamedByServer(decoded)
      ? note(
          this.#byGenerateName,
          decoded.metadata.generateName!,
          () => new Template(cloneJson(decoded), cloneJson(sent)),
        )
      : undefined;
  }
}

/** Every object is decoded and validated. */
const noTemplates: TemplateCache = {
  ofBody: () => undefined,
  ofObject: () => undefined,
  noteBody: () => undefined,
  noteObject: () => undefined,
};

export type TemplatesOf = (served: ServedResource) => TemplateCache;

export const noTemplatesOf: TemplatesOf = () => noTemplates;

export function templatesByResource(): TemplatesOf {
  const byResource = new WeakMap<ServedResource, TemplateCache>();
  return (served) => {
    let templates = byResource.get(served);
    if (!templates) byResource.set(served, (templates = new ResourceTemplates()));
    return templates;
  };
}

function note(known: Map<string, Template | undefined>, key: string, create: () => Template): Template | undefined {
  const template = known.has(key) ? create() : undefined;
  if (known.size >= MAX_TEMPLATES && !known.has(key)) known.delete(known.keys().next().value!);
  known.set(key, template);
  return template;
}

/** The managedFields that a client sends make objects differ in more than their names. */
const isNamedByServer = ({ metadata }: KubeObject): boolean =>
  !metadata.name && !!metadata.generateName && !metadata.managedFields;

function isSameButForNames(known: KubeObject, object: KubeObject): boolean {
  if (!isSameMetadata(known.metadata, object.metadata)) return false;
  const renamed = tokenVolumes(known, object);
  for (const key in object) if (!Object.hasOwn(known, key)) return false;
  for (const key in known) if (key !== 'metadata' && !isSame(known[key], object[key], renamed)) return false;
  return true;
}

/** Name, UID and creation time differ between the objects of a template; the fields that their creator owns do not. */
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

/** ServiceAccount admission gives each Pod a token volume with a generated name. */
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

/** Whether two names differ in nothing but their generated suffix. */
function isRenaming(from: string | undefined, to: string | undefined): boolean {
  if (!from || !to || from.length !== to.length) return false;
  const suffixAt = to.length - NAME_SUFFIX_LENGTH;
  for (let i = 0; i < to.length; i++) {
    if (i < suffixAt ? from.charCodeAt(i) !== to.charCodeAt(i) : !isSuffixChar(from[i]!) || !isSuffixChar(to[i]!))
      return false;
  }
  return true;
}

const isSuffixChar = (char: string): boolean => NAME_SUFFIX_ALPHABET.includes(char);

/** As deepEqual, with one name replaced by another throughout. */
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
