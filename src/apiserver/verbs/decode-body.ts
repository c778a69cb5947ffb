/** Decodes the body of a write in its media type into the kind that the endpoint takes. */
import type { DeleteOptions } from '../../api/generated/meta-v1.ts';
import { apiVersionOf, type GroupVersionKind, type Message, schema } from '../../api/index.ts';
import { append, cloneJson, formatTime, fromPieces, quote } from '../../base/index.ts';
import { conform, decodeObject, Growth, strictErrorWarnings } from '../../machinery/decode/index.ts';
import { applyDefaults, type DefaultingContext } from '../../machinery/defaulting/index.ts';
import { badRequest, unsupportedMediaType } from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { decodeProtobufBody, decodeProtobufObject } from '../../machinery/protobuf/index.ts';
import { rememberBody, rememberEmptyLists, wroteEmptyLists } from '../registry/empty-lists.ts';
import { inSlices } from '../request/in-slices.ts';
import type { FieldValidation } from '../request/options.ts';
import { headerOf } from '../request/request.ts';
import { strictRefusal } from '../stage-thread/decode-patched.ts';
import { betweenStages, noteGrowth, readBodyOf } from './read-body.ts';
import type { Scope } from './scope.ts';
import { threadKind } from './thread-kind.ts';
import { joinUnchanged, divideByChange } from './unchanged-fields.ts';

interface BodyOptions {
  readonly fieldValidation: FieldValidation;
  /** The kind of the body when it is not the resource's own (Scale, Binding, Eviction). */
  readonly expected?: GroupVersionKind & { readonly message?: Message };
  readonly time?: RequestTime;
}

const ACCEPTED = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';

type BodyFormat = 'json' | 'yaml' | 'protobuf';

/** Decodes an object of the resource and sets its defaults. */
export async function decodeBody(scope: Scope, options: BodyOptions): Promise<KubeObject> {
  const object = await decoded(scope, options);
  scope.request.noteDecoded?.(object);
  return object;
}

async function decoded(scope: Scope, options: BodyOptions): Promise<KubeObject> {
  const { request, served } = scope;
  if (request.object) return fromProcess(scope, request.object, options);
  const format = bodyFormat(headerOf(request, 'content-type'));
  const body = await readBodyOf(scope);
  return decodeBytes(scope, body, format, { ...options, expected: options.expected ?? served });
}

/** Decodes a new object and sets its defaults. Objects of one template are decoded once. */
export async function decodeNew(scope: Scope, fieldValidation: FieldValidation): Promise<KubeObject> {
  const object = await decodedNew(scope, fieldValidation);
  scope.request.noteDecoded?.(object);
  return object;
}

async function decodedNew(scope: Scope, fieldValidation: FieldValidation): Promise<KubeObject> {
  const { request, served } = scope;
  if (served.custom) return decoded(scope, { fieldValidation });
  const templates = scope.backend.templatesOf(served);
  if (request.object) {
    scope.template = templates.ofObject(request.object);
    if (scope.template) return scope.template.instantiate();
    const time = new RequestTime(scope);
    const object = fromProcess(scope, request.object, { fieldValidation, time });
    if (!time.wasUsed) scope.template = templates.noteObject(request.object, object);
    return object;
  }
  const format = bodyFormat(headerOf(request, 'content-type'));
  const body = await readBodyOf(scope);
  if (format !== 'json') return decodeBytes(scope, body, format, { fieldValidation, expected: served });
  const text = body.toString('latin1');
  scope.template = templates.ofBody(text);
  if (scope.template) return scope.template.instantiate();
  const time = new RequestTime(scope);
  const warnings = scope.warnings.length;
  const object = await decodeBytes(scope, body, format, { fieldValidation, expected: served, time });
  const clean =
    !time.wasUsed && fieldValidation !== 'Ignore' && scope.warnings.length === warnings && !wroteEmptyLists(object);
  if (clean) scope.template = templates.noteBody(text, object);
  return object;
}

/** Has a thread parse long YAML before it is decoded. */
async function parseYamlAhead({ backend }: Scope, body: Buffer, format: BodyFormat): Promise<void> {
  if (format === 'yaml') await backend.yaml.parseAhead(body.toString('utf8'));
}

/** The time of a request, and whether any default depends on it. */
class RequestTime implements DefaultingContext {
  readonly #scope: Scope;
  wasUsed = false;
  alreadyDefaulted: unknown;
  readonly growth = new Growth();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  get now(): string {
    this.wasUsed = true;
    return formatTime(this.#scope.backend.ctx.clock.now());
  }
}

/** The object of a client in this process was never text; it gets the canonical form that decoding would give it. */
function fromProcess(scope: Scope, sent: KubeObject, options: BodyOptions): KubeObject {
  const { served } = scope;
  const time = options.time ?? new RequestTime(scope);
  const expected = options.expected ?? served;
  const message = expected.message ?? schema.kind(expected);
  const divided = expected === served ? divideByChange(scope, liveOf(scope), sent) : undefined;
  const own = ofKind(expected, cloneJson(divided ? divided.changed : sent) as KubeObject);
  if (!message) return withDefaults(expected, own, time);
  const conformed = (expected === served && served.conform ? served.conform : conform)(message, own)
    .object as KubeObject;
  const object = { ...conformed, apiVersion: own.apiVersion, kind: own.kind };
  if (scope.subresource === 'status') time.alreadyDefaulted = divided?.unchanged['spec'];
  return withDefaults(expected, divided ? joinUnchanged(served, object, divided) : object, time);
}

/** What does not say what it is is what the request is for, as in a body of bytes. */
function ofKind(expected: GroupVersionKind, object: KubeObject): KubeObject {
  const { apiVersion = apiVersionOf(expected), kind = expected.kind }: Partial<KubeObject> = object;
  return object.kind === kind && object.apiVersion === apiVersion ? object : { ...object, apiVersion, kind };
}

/** Clients in this process build the new state from the shared object that they read. */
const liveOf = ({ served, place }: Scope): KubeObject | undefined =>
  place.name === '' ? undefined : served.cache.get(place.namespace, place.name)?.object;

async function decodeBytes(
  scope: Scope,
  body: Buffer,
  format: BodyFormat,
  options: BodyOptions & { expected: GroupVersionKind },
): Promise<KubeObject> {
  const { expected, time = new RequestTime(scope) } = options;
  const large = scope.isLarge ? await decodeInThread(scope, body, format, { ...options, time }) : undefined;
  if (large) return large;
  await parseYamlAhead(scope, body, format);
  if (format === 'protobuf') {
    const object = decodeProtobufBody(schema, body, expected);
    await betweenStages(scope);
    const complete = withDefaults(expected, object, time);
    noteGrowth(scope, time.growth);
    return complete;
  }
  const decode = scope.served.decode && expected.kind === scope.served.kind ? scope.served.decode : decodeObject;
  const { object, strictErrors } = decode({ body, contentType: format, expected }, time.growth);
  reportStrictErrors(scope, strictErrors, options.fieldValidation, cannotBeHandled(expected));
  if (decode === scope.served.decode) checkVersion(object, expected);
  await betweenStages(scope);
  const complete = withDefaults(expected, object, time);
  noteGrowth(scope, time.growth);
  rememberEmptyLists(complete, body, format);
  return complete;
}

const cannotBeHandled = ({ kind, version }: GroupVersionKind): string =>
  `${kind} in version ${quote(version)} cannot be handled as a ${kind}: `;

/** The same in the thread of large requests; undefined where that cannot decode the body. */
async function decodeInThread(
  scope: Scope,
  body: Buffer,
  format: BodyFormat,
  options: BodyOptions & { expected: GroupVersionKind; time: DefaultingContext },
): Promise<KubeObject | undefined> {
  const { group, version, kind } = options.expected;
  const expected = { group, version, kind };
  const { served, backend } = scope;
  const custom = served.custom ? threadKind(served)?.custom : undefined;
  if (served.custom && (!custom || kind !== served.kind || format === 'protobuf')) return undefined;
  const input = { body, format, expected, now: options.time.now ?? '' };
  const result = await backend.stages.run('decode', input, custom);
  if (!result) return undefined;
  reportStrictErrors(scope, result.strictErrors, options.fieldValidation, cannotBeHandled(expected));
  const { clock } = backend.ctx;
  const object = (await inSlices(clock, fromPieces(result.object))) as KubeObject;
  if (custom) checkVersion(object, expected);
  if (result.written !== undefined) {
    const { body: written } = (await inSlices(clock, fromPieces(result.written))) as { body: unknown };
    rememberBody(object, written);
  }
  return object;
}

const apiVersionText = (gvk: GroupVersionKind): string =>
  gvk.group === '' ? gvk.version : `${gvk.group}/${gvk.version}`;

function withDefaults(gvk: GroupVersionKind, object: KubeObject, time: DefaultingContext): KubeObject {
  object.metadata ??= {};
  return applyDefaults(gvk, object, time);
}

function checkVersion(object: KubeObject, expected: GroupVersionKind): void {
  const version = apiVersionText(expected);
  if (object.apiVersion !== version) {
    throw badRequest(
      `the API version in the data (${object.apiVersion ?? ''}) does not match the expected API version (${version})`,
    );
  }
}

/** Strict refuses unknown and duplicate fields, Warn warns about them, Ignore drops them. */
export function reportStrictErrors(
  scope: Scope,
  errors: readonly string[],
  validation: FieldValidation,
  prefix = '',
): void {
  if (errors.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') throw strictRefusal(errors, prefix);
  append(scope.warnings, strictErrorWarnings(errors));
}

export function bodyFormat(contentType: string | undefined): BodyFormat {
  const type = (contentType ?? 'application/json').split(';')[0]!.trim().toLowerCase();
  switch (type) {
    case '':
    case 'application/json':
      return 'json';
    case 'application/yaml':
      return 'yaml';
    case 'application/vnd.kubernetes.protobuf':
      return 'protobuf';
    default:
      throw unsupportedMediaType(
        `the body of the request was in an unknown format - accepted media types include: ${ACCEPTED}`,
      );
  }
}

const DELETE_OPTIONS: GroupVersionKind = { group: 'meta.k8s.io', version: 'v1', kind: 'DeleteOptions' };
const OPTIONS_SCHEME = 'k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27';

/** Upstream audits them in their internal version. */
const AUDITED_OPTIONS = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal' };

/** DeleteOptions may have any group's version; undefined when there is no body. */
export async function decodeDeleteOptions(scope: Scope): Promise<DeleteOptions | undefined> {
  const { request } = scope;
  if (request.object) return request.object as unknown as DeleteOptions;
  const body = await readBodyOf(scope);
  if (body.length === 0) return undefined;
  const format = bodyFormat(headerOf(request, 'content-type'));
  await parseYamlAhead(scope, body, format);
  const object =
    format === 'protobuf'
      ? decodeProtobufObject(schema, body, { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' })
      : decodeObject({ body, contentType: format, expected: DELETE_OPTIONS, scheme: OPTIONS_SCHEME, options: true })
          .object;
  const { apiVersion: _, kind: __, metadata: ___, ...options } = object;
  request.noteDecoded?.({ ...AUDITED_OPTIONS, ...options });
  return options as unknown as DeleteOptions;
}
