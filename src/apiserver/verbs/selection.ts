/** The label and field selectors of a list or watch, compiled. */
import { quote } from '../../base/index.ts';
import { badRequest } from '../../machinery/errors/index.ts';
import { parseFieldSelector, parseLabelSelector } from '../../machinery/selectors/index.ts';
import { selectableFieldReader, viewOf, type ServedResource } from '../registry/served-resource.ts';
import type { ListOptions } from '../request/options.ts';
import type { Entry } from '../storage/entry.ts';
import type { Scope } from './scope.ts';

export interface Selection {
  /** Absent when everything matches. */
  readonly matches?: (entry: Entry) => boolean;
  /** Fields that the selector requires to equal one value: `metadata.name`, `metadata.namespace`, `spec.nodeName`. */
  readonly pinned: ReadonlyMap<string, string>;
}

export function selectionOf(scope: Scope, options: ListOptions): Selection {
  const { served, place } = scope;
  const labels = parseLabelSelector(options.labelSelector);
  const fields = parseFieldSelector(options.fieldSelector);
  const pinned = new Map<string, string>();
  for (const requirement of fields.requirements) {
    checkFieldLabel(served, requirement.field);
    if (requirement.operator === '=') pinned.set(requirement.field, requirement.value);
  }
  // A name in the path (the watch of one object) acts as a selector.
  const name = place.name;
  if (name !== '') pinned.set('metadata.name', name);
  if (labels.isEmpty && fields.isEmpty && name === '') return { pinned };
  return {
    pinned,
    matches: (entry) => {
      if (name !== '' && entry.name !== name) return false;
      const values = viewOf(served, entry).selectable((object) => fieldsOf(served)(object));
      return (
        (labels.isEmpty || labels.matches(values.labels)) &&
        (fields.isEmpty || fields.matches((field) => values.fields[field] ?? ''))
      );
    },
  };
}

const readers = new WeakMap<ServedResource, ReturnType<typeof selectableFieldReader>>();

function fieldsOf(served: ServedResource): ReturnType<typeof selectableFieldReader> {
  let reader = readers.get(served);
  if (!reader) readers.set(served, (reader = selectableFieldReader(served)));
  return reader;
}

/** The error for an unknown field label differs between kinds. */
function checkFieldLabel(served: ServedResource, label: string): void {
  if (label === 'metadata.name' || (label === 'metadata.namespace' && (served.namespaced || !hasOwnLabels(served))))
    return;
  if (Object.hasOwn(served.selectableFields, label)) return;
  if (served.custom) throw badRequest(`field label not supported: ${label}`);
  if (served.kind === 'Job') throw badRequest(`field label ${quote(label)} not supported for Job`);
  if (served.kind === 'ResourceSlice')
    throw badRequest(`field label not supported for ${served.group}/${served.version}, Kind=${served.kind}: ${label}`);
  if (hasOwnLabels(served)) throw badRequest(`field label not supported: ${label}`);
  throw badRequest(`${quote(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
}

const hasOwnLabels = (served: ServedResource): boolean => Object.keys(served.selectableFields).length > 0;
