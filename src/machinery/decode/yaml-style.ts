/** Which styles (plain, quoted, literal) a string may have in YAML, by the rules of upstream's library. */

export interface ScalarAnalysis {
  readonly multiline: boolean;
  readonly plainAllowed: boolean;
  readonly singleAllowed: boolean;
  readonly literalAllowed: boolean;
}

/**
 * Characters that have to be escaped: tabs, control characters, byte order marks, other line breaks, and everything
 * outside the Basic Multilingual Plane.
 */
// eslint-disable-next-line no-control-regex
const SPECIAL = /[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;
const INDICATOR_FIRST = /^[#,[\]{}&*!|>'"%@`]/;
const INDICATOR = /^(?:---|\.\.\.)|^[?-](?:[ \n]|$)|:(?:[ \n]|$)|[ \n]#/;

export const hasSpecialCharacters = (text: string): boolean => SPECIAL.test(text);

export function analyzeScalar(text: string): ScalarAnalysis {
  const multiline = text.includes('\n');
  const special = hasSpecialCharacters(text);
  const spaceBeforeBreak = text.includes(' \n');
  const spaceAfterBreak = text.includes('\n ');
  const indicators = INDICATOR_FIRST.test(text) || INDICATOR.test(text);
  const singleAllowed = !special && !spaceBeforeBreak && !spaceAfterBreak;
  return {
    multiline,
    plainAllowed:
      text !== '' && singleAllowed && !multiline && !indicators && !text.startsWith(' ') && !text.endsWith(' '),
    singleAllowed,
    literalAllowed: text !== '' && !special && !spaceBeforeBreak && !text.endsWith(' '),
  };
}

const WORDS = new Set(
  ['y', 'yes', 'true', 'on', 'n', 'no', 'false', 'off', 'null', '.inf', '+.inf', '-.inf']
    .flatMap((word) => [word, word.toUpperCase(), word.replace(/[a-z]/, (letter) => letter.toUpperCase())])
    .concat('', '~', '.nan', '.NaN', '.NAN'),
);
const DATE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d)| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Base-60 numbers of YAML 1.1, such as `1:30`. */
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Whether the text without quotes is read as a string, not as a number, date, boolean or null. */
export function readsAsText(text: string): boolean {
  if (WORDS.has(text) || BASE_60.test(text)) return false;
  const first = text.codePointAt(0)!;
  if (text.startsWith('.')) return !isFiniteFloat(text);
  if (text[0] !== '-' && text[0] !== '+' && (first < 0x30 || first > 0x39)) return true;
  if (isDate(text)) return false;
  const plain = text.replaceAll('_', '');
  return !isInteger(plain) && !isFiniteFloat(plain);
}

const isFiniteFloat = (text: string): boolean => FLOAT.test(text) && Number.isFinite(Number(text));

function isInteger(text: string): boolean {
  const [, sign, digits = ''] = INTEGER.exec(text) ?? [];
  if (digits === '') return false;
  const amount = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  if (sign === '-') return amount <= 2n ** 63n;
  return amount < (sign === '+' ? 2n ** 63n : 2n ** 64n);
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const found = DATE.exec(text);
  if (!found) return false;
  const [year = 0, month = 0, day = 0, ...clock] = found
    .slice(1)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && !leap ? 28 : (DAYS[month - 1] ?? 0);
  const [hours = 0, minutes = 0, seconds = 0] = clock.filter((part) => part !== undefined);
  return day >= 1 && day <= days && hours < 24 && minutes < 60 && seconds < 60;
}

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;
const isLetter = (character: string | undefined): boolean => character !== undefined && LETTER.test(character);
const isDigit = (character: string | undefined): boolean => character !== undefined && DIGIT.test(character);

/** The key order of upstream's library: letters last, numbers by value. */
export function byNaturalOrder(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  const shorter = Math.min(left.length, right.length);
  for (let i = 0; i < shorter; i++) {
    if (left[i] === right[i]) continue;
    const [leftLetter, rightLetter] = [isLetter(left[i]), isLetter(right[i])];
    if (leftLetter && rightLetter) return left[i]!.codePointAt(0)! - right[i]!.codePointAt(0)!;
    if (leftLetter || rightLetter) return rightLetter ? -1 : 1;
    return byNumbers(left, right, i);
  }
  return left.length - right.length;
}

/** Compares texts that are equal up to `at`, where neither has a letter. */
function byNumbers(left: readonly string[], right: readonly string[], at: number): number {
  // Zeros are significant inside a number that began before `at`.
  let begun = 0n;
  if (left[at] === '0' || right[at] === '0') {
    for (let i = at - 1; i >= 0 && isDigit(left[i]); i--) if (left[i] !== '0') begun = 1n;
  }
  const [leftNumber, leftEnd] = numberAt(left, at, begun);
  const [rightNumber, rightEnd] = numberAt(right, at, begun);
  if (leftNumber !== rightNumber) return leftNumber < rightNumber ? -1 : 1;
  if (leftEnd !== rightEnd) return leftEnd - rightEnd;
  return left[at]!.codePointAt(0)! - right[at]!.codePointAt(0)!;
}

function numberAt(text: readonly string[], at: number, begun: bigint): [amount: bigint, end: number] {
  let amount = begun;
  let end = at;
  for (; isDigit(text[end]); end++)
    amount = BigInt.asIntN(64, amount * 10n + BigInt(text[end]!.codePointAt(0)! - 0x30));
  return [amount, end];
}
