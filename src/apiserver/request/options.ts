/** Options in the query string, decoded and validated with upstream's messages. */
import type { DeleteOptions } from '../../api/generated/meta-v1.ts';
import { quote } from '../../base/index.ts';
import {
  badRequest,
  type FieldError,
  forbiddenField,
  invalid,
  invalidValue,
  notSupported,
  path,
  required,
} from '../../machinery/errors/index.ts';
import type { KubeObject } from '../../machinery/index.ts';
import { validateFieldManager } from '../../machinery/validation/index.ts';
import { isTrue } from './request-info.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  readonly kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions';
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** The value that the client requested; '' for the server's default. */
  readonly givenFieldValidation: FieldValidation | '';
  readonly force: boolean | undefined;
}

const FIELD_VALIDATIONS: readonly FieldValidation[] = ['Ignore', 'Warn', 'Strict'];

export function writeOptions(kind: WriteOptions['kind'], query: URLSearchParams, isApply = false): WriteOptions {
  const errors: FieldError[] = [];
  const dryRun = query.getAll('dryRun');
  const fieldManager = query.get('fieldManager') ?? '';
  const force = optionalBool(query, 'force');
  if (kind === 'PatchOptions') {
    if (isApply) {
      if (fieldManager === '') errors.push(required(path('fieldManager'), 'is required for apply patch'));
    } else if (force !== undefined) {
      errors.push(forbiddenField(path('force'), 'may not be specified for non-apply patch'));
    }
  }
  validateFieldManager(errors, fieldManager, path('fieldManager'));
  errors.push(...dryRunErrors(dryRun));
  const fieldValidation = query.get('fieldValidation') ?? '';
  if (fieldValidation !== '' && !FIELD_VALIDATIONS.includes(fieldValidation as FieldValidation)) {
    errors.push(notSupported(path('fieldValidation'), fieldValidation, ['', 'Ignore', 'Strict', 'Warn']));
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    kind,
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    givenFieldValidation: fieldValidation as FieldValidation | '',
    force,
  };
}

const dryRunErrors = (values: readonly string[]): FieldError[] =>
  values.every((value) => value === 'All') ? [] : [notSupported(path('dryRun'), values, ['All'])];

/**
 * The options object that admission plugins and webhooks see: what the client gave, and no defaults. To them a patch is an
 * update, or a creation by apply.
 */
export function optionsObject({ kind, dryRun, fieldManager, givenFieldValidation }: WriteOptions): KubeObject {
  return {
    apiVersion: 'meta.k8s.io/v1',
    kind: kind === 'PatchOptions' ? 'UpdateOptions' : kind,
    ...(dryRun ? { dryRun: ['All'] } : {}),
    ...(fieldManager !== '' ? { fieldManager } : {}),
    ...(givenFieldValidation !== '' ? { fieldValidation: givenFieldValidation } : {}),
  } as unknown as KubeObject;
}

export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continueToken: string;
  readonly sendInitialEvents: boolean | undefined;
}

export function listOptions(query: URLSearchParams, isWatch: boolean): ListOptions {
  const options: ListOptions = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    watch: isWatch,
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: optionalInt(query, 'timeoutSeconds'),
    limit: optionalInt(query, 'limit') ?? 0,
    continueToken: query.get('continue') ?? '',
    sendInitialEvents: optionalBool(query, 'sendInitialEvents'),
  };
  const errors = listOptionErrors(options);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return watchesFromNothing(options) ? { ...options, sendInitialEvents: true } : options;
}

/** A match rule needs a version; initial events need NotOlderThan. */
const listOptionErrors = (o: ListOptions): FieldError[] => (o.watch ? watchErrors(o) : listErrors(o));

const MATCH = path('resourceVersionMatch');

function listErrors(o: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = o.resourceVersionMatch;
  if (match !== '') {
    if (o.resourceVersion === '')
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (o.continueToken !== '')
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && o.resourceVersion === '0') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (o.sendInitialEvents !== undefined)
    errors.push(forbiddenField(path('sendInitialEvents'), 'sendInitialEvents is forbidden for list'));
  return errors;
}

/** A watch without a resourceVersion always sends initial events, and the bookmark after them. */
const watchesFromNothing = (o: ListOptions): boolean =>
  o.watch &&
  o.sendInitialEvents === undefined &&
  o.resourceVersionMatch === '' &&
  (o.resourceVersion === '' || o.resourceVersion === '0');

function watchErrors(o: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  const match = o.resourceVersionMatch;
  if (o.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenField(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  const fromNothing = watchesFromNothing(o);
  if (match !== '' || fromNothing) {
    if (!fromNothing && o.sendInitialEvents === undefined) {
      errors.push(
        forbiddenField(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
      );
    }
    if (match !== '' && match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
    if (o.continueToken !== '')
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  return errors;
}

/** DELETE takes its options from the body, or from the query when there is none. */
export function deleteOptionsFromQuery(query: URLSearchParams): DeleteOptions {
  const options: DeleteOptions = {} as DeleteOptions;
  const grace = optionalInt(query, 'gracePeriodSeconds');
  if (grace !== undefined) options.gracePeriodSeconds = grace;
  const orphan = optionalBool(query, 'orphanDependents');
  if (orphan !== undefined) options.orphanDependents = orphan;
  if (query.has('propagationPolicy')) options.propagationPolicy = query.get('propagationPolicy')!;
  if (query.has('dryRun')) options.dryRun = query.getAll('dryRun');
  return options;
}

export function checkDeleteOptions(options: DeleteOptions): void {
  const errors: FieldError[] = [];
  const policy = options.propagationPolicy;
  if (policy !== undefined && options.orphanDependents !== undefined) {
    errors.push(
      invalidValue(path('propagationPolicy'), policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (policy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(policy)) {
    errors.push(notSupported(path('propagationPolicy'), policy, ['Foreground', 'Background', 'Orphan', 'nil']));
  }
  errors.push(...dryRunErrors(options.dryRun ?? []));
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
}

function optionalInt(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: invalid syntax`);
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    if (BigInt(text.replace('+', '')) > 9223372036854775807n)
      throw badRequest(`strconv.ParseInt: parsing ${quote(text)}: value out of range`);
  }
  return value;
}

function optionalBool(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : isTrue(text);
}
