/**
 * A pod template as Go prints it for upstream's hash of it: every field of every struct with its Go name and type, set or not.
 * Equal hashes give the same names to ReplicaSets and ControllerRevisions, whichever controller manager creates them.
 *
 *     (v1.PodTemplateSpec){ObjectMeta:(v1.ObjectMeta){Name:(string) …} Spec:(v1.PodSpec){Volumes:([]v1.Volume)<nil> …}}
 *
 * Elements of lists and maps have no type before them. A new field in a later version changes all hashes, as it does upstream.
 */
import type { Field, Message, ScalarType, Type } from '../../api/index.ts';
import { compareText, isRecord } from '../../base/index.ts';
import { goFieldName } from './go-field-names.ts';
import { goQuantity } from './go-quantity.ts';

export const goDump = (message: Message, value: unknown): string =>
  `(${message.goType})${messageText(message, isRecord(value) ? value : {})}`;

function messageText(message: Message, value: Readonly<Record<string, unknown>>): string {
  return `{${message.wireFields.map((field) => `${goFieldName(message, field)}:${fieldText(field, value)}`).join(' ')}}`;
}

function fieldText(field: Field, parent: Readonly<Record<string, unknown>>): string {
  const value = field.inline ? parent : (parent[field.name] ?? undefined);
  const type = `(${field.pointer ? '*' : ''}${goTypeOf(field)})`;
  if (field.pointer && value === undefined) return `${type}<nil>`;
  return type + valueText(field.type, value);
}

function valueText(type: Type, value: unknown): string {
  switch (type.kind) {
    case 'scalar':
      return scalarText(type, value);
    case 'message':
      return messageText(type, isRecord(value) ? value : {});
    case 'list':
      if (!Array.isArray(value) || value.length === 0) return '<nil>';
      return `[${value.map((item) => valueText(type.element, item)).join(' ')}]`;
    case 'map':
      return mapText(type.value, value);
    case 'union':
      throw new Error(`a pod template has no ${type.goType}`);
  }
}

function mapText(type: Type, value: unknown): string {
  const keys = isRecord(value) ? Object.keys(value).sort(compareText) : [];
  if (!isRecord(value) || keys.length === 0) return '<nil>';
  return `map[${keys.map((key) => `${key}:${valueText(type, value[key])}`).join(' ')}]`;
}

function scalarText({ scalar }: ScalarType, value: unknown): string {
  switch (scalar) {
    case 'string':
      return String(value ?? '');
    case 'bool':
      return String(value ?? false);
    case 'int32':
    case 'int64':
      return String(value ?? 0);
    case 'Quantity':
      return goQuantity(value as string | number | undefined);
    case 'IntOrString':
      return typeof value === 'string'
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${Number(value ?? 0)} StrVal:(string)}`;
    case 'Time':
      return timeText(value);
    default:
      throw new Error(`a pod template has no ${scalar}`);
  }
}

/** Seconds since the year 1; the API server clears the times of templates, so that others do not occur. */
function timeText(value: unknown): string {
  const UNIX_EPOCH = 62_135_596_800;
  const seconds = typeof value === 'string' ? Date.parse(value) / 1000 + UNIX_EPOCH : 0;
  return `{Time:(time.Time){wall:(uint64)0 ext:(int64)${seconds} loc:(*time.Location)<nil>}}`;
}

/** Types that are plain strings and maps in the declarations, and named ones in Go. */
function goTypeOf({ name, type }: Field): string {
  if (name === 'uid') return 'types.UID';
  if (type.goType === 'map[string]resource.Quantity') return 'v1.ResourceList';
  return type.goType;
}
