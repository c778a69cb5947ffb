/** --emulated-version and --min-compatibility-version: `1.34` or `kube=1.34`. */
import {
  BINARY_MINOR,
  effectiveVersionOf,
  KUBERNETES_MAJOR,
  OLDEST_MINOR,
  type EffectiveVersion,
} from '../../api/kubernetes-version.ts';
import { aggregateMessage } from '../errors/index.ts';

/** Throws what upstream refuses a program's flags with. */
export function parseEffectiveVersion(
  emulated: readonly string[] = [],
  minCompatible: readonly string[] = [],
): EffectiveVersion {
  const emulation = parseVersion(emulated) ?? BINARY_MINOR;
  const version = {
    emulation,
    minCompatibility: parseVersion(minCompatible) ?? effectiveVersionOf(emulation).minCompatibility,
  };
  const problems = [
    ...outside('emulation version', version.emulation, `${KUBERNETES_MAJOR}.${BINARY_MINOR}.0`, BINARY_MINOR),
    ...outside(
      'minCompatibilityVersion version',
      version.minCompatibility,
      `${KUBERNETES_MAJOR}.${emulation}`,
      emulation,
    ),
  ];
  if (problems.length > 0) throw new RangeError(aggregateMessage(problems));
  return version;
}

function outside(what: string, minor: number, newest: string, newestMinor: number): string[] {
  if (minor >= OLDEST_MINOR && minor <= newestMinor) return [];
  return [`${what} ${KUBERNETES_MAJOR}.${minor} is not between [${KUBERNETES_MAJOR}.${OLDEST_MINOR}, ${newest}]`];
}

function parseVersion(given: readonly string[]): number | undefined {
  let minor: number | undefined;
  for (const text of given) {
    const [component, version] = text.includes('=') ? text.split('=', 2) : ['kube', text];
    if (component !== 'kube') throw new RangeError(`component not registered: ${component}`);
    const [, majorPart, minorPart, patch] = /^v?(\d+)\.(\d+)(\.\d+)?$/.exec(version ?? '') ?? [];
    if (minorPart === undefined) throw new RangeError(`could not parse ${JSON.stringify(version)} as version`);
    if (patch !== undefined)
      throw new RangeError(`patch version not allowed, got: kube=${majorPart}.${minorPart}${patch}`);
    if (minor !== undefined) {
      const before = `kube=${KUBERNETES_MAJOR}.${minor}`;
      throw new RangeError(`duplicate version flag, ${before} and kube=${majorPart}.${minorPart}`);
    }
    minor = majorPart === KUBERNETES_MAJOR ? Number(minorPart) : Number.NaN;
  }
  return minor;
}
