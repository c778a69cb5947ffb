/** Items of lists in other forms than the stored JSON, for the main thread and for the thread of large requests. */
import { schema } from '../../api/index.ts';
import { stringifyIndented } from '../../base/index.ts';
import { encodeYaml } from '../../machinery/decode/index.ts';
import { encodeMessage, messageOfKind, protobufListItem, type TypeMeta } from '../../machinery/protobuf/index.ts';

const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const SEQUENCE_ITEM = Buffer.from('- ');
const NEWLINE = Buffer.from('\n');

export function yamlItem(item: unknown): Buffer {
  const lines = encodeYaml([item]);
  // The YAML encoder falls back to JSON for deep nesting, and JSON is YAML too.
  return lines[0] === OPENING_BRACKET
    ? Buffer.concat([SEQUENCE_ITEM, lines.subarray(1, lines.lastIndexOf(CLOSING_BRACKET)), NEWLINE])
    : lines;
}

/** Without the indent of its first line. */
export const indentedItem = (item: unknown): Buffer => Buffer.from(stringifyIndented(item).replaceAll('\n', '\n    '));

export function protobufItem(kind: TypeMeta, object: Record<string, unknown>): Buffer {
  const message = messageOfKind(schema, kind);
  if (!message) throw new Error(`${kind.kind} has no protobuf form`);
  return protobufListItem(encodeMessage(message, object));
}
