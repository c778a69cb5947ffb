/** Decodes scalars for the exact decoder. */
import type { ScalarType } from '../../api/index.ts';
import { canonicalDuration, canonicalMicroTime, canonicalTime, parseQuantity } from '../../base/index.ts';
import { isBadInput } from '../errors/index.ts';
import { canonicalBase64 } from './base64.ts';
import { NumberLiteral, plainValue, numberRangeError, type JsonDocument } from './document.ts';
import { FatalDecodeError } from './type-error.ts';

/** What upstream's type errors call a value. */
export function kindWord(document: JsonDocument): string {
  if (Array.isArray(document)) return 'array';
  if (document instanceof NumberLiteral) return 'number';
  if (typeof document === 'string') return 'string';
  if (typeof document === 'boolean') return 'bool';
  return document === null ? 'null' : 'object';
}

export interface TypeErrorReporter {
  /** Reports a value of the wrong type; decoding continues. */
  note(value: string, goType: string): void;
  /** Reports another error that does not stop the decoding. */
  noteText(text: string): void;
  /** The error of a type that parses itself; it ends the decoding. */
  typeError(value: string, goType: string): FatalDecodeError;
}

const INT32_RANGE = [-(1n << 31n), (1n << 31n) - 1n] as const;
const INT64_RANGE = [-(1n << 63n), (1n << 63n) - 1n] as const;

/** The value, or `existing` when the document is null or of the wrong type. */
export function decodeScalar(
  type: ScalarType,
  document: JsonDocument,
  existing: unknown,
  report: TypeErrorReporter,
): unknown {
  switch (type.scalar) {
    case 'RawExtension':
    case 'JSON':
    case 'FieldsV1':
      return plainValue(document, refuseNumber).value;
    case 'Quantity':
      return document === null ? '0' : parsed(() => parseQuantity(rawText(document)), rawText(document));
    case 'Time':
      return ofText(document, report, canonicalTime);
    case 'MicroTime':
      return ofText(document, report, canonicalMicroTime);
    case 'Duration':
      return ofText(document, report, canonicalDuration);
    case 'IntOrString':
      return intOrString(document, report);
    default:
      return document === null ? existing : plainScalar(type, document, existing, report);
  }
}

function refuseNumber(text: string): never {
  throw new FatalDecodeError(numberRangeError(text));
}

function plainScalar(type: ScalarType, document: JsonDocument, existing: unknown, report: TypeErrorReporter): unknown {
  switch (type.scalar) {
    case 'string':
      if (typeof document === 'string') return document;
      break;
    case 'bool':
      if (typeof document === 'boolean') return document;
      break;
    case 'int32':
    case 'int64':
      if (document instanceof NumberLiteral) {
        const value = integer(document.text, type.scalar === 'int32' ? INT32_RANGE : INT64_RANGE);
        if (value !== undefined) return value;
        report.note(`number ${document.text}`, type.goType);
        return existing;
      }
      break;
    case 'double':
      if (document instanceof NumberLiteral) {
        const value = Number(document.text);
        if (Number.isFinite(value)) return value;
        report.note(`number ${document.text}`, type.goType);
        return existing;
      }
      break;
    case 'bytes':
      if (typeof document === 'string') {
        const result = canonicalBase64(document);
        if ('text' in result) return result.text;
        report.noteText(result.error);
        return existing;
      }
      if (Array.isArray(document)) return byteList(document, report);
      break;
  }
  report.note(kindWord(document), type.goType);
  return existing;
}

/** Go also decodes a list of numbers into bytes. */
function byteList(document: readonly JsonDocument[], report: TypeErrorReporter): string {
  const bytes = document.map((element) => {
    const value =
      element instanceof NumberLiteral ? integer(element.text, [0n, 255n]) : element === null ? 0 : undefined;
    if (value === undefined)
      report.note(element instanceof NumberLiteral ? `number ${element.text}` : kindWord(element), 'uint8');
    return value ?? 0;
  });
  return Buffer.from(bytes).toString('base64');
}

function integer(text: string, [least, most]: readonly [bigint, bigint]): number | undefined {
  if (!/^-?\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return value < least || value > most ? undefined : Number(value);
}

function intOrString(document: JsonDocument, report: TypeErrorReporter): unknown {
  if (typeof document === 'string') return document;
  if (document === null) return 0;
  if (!(document instanceof NumberLiteral)) throw report.typeError(kindWord(document), 'int32');
  const value = integer(document.text, INT32_RANGE);
  if (value === undefined) throw report.typeError(`number ${document.text}`, 'int32');
  return value;
}

function ofText(document: JsonDocument, report: TypeErrorReporter, read: (text: string) => unknown): unknown {
  if (document === null) return null;
  if (typeof document !== 'string') throw report.typeError(kindWord(document), 'string');
  return parsed(() => read(document), document);
}

/** Runs a parser only for its errors. */
function parsed(read: () => unknown, text: string): string {
  try {
    read();
  } catch (error) {
    if (isBadInput(error)) throw new FatalDecodeError(error.message);
    throw error;
  }
  return text;
}

/** The text of a scalar; for a list or an object, a word that no type can parse. */
function rawText(document: JsonDocument): string {
  if (typeof document === 'string') return document;
  return document instanceof NumberLiteral ? document.text : kindWord(document);
}
