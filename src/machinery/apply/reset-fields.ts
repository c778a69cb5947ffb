/** Fields that no manager owns: those that identify an object, and those that the endpoint resets. */
import { setOfPaths, union, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Paths by their field names: `[['status']]`. */
export type ResetFields = readonly (readonly string[])[];

const UNTRACKED_METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];

const UNTRACKED = setOfPaths([
  [fieldElement('apiVersion')],
  [fieldElement('kind')],
  ...UNTRACKED_METADATA.map((name) => [fieldElement('metadata'), fieldElement(name)]),
]);

const known = new WeakMap<ResetFields, FieldSet>();

/** The fields as a set, cached by list. */
export function ignoredFields(resetFields: ResetFields | undefined): FieldSet {
  if (!resetFields || resetFields.length === 0) return UNTRACKED;
  let ignored = known.get(resetFields);
  if (!ignored) {
    ignored = union(UNTRACKED, setOfPaths(resetFields.map((path) => path.map(fieldElement))))!;
    known.set(resetFields, ignored);
  }
  return ignored;
}
