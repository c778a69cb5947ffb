/** The query and path parameters of operations. */
import { schema, type Field, type Message, type Scalar } from '../../api/index.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

const query = (name: string, type: Parameter['type'], description: string): Parameter => ({
  name,
  in: 'query',
  type,
  description,
});
export const inPath = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  type: 'string',
  description,
});

export const NAMESPACE = inPath('namespace', 'The namespace of the object.');
export const PRETTY = query('pretty', 'string', 'true for output that is easy to read.');

const DRY_RUN = query('dryRun', 'string', 'All: do everything but store the change.');
const FIELD_MANAGER = query(
  'fieldManager',
  'string',
  'Who makes the change, for the record in managedFields; needed for apply.',
);
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'What to do with unknown or duplicate fields: Ignore, Warn (default) or Strict.',
);
const FORCE = query('force', 'boolean', 'Apply: take over fields that other managers own.');
const RESOURCE_VERSION = query(
  'resourceVersion',
  'string',
  'Which state to answer with: unset for the latest, 0 for any, a version for one at least as new.',
);
const RESOURCE_VERSION_MATCH = query(
  'resourceVersionMatch',
  'string',
  'How resourceVersion is meant: NotOlderThan or Exact.',
);
const CONTINUE = query('continue', 'string', 'The continue token of the previous page, to get the next one.');
const FIELD_SELECTOR = query(
  'fieldSelector',
  'string',
  'Restricts the list of returned objects by their fields; without it, all are returned.',
);
const LABEL_SELECTOR = query(
  'labelSelector',
  'string',
  'Restricts the list of returned objects by their labels; without it, all are returned.',
);
const LIMIT = query('limit', 'integer', 'The most objects to answer with; the rest comes by the continue token.');
const SEND_INITIAL_EVENTS = query(
  'sendInitialEvents',
  'boolean',
  'Watch: begin with the objects that exist, and mark their end with a bookmark.',
);
const SHARD_SELECTOR = query(
  'shardSelector',
  'string',
  'Only objects whose hashed field is in a range, such as shardRange(object.metadata.uid, 0x0, 0x8); alpha.',
);
const TIMEOUT_SECONDS = query('timeoutSeconds', 'integer', 'How long a list or watch may take.');

const SELECTION = [
  CONTINUE,
  FIELD_SELECTOR,
  LABEL_SELECTOR,
  LIMIT,
  RESOURCE_VERSION,
  RESOURCE_VERSION_MATCH,
  SEND_INITIAL_EVENTS,
  SHARD_SELECTOR,
  TIMEOUT_SECONDS,
];
const DELETION = [
  DRY_RUN,
  query('gracePeriodSeconds', 'integer', 'How long the object may take to end; 0 for at once.'),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Delete an object that can no longer be read, without any checks.',
  ),
  query('orphanDependents', 'boolean', 'Older form of propagationPolicy: true for Orphan.'),
  query('propagationPolicy', 'string', 'What becomes of dependents: Orphan, Background or Foreground.'),
];

export const LIST_PARAMETERS: readonly Parameter[] = [
  query('allowWatchBookmarks', 'boolean', 'Watch: also send bookmarks, which tell how far the watch has come.'),
  ...SELECTION,
  query(
    'watch',
    'boolean',
    'Watch for changes to the described resources instead of listing them; resourceVersion tells from where.',
  ),
];
export const CREATE_PARAMETERS = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];
export const UPDATE_PARAMETERS = CREATE_PARAMETERS;
export const PATCH_PARAMETERS = [...CREATE_PARAMETERS, FORCE];
export const DELETE_PARAMETERS = DELETION;
export const DELETE_COLLECTION_PARAMETERS = [...DELETION, ...SELECTION];
export const READ_PARAMETERS_OF_CUSTOM_RESOURCES = [RESOURCE_VERSION];

/** The query parameters of an options kind such as PodExecOptions: those of its fields that are plain values. */
export function optionsParameters(kind: string): Parameter[] {
  const message: Message | undefined = schema.kind({ group: '', version: 'v1', kind });
  return (message?.fields ?? []).flatMap((field) => {
    const type = parameterType(field);
    return type === undefined ? [] : [query(field.name, type, field.description)];
  });
}

const PARAMETER_TYPES: Readonly<Partial<Record<Scalar, Parameter['type']>>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'integer',
  int64: 'integer',
};

function parameterType(field: Field): Parameter['type'] | undefined {
  const type = field.type.kind === 'list' ? field.type.element : field.type;
  return type.kind === 'scalar' ? PARAMETER_TYPES[type.scalar] : undefined;
}
