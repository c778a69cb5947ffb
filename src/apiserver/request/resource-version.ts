/**
 * resourceVersions that clients send: decimal numbers of 64 bits, or nothing. What is wrong with one is said in the words
 * of Go's strconv.ParseUint, because upstream passes those on.
 */
import { quote } from '../../base/index.ts';
import { failure } from '../../machinery/errors/index.ts';

const LARGEST = 2n ** 64n - 1n;

/** What strconv.ParseUint says of a text that is no number of 64 bits; undefined for one that is. */
export function parseUintFault(text: string): string | undefined {
  const fault = (why: string): string => `strconv.ParseUint: parsing ${quote(text)}: ${why}`;
  const digits = leadingDigits(text);
  // ParseUint reads from the left and stops at what is wrong first.
  if (digits.length > MAX_DIGITS || (digits !== '' && BigInt(digits) > LARGEST)) return fault('value out of range');
  return digits === '' || digits.length < text.length ? fault('invalid syntax') : undefined;
}

/** 2^64 - 1 has this many digits; the digits are counted without zeros in front. */
const MAX_DIGITS = 20;

/** The digits that a text begins with; of zeros in front no more than one stays. */
function leadingDigits(text: string): string {
  const digits = /^[0-9]*/.exec(text)![0];
  return digits.length > MAX_DIGITS ? digits.replace(/^0+(?=[0-9])/, '') : digits;
}

/** The version in an object's metadata. Upstream parses it late, and answers what is wrong with it as an error of its own. */
export function checkObjectVersion(text: string): void {
  const fault = parseUintFault(text);
  if (fault !== undefined) throw failure(500, '', fault);
}

/** The version that a GET or a watch asks for; none and 0 both mean that any will do. */
export function requestedVersion(text: string): bigint {
  if (text === '') return 0n;
  const fault = parseUintFault(text);
  if (fault !== undefined) throw failure(500, '', `resourceVersion: Invalid value: ${quote(text)}: ${fault}`);
  return BigInt(text);
}
