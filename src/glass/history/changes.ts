/** What differs between two revisions of an object. */
import { deepEqual, isRecord } from '../../base/index.ts';

export interface FieldChange {
  /** As in kubectl: `.spec.template.spec.containers[0].image`. */
  readonly path: string;
  /** Absent where the field was added. */
  readonly before?: unknown;
  /** Absent where the field was removed. */
  readonly after?: unknown;
}

/** Every revision has others of these. */
const OWN: ReadonlySet<string> = new Set(['.metadata.managedFields', '.metadata.resourceVersion']);

/** The changed fields, in the order of the newer object. */
export function changesBetween(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (OWN.has(path) || deepEqual(before, after)) return [];
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
    return names.flatMap((name) => changesBetween(before[name], after[name], `${path}${memberOf(name)}`));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }).flatMap((_, i) => changesBetween(before[i], after[i], `${path}[${i}]`));
  }
  return [{ path: path === '' ? '.' : path, ...sides(before, after) }];
}

const sides = (before: unknown, after: unknown): { before?: unknown; after?: unknown } => ({
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});

const memberOf = (name: string): string => (/^[A-Za-z_][\w-]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);

const SECRET_FIELDS = /^\.(data|stringData)([.[]|$)/;

/** The values of a Secret are not for terminals and logs: whoever may read it can read it itself. */
export function withoutSecrets(kind: string | undefined, changes: readonly FieldChange[]): FieldChange[] {
  if (kind !== 'Secret') return [...changes];
  return changes.map((change) => (SECRET_FIELDS.test(change.path) ? hidden(change) : change));
}

const HIDDEN = '(hidden)';

const hidden = ({ path, ...values }: FieldChange): FieldChange => ({
  path,
  ...('before' in values ? { before: HIDDEN } : {}),
  ...('after' in values ? { after: HIDDEN } : {}),
});
