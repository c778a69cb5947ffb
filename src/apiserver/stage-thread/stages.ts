/**
 * The stages of a write that depend on nothing but their input: decoding with defaults, field ownership, validation. Input
 * and output are plain data in which objects are JSON texts, so that a stage can run in a thread.
 */
import type { ManagedFieldsEntry } from '../../api/generated/meta-v1.ts';
import { type GroupVersionKind, type Message, schema } from '../../api/index.ts';
import { type JsonPieces, toPieces } from '../../base/index.ts';
import { fieldSetText, type FieldSet, type ResetFields, updateManagedFields } from '../../machinery/apply/index.ts';
import { decodeObject } from '../../machinery/decode/index.ts';
import { applyDefaults } from '../../machinery/defaulting/index.ts';
import { type GroupKind, invalid } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { decodeProtobufObject } from '../../machinery/protobuf/index.ts';
import {
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
import { celCompiler } from '../registry/cel-compiler.ts';
import { bodyWithEmptyLists } from '../registry/empty-lists.ts';

export interface DecodeInput {
  readonly body: Uint8Array;
  readonly format: 'json' | 'yaml' | 'protobuf';
  readonly expected: GroupVersionKind;
  /** The time of the request, for defaults. */
  readonly now: string;
}

export interface DecodeOutput {
  /** In canonical form, with its defaults. */
  readonly object: JsonPieces;
  readonly strictErrors: readonly string[];
  /** The body, if it has an empty list (see empty-lists.ts). */
  readonly written?: JsonPieces;
}

function decode({ body, format, expected, now }: DecodeInput): DecodeOutput {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const { object, strictErrors } =
    format === 'protobuf'
      ? { object: decodeProtobufObject(schema, bytes, typeMetaOf(expected)), strictErrors: [] }
      : decodeObject({ body: bytes, contentType: format, expected });
  // An object of another kind is refused by its reader.
  if (object.kind !== expected.kind) return { object: toPieces(object), strictErrors };
  object.metadata ??= {};
  const written = format === 'protobuf' ? undefined : bodyWithEmptyLists(bytes, format);
  return {
    object: toPieces(applyDefaults(expected, object, { now })),
    strictErrors,
    ...(written === undefined ? {} : { written: toPieces({ body: written }) }),
  };
}

const typeMetaOf = ({ group, version, kind }: GroupVersionKind): { apiVersion: string; kind: string } => ({
  apiVersion: group === '' ? version : `${group}/${version}`,
  kind,
});

export interface OwnershipInput {
  readonly kind: GroupVersionKind;
  /** Absent for a create. */
  readonly live?: string;
  readonly updated: string;
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly now: string;
  readonly resetFields: ResetFields;
}

export interface OwnershipOutput {
  /** Without their fields; absent where nothing is tracked. */
  readonly entries: readonly ManagedFieldsEntry[] | undefined;
  /** The fields of each entry, as text and in pieces. */
  readonly fields: readonly (OwnedFields | undefined)[];
}

export interface OwnedFields {
  readonly text: string;
  readonly pieces: JsonPieces;
}

function trackFields({ kind, live, updated, ...update }: OwnershipInput): OwnershipOutput {
  const { managedFields } = updateManagedFields({
    ...update,
    live: live === undefined ? undefined : (JSON.parse(live) as KubeObject),
    updated: JSON.parse(updated) as KubeObject,
    schemaMessage: messageOf(kind),
  }).metadata;
  return {
    entries: managedFields?.map(({ fieldsV1, ...entry }) => (fieldsV1 ? { ...entry, fieldsV1: {} } : entry)),
    fields: (managedFields ?? []).map(({ fieldsV1 }) =>
      fieldsV1 ? { text: fieldSetText(fieldsV1 as FieldSet), pieces: toPieces(fieldsV1) } : undefined,
    ),
  };
}

function messageOf(kind: GroupVersionKind): Message {
  const message = schema.kind(kind);
  if (!message) throw new Error(`${kind.kind} is not a built-in kind`);
  return message;
}

export interface ValidationInput {
  readonly resource: Omit<ValidatedResource, 'validation'>;
  /** The kind and name in the error. */
  readonly errorKind: GroupKind;
  readonly name: string;
  readonly subresource: string;
  readonly object: string;
  /** Absent on create. */
  readonly old?: string;
  readonly context: Omit<ValidationContext, 'cel'>;
  readonly compilesCel: boolean;
}

/** The warnings of a valid object. */
function validate({ resource, subresource, ...input }: ValidationInput): readonly string[] {
  const object = JSON.parse(input.object) as KubeObject;
  const context: ValidationContext = input.compilesCel ? { ...input.context, cel: celCompiler } : input.context;
  if (input.old === undefined) {
    const errors = validateCreate(resource, object, context);
    if (errors.length > 0) throw invalid(input.errorKind, input.name, errors);
    return warningsOnCreate(resource, object, context);
  }
  const old = JSON.parse(input.old) as KubeObject;
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

export const stages = { decode, trackFields, validate };

export type Stages = typeof stages;
export type StageName = keyof Stages;
export type StageInput<Name extends StageName> = Parameters<Stages[Name]>[0];
export type StageOutput<Name extends StageName> = ReturnType<Stages[Name]>;
