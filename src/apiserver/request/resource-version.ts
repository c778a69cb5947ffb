/**
 * resourceVersions that clients send: decimal numbers of 64 bits, or empty. Errors have the words of Go's
 * strconv.ParseUint, which upstream passes on.
 */
import { quote } from '../../base/index.ts';
import { failure } from '../../machinery/errors/index.ts';

const LARGEST = 2n ** 64n - 1n;

/** The error of strconv.ParseUint; undefined for a number of 64 bits. */
export function parseUintFault(text: string): string | undefined {
  const fault = (why: string): string => `strconv.ParseUint: parsing ${quote(text)}: ${why}`;
  const digits = leadingDigits(text);
  // ParseUint reads from the left and reports the first error.
  if (digits.length > MAX_DIGITS || (digits !== '' && BigInt(digits) > LARGEST)) return fault('value out of range');
  return digits === '' || digits.length < text.length ? fault('invalid syntax') : undefined;
}

/** The number of digits of 2^64 - 1, leading zeros aside. */
const MAX_DIGITS = 20;

/** The leading digits of a text, with at most one leading zero. */
function leadingDigits(text: string): string {
  const digits = /^[0-9]*/.exec(text)![0];
  return digits.length > MAX_DIGITS ? digits.replace(/^0+(?=[0-9])/, '') : digits;
}

/** The resourceVersion in an object's metadata. Upstream parses it late and reports errors as internal ones. */
export function checkObjectVersion(text: string): void {
  const fault = parseUintFault(text);
  if (fault !== undefined) throw failure(500, '', fault);
}

/** The resourceVersion of a GET or a watch; empty and 0 both mean any version. */
export function requestedVersion(text: string): bigint {
  if (text === '') return 0n;
  const fault = parseUintFault(text);
  if (fault !== undefined) throw failure(500, '', `resourceVersion: Invalid value: ${quote(text)}: ${fault}`);
  return BigInt(text);
}
