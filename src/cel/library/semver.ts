/** The semver library: semantic versions. */
import { method, overload, type Library } from '../function-table.ts';
import { BOOL, INT, STRING, opaque } from '../types.ts';
import { CelError, LibraryValue, type Value } from '../values.ts';

const SEMVER = opaque('kubernetes.Semver');
const STRICT =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

class SemverValue extends LibraryValue {
  readonly typeName = SEMVER.name;

  constructor(
    readonly numbers: readonly bigint[],
    readonly prerelease: readonly string[],
  ) {
    super();
  }

  override equals(other: Value): boolean {
    return other instanceof SemverValue && compare(this, other) === 0;
  }
}

function parse(text: string): SemverValue | undefined {
  const match = STRICT.exec(text);
  if (!match) return undefined;
  const prerelease = match[4] === undefined ? [] : match[4].split('.');
  if (prerelease.some((part) => /^0\d+$/.test(part))) return undefined;
  return new SemverValue([match[1]!, match[2]!, match[3]!].map(BigInt), prerelease);
}

/** `v1.2` is `1.2.0`, leading zeros are dropped. */
function normalized(text: string): string {
  const plain = text.trim().replace(/^v/, '');
  const end = plain.search(/[-+]/);
  const numbers = (end < 0 ? plain : plain.slice(0, end)).split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  if (numbers.length < 3 && end >= 0) return text;
  while (numbers.length < 3) numbers.push('0');
  return numbers.join('.') + (end < 0 ? '' : plain.slice(end));
}

function compare(a: SemverValue, b: SemverValue): number {
  for (let i = 0; i < 3; i++) if (a.numbers[i] !== b.numbers[i]) return a.numbers[i]! < b.numbers[i]! ? -1 : 1;
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return Number(a.prerelease.length === 0) - Number(b.prerelease.length === 0);
  for (let i = 0; i < Math.max(a.prerelease.length, b.prerelease.length); i++) {
    const order = compareParts(a.prerelease[i], b.prerelease[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareParts(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [numericA, numericB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numericA && numericB) return BigInt(a) < BigInt(b) ? -1 : 1;
  if (numericA !== numericB) return numericA ? -1 : 1;
  return a < b ? -1 : 1;
}

function semver(text: string, normalize = false): Value {
  const value = parse(normalize ? normalized(text) : text);
  if (!value) throw new CelError(problemOf(text));
  return value;
}

function problemOf(text: string): string {
  if (text === '') return 'Version string empty';
  return text.split('.').length < 3
    ? 'No Major.Minor.Patch elements found'
    : `Invalid character(s) found in version "${text}"`;
}

export const semverLibrary: Library = {
  functions: {
    semver: [
      overload('string_to_semver', [STRING], SEMVER, semver),
      overload('string_bool_to_semver', [STRING, BOOL], SEMVER, semver),
    ],
    isSemver: [
      overload('is_semver_string', [STRING], BOOL, (text: string) => parse(text) !== undefined),
      overload(
        'is_semver_string_bool',
        [STRING, BOOL],
        BOOL,
        (text: string, normalize: boolean) => parse(normalize ? normalized(text) : text) !== undefined,
      ),
    ],
    major: [method('semver_major', [SEMVER], INT, ({ numbers }: SemverValue) => numbers[0]!)],
    minor: [method('semver_minor', [SEMVER], INT, ({ numbers }: SemverValue) => numbers[1]!)],
    patch: [method('semver_patch', [SEMVER], INT, ({ numbers }: SemverValue) => numbers[2]!)],
    isGreaterThan: [
      method('semver_is_greater_than', [SEMVER, SEMVER], BOOL, (a: SemverValue, b: SemverValue) => compare(a, b) > 0),
    ],
    isLessThan: [
      method('semver_is_less_than', [SEMVER, SEMVER], BOOL, (a: SemverValue, b: SemverValue) => compare(a, b) < 0),
    ],
    compareTo: [
      method('semver_compare_to', [SEMVER, SEMVER], INT, (a: SemverValue, b: SemverValue) => BigInt(compare(a, b))),
    ],
  },
};
