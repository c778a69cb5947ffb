/** Which LeaseCandidate should hold a lease: that of the oldest emulated version. */
import type { LeaseCandidate } from '../../api/generated/coordination-v1beta1.ts';
import type { KubeObject } from '../../machinery/index.ts';

export type CandidateObject = LeaseCandidate & KubeObject;

type Version = readonly number[];

/** `v1.36`, `1.36.4`: missing parts are zero. Undefined for what is no version. */
function versionOf(text: string | undefined): Version | undefined {
  const found = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-+].*)?$/.exec((text ?? '').trim());
  return found ? [Number(found[1]), Number(found[2] ?? 0), Number(found[3] ?? 0)] : undefined;
}

const ZERO: Version = [0, 0, 0];

function compareVersions(a: Version, b: Version): number {
  const at = a.findIndex((part, i) => part !== b[i]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

const binaryOf = ({ spec }: CandidateObject): Version => versionOf(spec?.binaryVersion) ?? ZERO;
const emulatedOf = ({ spec }: CandidateObject): Version => versionOf(spec?.emulationVersion) ?? ZERO;

/** The strategy that the newest program asks for. Throws when programs of one version ask for different ones. */
export function bestStrategy(candidates: readonly CandidateObject[]): string {
  let best = candidates[0]!;
  for (const candidate of candidates.slice(1)) {
    const order = compareVersions(binaryOf(best), binaryOf(candidate));
    if (order < 0) best = candidate;
    else if (order === 0 && candidate.spec?.strategy !== best.spec?.strategy)
      throw new Error(
        `the candidates ${best.metadata.name} and ${candidate.metadata.name} have the same version but different strategies`,
      );
  }
  return best.spec?.strategy ?? '';
}

/** The oldest emulated version, then the oldest program, then the one that came first. */
export function bestCandidate(candidates: readonly CandidateObject[]): CandidateObject | undefined {
  const created = ({ metadata }: CandidateObject): number => Date.parse(metadata.creationTimestamp ?? '');
  return candidates
    .filter(({ spec }) => versionOf(spec?.emulationVersion) && versionOf(spec?.binaryVersion))
    .toSorted(
      (a, b) =>
        compareVersions(emulatedOf(a), emulatedOf(b)) ||
        compareVersions(binaryOf(a), binaryOf(b)) ||
        created(a) - created(b),
    )[0];
}
