/**
 * The stages of a write that depend on nothing but their input: decoding with defaults, field ownership, validation. Input
 * and output are plain data in which objects are JSON texts, so that a stage can run in a thread. For a custom resource a stage
 * also gets what its definition says.
 */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { type GroupVersionKind, type Message, schema } from '../../api/index.ts';
import { cloneJson, type JsonPieces, piecesLength, toPieces } from '../../base/index.ts';
import {
  applyPatch,
  fieldSetText,
  type FieldSet,
  type OtherVersions,
  type ResetFields,
  updateManagedFields,
} from '../../machinery/apply/index.ts';
import { decodeObject, Growth, parseExactJson, parseJson } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import { type GroupKind, invalid, isStatusError, isTooLarge } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { patchObject, type PatchRequest } from '../../machinery/patch/index.ts';
import { decodeProtobufBody, type TypeMeta } from '../../machinery/protobuf/index.ts';
import {
  type KindValidation,
  type ValidatedResource,
  validateCreate,
  validateStatusUpdate,
  validateSubresourceUpdate,
  validateUpdate,
  type ValidationContext,
  warningsOnCreate,
  warningsOnStatusUpdate,
  warningsOnUpdate,
} from '../../machinery/validation/index.ts';
import type { CustomKind } from '../custom-kind/custom-kinds.ts';
import { celCompiler } from '../registry/cel-compiler.ts';
import { bodyWithEmptyLists } from '../registry/empty-lists.ts';
import type { Negotiated } from '../request/negotiate.ts';
import { encodeAs } from '../request/responses.ts';
import { completeApplied, type Configuration, parseConfiguration } from './applied-configuration.ts';
import { type ConformValue, decodePatched, strictRefusal } from './decode-patched.ts';
import { indentedItem, protobufItem, yamlItem } from './encode-item.ts';
import { type EvaluateInput, evaluateInThread, type EvaluateOutput } from './evaluate-expressions.ts';

/** An object's JSON. */
export type JsonText = string | Uint8Array;

interface DecodeInput {
  readonly body: Uint8Array;
  readonly format: 'json' | 'yaml' | 'protobuf';
  readonly expected: GroupVersionKind;
  /** The time of the request, for defaults. */
  readonly now: string;
}

interface DecodeOutput {
  /** In canonical form, with its defaults. */
  readonly object: JsonPieces;
  readonly strictErrors: readonly string[];
  /** The body, if it has an empty list (see empty-lists.ts). */
  readonly written?: JsonPieces;
}

function decode({ body, format, expected, now }: DecodeInput, custom?: CustomKind): DecodeOutput {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const growth = new Growth();
  const { object, strictErrors } =
    format === 'protobuf'
      ? { object: decodeProtobufBody(schema, bytes, expected), strictErrors: [] }
      : custom
        ? custom.decoder.decode({ body: bytes, contentType: format, expected }, growth)
        : decodeObject({ body: bytes, contentType: format, expected });
  // An object of another kind is refused by its reader.
  if (object.kind !== expected.kind) return { object: toPieces(object), strictErrors };
  object.metadata ??= {};
  const written = format === 'protobuf' ? undefined : bodyWithEmptyLists(bytes, format);
  return {
    object: piecesOf(applyDefaults(expected, object, { now, growth })),
    strictErrors,
    ...(written === undefined ? {} : { written: toPieces({ body: written }) }),
  };
}

/** The pieces of an object that is not too large to be handled further. */
function piecesOf(object: KubeObject): JsonPieces {
  const pieces = toPieces(object);
  Growth.check(piecesLength(pieces));
  return pieces;
}

interface PatchInput {
  readonly type: PatchRequest['type'];
  readonly body: Uint8Array;
  readonly live: JsonText;
  readonly kind: GroupVersionKind;
  readonly fieldValidation: PatchRequest['fieldValidation'];
  readonly now: string;
}

interface PatchOutput {
  /** In canonical form, with its defaults. */
  readonly object: JsonPieces;
  readonly strictErrors: readonly string[];
}

function patch(
  { type, body, live: liveText, kind, fieldValidation, now }: PatchInput,
  custom?: CustomKind,
): PatchOutput {
  const live = objectOf(liveText);
  const { message, conform } = typeOf(kind, custom);
  const patched = patchObject({ type, body, live, message, fieldValidation });
  // Parts of the result may be parts of the patch more than once.
  const changed: unknown = cloneJson(patched.value);
  const growth = new Growth();
  try {
    const decoded = decodePatched({
      type,
      kind: { ...kind, message, custom: custom !== undefined, conform },
      live,
      value: patched.value,
      changed,
      growth,
    });
    const strictErrors = [...patched.strictErrors, ...decoded.strictErrors];
    if (strictErrors.length > 0 && fieldValidation === 'Strict') throw strictRefusal(strictErrors);
    return { object: piecesOf(applyDefaults(kind, decoded.object, { now, growth })), strictErrors };
  } catch (error) {
    if (isStatusError(error) && !isTooLarge(error)) throw patched.refuse(error.message);
    throw error;
  }
}

/** The text may have integers that JSON.parse would round. */
const objectOf = (text: JsonText): KubeObject => parseJson(text).value as KubeObject;

/** Whether the text is a configuration that can be applied, and its strict errors. */
function checkConfiguration({ body }: { readonly body: Uint8Array }): Pick<Configuration, 'duplicates'> {
  const { duplicates } = parseConfiguration(textOf(body));
  return { duplicates };
}

const textOf = (body: Uint8Array): string =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');

interface ApplyInput {
  readonly body: Uint8Array;
  /** Absent where the apply creates the object. */
  readonly live?: JsonText;
  readonly kind: GroupVersionKind;
  readonly manager: string;
  readonly force: boolean;
  readonly subresource: string;
  readonly now: string;
  readonly resetFields: ResetFields;
}

/** The merged object with its managedFields, in canonical form, with its defaults. */
function apply({ body, live, kind, ...request }: ApplyInput, custom?: CustomKind): JsonPieces {
  const { message, conformApplied, versions } = typeOf(kind, custom);
  const applied = parseConfiguration(textOf(body)).value;
  const { object } = applyPatch({
    ...request,
    live: live === undefined ? undefined : objectOf(live),
    applied,
    kind,
    schemaMessage: message,
    mayBeMistyped: custom !== undefined,
    ...(versions ? { versions } : {}),
  });
  return piecesOf(completeApplied({ ...kind, message, conformApplied }, applied, object, request.now));
}

interface OwnershipInput {
  readonly kind: GroupVersionKind;
  /** Absent for a create. */
  readonly live?: JsonText;
  readonly updated: JsonText;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly now: string;
  readonly resetFields: ResetFields;
}

interface OwnershipOutput {
  /** Without their fields; absent where nothing is tracked. */
  readonly entries: readonly ManagedFieldsEntry[] | undefined;
  /** The fields of each entry, as text and in pieces. */
  readonly fields: readonly (OwnedFields | undefined)[];
}

interface OwnedFields {
  readonly text: string;
  readonly pieces: JsonPieces;
}

function trackFields({ kind, live, updated, ...update }: OwnershipInput, custom?: CustomKind): OwnershipOutput {
  const { message, versions } = typeOf(kind, custom);
  const { managedFields } = updateManagedFields({
    ...update,
    live: live === undefined ? undefined : objectOf(live),
    updated: objectOf(updated),
    schemaMessage: message,
    mayBeMistyped: custom !== undefined,
    ...(versions ? { versions } : {}),
  }).metadata;
  return {
    entries: managedFields?.map(({ fieldsV1, ...entry }) => (fieldsV1 ? { ...entry, fieldsV1: {} } : entry)),
    fields: (managedFields ?? []).map(({ fieldsV1 }) =>
      fieldsV1 ? { text: fieldSetText(fieldsV1 as FieldSet), pieces: toPieces(fieldsV1) } : undefined,
    ),
  };
}

interface TypeOfKind {
  readonly message: Message;
  readonly conform?: ConformValue;
  readonly conformApplied?: ConformValue;
  readonly versions?: OtherVersions;
}

function typeOf(kind: GroupVersionKind, custom: CustomKind | undefined): TypeOfKind {
  if (custom) {
    const { decoder, versions } = custom;
    return {
      message: custom.message(),
      versions,
      conform: (_message, value, growth) => decoder.conform(value, growth),
      conformApplied: (_message, value, growth) => decoder.conform(value, growth, { keepNulls: true }),
    };
  }
  const message = schema.kind(kind);
  if (!message) throw new Error(`${kind.kind} is not a built-in kind`);
  return { message };
}

interface ValidationInput {
  readonly resource: Omit<ValidatedResource, 'validation'>;
  /** The kind and name in the error. */
  readonly errorKind: GroupKind;
  readonly name: string;
  readonly subresource: string;
  readonly object: JsonText;
  /** Absent on create. */
  readonly old?: JsonText;
  readonly context: Omit<ValidationContext, 'cel'>;
  readonly compilesCel: boolean;
}

/** The warnings of a valid object. */
function validate({ resource: named, subresource, ...input }: ValidationInput, custom?: CustomKind): readonly string[] {
  const resource = custom ? { ...named, validation: custom.validation as KindValidation } : named;
  const object = objectOf(input.object);
  const context: ValidationContext = input.compilesCel ? { ...input.context, cel: celCompiler } : input.context;
  if (input.old === undefined) {
    const errors = validateCreate(resource, object, context);
    if (errors.length > 0) throw invalid(input.errorKind, input.name, errors);
    return warningsOnCreate(resource, object, context);
  }
  const old = objectOf(input.old);
  const errors =
    subresource === ''
      ? validateUpdate(resource, object, old, context)
      : subresource === 'status'
        ? validateStatusUpdate(resource, object, old, context)
        : validateSubresourceUpdate(resource, subresource, { object, old, context });
  if (errors.length > 0) throw invalid(input.errorKind, input.name, errors);
  const warnings = subresource === 'status' ? warningsOnStatusUpdate : warningsOnUpdate;
  return warnings(resource, object, old, context);
}

interface EncodeInput {
  readonly object: JsonText;
  readonly form: Pick<Negotiated, 'mediaType' | 'pretty'>;
  /** What an error calls the object. */
  readonly kindName: string;
}

/** An object as a client wants it. */
const encode = ({ object, form, kindName }: EncodeInput): Uint8Array => encodeAs(form, objectOf(object), kindName);

interface EncodeItemInput {
  readonly item: Uint8Array;
  /** The kind of an item in protobuf. */
  readonly form: 'yaml' | 'indented' | TypeMeta;
}

/** An item as the list in that form has it. */
function encodeItem({ item, form }: EncodeItemInput): Uint8Array {
  const text = textOf(item);
  if (form === 'yaml') return yamlItem(parseExactJson(text));
  if (form === 'indented') return indentedItem(parseExactJson(text));
  return protobufItem(form, JSON.parse(text) as Record<string, unknown>);
}

/** The expressions of a policy that cost more than the main thread may spend. */
const evaluate = (input: EvaluateInput): EvaluateOutput =>
  evaluateInThread(input, parseJson(input.variables).value as Parameters<typeof evaluateInThread>[1]);

export const stages = { decode, patch, checkConfiguration, apply, trackFields, validate, evaluate, encode, encodeItem };

type Stages = typeof stages;
export type StageName = keyof Stages;
export type StageInput<Name extends StageName> = Parameters<Stages[Name]>[0];
export type StageOutput<Name extends StageName> = ReturnType<Stages[Name]>;
