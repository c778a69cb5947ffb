/** Semantic versions: their syntax and order. */
interface SemanticVersion {
  readonly numbers: readonly bigint[];
  /** The parts of `-alpha.1`. */
  readonly prerelease: readonly string[];
}

const SYNTAX =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;
const IDENTIFIER = /^(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)$/;
const NUMBER = /^\d+$/;

export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const found = SYNTAX.exec(text);
  if (!found) return undefined;
  const prerelease = found[4]?.split('.') ?? [];
  if (!prerelease.every((part) => IDENTIFIER.test(part))) return undefined;
  return { numbers: found.slice(1, 4).map(BigInt), prerelease };
}

/** A version with a prerelease is before the one without; numbers are before words. */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [i, number] of a.numbers.entries()) if (number !== b.numbers[i]) return number < b.numbers[i]! ? -1 : 1;
  if (a.prerelease.length === 0 || b.prerelease.length === 0) return b.prerelease.length - a.prerelease.length;
  for (const [i, part] of a.prerelease.entries()) {
    const other = b.prerelease[i];
    if (other === undefined) return 1;
    const order = compareIdentifiers(part, other);
    if (order !== 0) return order;
  }
  return a.prerelease.length < b.prerelease.length ? -1 : 0;
}

function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [NUMBER.test(a), NUMBER.test(b)];
  if (left !== right) return left ? -1 : 1;
  if (left) return BigInt(a) < BigInt(b) ? -1 : 1;
  return a < b ? -1 : 1;
}
