/**
 * The exact decoder: decodes a document in text order, as upstream's decoder does, and finds its error or its unknown
 * and duplicate fields. It is the slow path, for documents that `conform.ts` refuses.
 */
import type { Field, MapType, Message, ScalarType, Type, UnionType } from '../../api/index.ts';
import { isRecord, quote, setOwn } from '../../base/index.ts';
import { type JsonDocument, ObjectDocument } from './document.ts';
import { decodeScalar, kindWord } from './exact-scalar.ts';
import { FatalDecodeError, MAX_MESSAGE_DEPTH, TooDeepError, typeErrorText, type ErrorContext } from './type-error.ts';

/** Upstream reports at most this many strict errors. */
const MAX_STRICT_ERRORS = 100;

interface ExactResult {
  /**
   * The declared fields, duplicates merged as upstream merges them. Values have the right type but are not canonical.
   */
  readonly value: Record<string, unknown>;
  /** `unknown field "spec.foo"`, `duplicate field "metadata.name"`, in the order of the document. */
  readonly strictErrors: readonly string[];
}

/**
 * A value of the wrong type is skipped, and the first one is the error. A text that its type cannot parse ends the
 * decoding at once. Throws a FatalDecodeError.
 */
export function decodeExact(message: Message, document: JsonDocument): ExactResult {
  const decoder = new ExactDecoder();
  const value = decoder.message(message, document, {}, '');
  if (decoder.firstError !== undefined) throw new FatalDecodeError(decoder.firstError);
  return { value, strictErrors: [...decoder.strictErrors] };
}

interface KnownField {
  readonly field: Field | 'typeMeta';
  /** Go names of the embedded structs between the message and the field. */
  readonly embedded: readonly string[];
}

const knownFields = new WeakMap<Message, ReadonlyMap<string, KnownField>>();

function fieldsOf(message: Message): ReadonlyMap<string, KnownField> {
  let known = knownFields.get(message);
  if (!known) {
    const fields = new Map<string, KnownField>();
    if (message.object) {
      for (const name of ['kind', 'apiVersion']) fields.set(name, { field: 'typeMeta', embedded: ['TypeMeta'] });
    }
    const add = (from: readonly Field[], embedded: readonly string[]): void => {
      for (const field of from) {
        if (field.inline && field.type.kind === 'message') add(field.type.wireFields, [...embedded, field.type.name]);
        else fields.set(field.name, { field, embedded });
      }
    };
    add(message.wireFields, []);
    known = fields;
    knownFields.set(message, known);
  }
  return known;
}

class ExactDecoder {
  firstError: string | undefined;
  readonly strictErrors = new Set<string>();
  #context: ErrorContext = { struct: '', fields: [] };
  #depth = 0;
  /** Schemas inside a union field (JSONSchemaPropsOrBool) have a decoder of their own, which is not strict. */
  #strict = true;

  message(message: Message, document: JsonDocument, existing: unknown, path: string): Record<string, unknown> {
    const target: Record<string, unknown> = isRecord(existing) ? existing : {};
    if (document === null) return target;
    if (!(document instanceof ObjectDocument)) {
      this.#note(kindWord(document), message.goType);
      return target;
    }
    if (++this.#depth > MAX_MESSAGE_DEPTH) throw new TooDeepError();
    const known = fieldsOf(message);
    const seen = new Set<string>();
    document.keys.forEach((key, i) => {
      const found = known.get(key);
      const at = path === '' ? key : `${path}.${key}`;
      if (!found) {
        this.#noteStrict('unknown field', at);
        return;
      }
      if (seen.has(key)) this.#noteStrict('duplicate field', at);
      seen.add(key);
      const outer = this.#context;
      this.#context = { struct: message.name, fields: [...outer.fields, ...found.embedded, key] };
      const value = this.#field(found.field, document.values[i]!, target[key], at);
      if (value === undefined) delete target[key];
      else target[key] = value;
      this.#context = outer;
    });
    this.#depth--;
    return target;
  }

  #field(field: Field | 'typeMeta', document: JsonDocument, existing: unknown, path: string): unknown {
    if (field === 'typeMeta')
      return decodeScalar(
        { kind: 'scalar', scalar: 'string', goType: 'string', values: [] },
        document,
        existing,
        this.#reporter,
      );
    if (field.pointer && document === null) return undefined;
    if (UID_FIELDS.has(`${this.#context.struct}.${field.name}`))
      return decodeScalar(UID_TYPE, document, existing, this.#reporter);
    return this.#value(field.type, document, existing, path);
  }

  readonly #reporter = {
    note: (value: string, goType: string): void => this.#note(value, goType),
    noteText: (text: string): void => void (this.firstError ??= text),
    typeError: (value: string, goType: string): FatalDecodeError =>
      new FatalDecodeError(typeErrorText(value, goType, this.#context)),
  };

  #value(type: Type, document: JsonDocument, existing: unknown, path: string): unknown {
    switch (type.kind) {
      case 'message':
        return this.message(type, document, existing, path);
      case 'list':
        if (document === null) return undefined;
        if (!Array.isArray(document)) {
          this.#note(kindWord(document), type.goType);
          return existing;
        }
        return document.map(
          (element, i) =>
            this.#value(type.element, element, Array.isArray(existing) ? existing[i] : undefined, `${path}[${i}]`) ??
            null,
        );
      case 'map':
        return this.#map(type, document, existing, path);
      case 'union':
        return this.#union(type, document);
      case 'scalar':
        return decodeScalar(type, document, existing, this.#reporter);
    }
  }

  #map(type: MapType, document: JsonDocument, existing: unknown, path: string): unknown {
    if (document === null) return undefined;
    if (!(document instanceof ObjectDocument)) {
      this.#note(kindWord(document), mapGoType(type));
      return existing;
    }
    const target: Record<string, unknown> = isRecord(existing) ? existing : {};
    const seen = new Set<string>();
    document.keys.forEach((key, i) => {
      const at = path === '' ? key : `${path}.${key}`;
      if (seen.has(key)) this.#noteStrict('duplicate field', at);
      seen.add(key);
      setOwn(target, key, this.#value(type.value, document.values[i]!, undefined, at) ?? null);
    });
    return target;
  }

  #union(type: UnionType, document: JsonDocument): unknown {
    const nested = (schema: JsonDocument): unknown => {
      const inner = new ExactDecoder();
      inner.#strict = false;
      inner.#depth = this.#depth;
      const value = inner.#nestedMessage(type.schema, schema, this.#context);
      if (inner.firstError !== undefined) throw new FatalDecodeError(inner.firstError);
      return value;
    };
    if (document instanceof ObjectDocument) return nested(document);
    if (type.union === 'JSONSchemaPropsOrBool') {
      if (typeof document === 'boolean') return document;
      throw new FatalDecodeError('boolean or JSON schema expected');
    }
    if (!Array.isArray(document)) return null;
    if (type.union === 'JSONSchemaPropsOrArray') return document.map(nested);
    return document.map((element) => {
      if (typeof element === 'string' || element === null) return element ?? '';
      throw new FatalDecodeError(typeErrorText(kindWord(element), 'string', this.#context));
    });
  }

  #nestedMessage(message: Message, document: JsonDocument, context: ErrorContext): unknown {
    this.#context = context;
    return this.message(message, document, {}, '');
  }

  #note(value: string, goType: string): void {
    this.firstError ??= typeErrorText(value, goType, this.#context);
  }

  #noteStrict(what: string, path: string): void {
    if (this.#strict && this.strictErrors.size < MAX_STRICT_ERRORS) this.strictErrors.add(`${what} ${quote(path)}`);
  }
}

const UID_TYPE: ScalarType = { kind: 'scalar', scalar: 'string', goType: 'types.UID', values: [] };
/** Fields of the Go type types.UID. */
const UID_FIELDS = new Set([
  ...['BoundObjectReference.uid', 'ConfigMapNodeConfigSource.uid', 'ObjectMeta.uid', 'ObjectReference.uid'],
  ...['OwnerReference.uid', 'Preconditions.uid', 'ResourceClaimConsumerReference.uid', 'StatusDetails.uid'],
  ...['PodCertificateRequestSpec.nodeUID', 'PodCertificateRequestSpec.podUID'],
  ...['PodCertificateRequestSpec.serviceAccountUID', 'DeviceRequestAllocationResult.shareID'],
]);

/** Go's name for a map of quantities. */
const mapGoType = (type: MapType): string =>
  type.goType === 'map[string]resource.Quantity' ? 'v1.ResourceList' : type.goType;
