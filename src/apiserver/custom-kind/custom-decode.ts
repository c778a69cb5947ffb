/** Decodes custom resources from JSON or YAML, with pruning and defaulting by the schema of the version. */
import { apiVersionOf, type GroupVersionKind } from '../../api/index.ts';
import { isRecord, quote } from '../../base/index.ts';
import {
  type Conformed,
  type DecodedObject,
  type DecodeRequest,
  type Growth,
  numberRangeError,
  parseJson,
  parseYaml,
} from '../../machinery/decode/index.ts';
import { badRequest, isBadInput, isTooLarge, StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Schema } from '../../machinery/validation/index.ts';
import { applySchemaDefaults, prune, conformMetadata, type IsNormalized } from './prune-and-default.ts';

const EMPTY_SCHEMA: Schema = { type: 'object' };

export class CustomDecoder {
  readonly #isNormalized: IsNormalized;
  readonly #gvk: GroupVersionKind;
  readonly #schema: Schema | undefined;

  constructor(gvk: GroupVersionKind, schema: Schema | undefined, isNormalized: IsNormalized) {
    this.#gvk = gvk;
    this.#schema = schema;
    this.#isNormalized = isNormalized;
  }

  decode({ body, contentType, expected }: DecodeRequest, growth?: Growth): DecodedObject {
    const unrecognized = (why: string): StatusError =>
      badRequest(`the object provided is unrecognized (must be of type ${expected.kind}): ${why} (${summarize(body)})`);
    const { value, strictErrors, unfit } = orElse(
      () => (contentType === 'json' ? readJson(body) : readYaml(body)),
      unrecognized,
    );
    if (!isRecord(value))
      throw unrecognized(
        `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindWord(value)} into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
      );
    const kind = stringField(value, 'kind', unrecognized);
    const apiVersion = stringField(value, 'apiVersion', unrecognized);
    if (kind === '') throw unrecognized(`Object 'Kind' is missing in '${body.toString('utf8')}'`);
    const cannotBeHandled = (why: string): StatusError => {
      const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
      return badRequest(`${kind} in version ${quote(version)} cannot be handled as a ${expected.kind}: ${why}`);
    };
    if (unfit !== undefined) throw cannotBeHandled(numberRangeError(unfit));
    const conformed = orElse(() => this.conform(value, growth), cannotBeHandled);
    return { object: conformed.object as KubeObject, strictErrors: [...strictErrors, ...conformed.strictErrors] };
  }

  /** Prunes and defaults a parsed value. Other kinds are not changed: validation rejects them. */
  conform(value: unknown, growth?: Growth, options: { readonly keepNulls?: boolean } = {}): Conformed {
    if (!isRecord(value))
      throw badRequest(`json: cannot unmarshal ${kindWord(value)} into Go value of type map[string]interface {}`);
    const { kind = this.#gvk.kind, apiVersion = apiVersionOf(this.#gvk) } = value;
    // The schema does not describe the fields of other versions.
    const schema =
      kind !== this.#gvk.kind
        ? undefined
        : apiVersion === apiVersionOf(this.#gvk) || !this.#schema
          ? this.#schema
          : EMPTY_SCHEMA;
    if (schema === this.#schema && this.#isNormalized(value)) {
      const object = { ...value };
      const strictErrors = conformMetadata(object, value);
      return { object: inOrder(object), strictErrors };
    }
    const { object, strictErrors } = prune(value, schema, options);
    applySchemaDefaults(object, schema, growth);
    return { object: inOrder(object), strictErrors };
  }
}

/** Stored objects start with kind, apiVersion and metadata. */
function inOrder({ kind, apiVersion, metadata, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return { kind, apiVersion, metadata: metadata ?? {}, ...rest };
}

interface ReadBody {
  readonly value: unknown;
  readonly strictErrors: string[];
  /** The first number that does not fit a double. Upstream checks the kind before it reports that. */
  readonly unfit?: string | undefined;
}

function readJson(body: Buffer): ReadBody {
  const unfit: string[] = [];
  const { value, duplicates } = orElse(
    () => parseJson(body, (text) => void unfit.push(text)),
    (why) => badRequest(`couldn't get version/kind; json parse error: ${why}`),
  );
  return { value, strictErrors: duplicates.map((path) => `duplicate field ${quote(path)}`), unfit: unfit[0] };
}

function readYaml(body: Buffer): ReadBody {
  const { value, duplicateKeys } = parseYaml(body.toString('utf8'));
  return { value, strictErrors: duplicateKeys === undefined ? [] : [duplicateKeys] };
}

function stringField(value: Record<string, unknown>, name: string, refuse: (why: string) => StatusError): string {
  const field = value[name] ?? '';
  if (typeof field === 'string') return field;
  throw refuse(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${kindWord(field)} into Go struct field .${name} of type string`,
  );
}

function kindWord(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (value === null) return 'null';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}

const SUMMARY_LENGTH = 30;

function summarize(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const more = body.length > SUMMARY_LENGTH ? ' ...' : '';
  return body.subarray(0, SUMMARY_LENGTH).toString(body[0] === 0x7b ? 'utf8' : 'hex') + more;
}

function orElse<T>(run: () => T, wrap: (why: string) => StatusError): T {
  try {
    return run();
  } catch (error) {
    if (isBadInput(error) && !isTooLarge(error)) throw wrap(error.message);
    throw error;
  }
}
