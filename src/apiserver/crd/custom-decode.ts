/** Bodies of custom resources: JSON or YAML into the form that the version's schema gives them, with its defaults. */
import { apiVersionOf, type GroupVersionKind } from '../../api/index.ts';
import { isRecord, quote } from '../../base/index.ts';
import {
  parseJson,
  parseYaml,
  numberRangeError,
  type Conformed,
  type DecodedObject,
  type DecodeRequest,
} from '../../machinery/decode/index.ts';
import { badRequest, isBadInput, StatusError } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import type { Schema } from '../../machinery/validation/index.ts';
import { applySchemaDefaults, coerce, withMetadata, type InForm } from './coerce.ts';

const NOTHING_KNOWN: Schema = { type: 'object' };

export class CustomDecoder {
  readonly #inForm: InForm;
  readonly #gvk: GroupVersionKind;
  readonly #schema: Schema | undefined;

  constructor(gvk: GroupVersionKind, schema: Schema | undefined, inForm: InForm) {
    this.#gvk = gvk;
    this.#schema = schema;
    this.#inForm = inForm;
  }

  decode({ body, contentType, expected }: DecodeRequest): DecodedObject {
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
    const conformed = orElse(() => this.conform(value), cannotBeHandled);
    return { object: conformed.object as KubeObject, strictErrors: [...strictErrors, ...conformed.strictErrors] };
  }

  /** A value that is parsed already, pruned and with its defaults; other kinds are left alone, validation refuses them. */
  conform(value: unknown): Conformed {
    if (!isRecord(value))
      throw badRequest(`json: cannot unmarshal ${kindWord(value)} into Go value of type map[string]interface {}`);
    const { kind = this.#gvk.kind, apiVersion = apiVersionOf(this.#gvk) } = value;
    // Nothing is known of the fields of other versions.
    const schema =
      kind !== this.#gvk.kind
        ? undefined
        : apiVersion === apiVersionOf(this.#gvk) || !this.#schema
          ? this.#schema
          : NOTHING_KNOWN;
    if (schema === this.#schema && this.#inForm(value)) {
      const object = { ...value };
      const strictErrors = withMetadata(object, value);
      return { object: inOrder(object), strictErrors };
    }
    const { object, strictErrors } = coerce(value, schema);
    applySchemaDefaults(object, schema);
    return { object: inOrder(object), strictErrors };
  }
}

/** Stored objects begin with these three. */
function inOrder({ kind, apiVersion, metadata, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return { kind, apiVersion, metadata: metadata ?? {}, ...rest };
}

interface ReadBody {
  readonly value: unknown;
  readonly strictErrors: string[];
  /** The first number that no double can hold. Upstream looks at the kind before it looks at that. */
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
    if (isBadInput(error)) throw wrap(error.message);
    throw error;
  }
}
