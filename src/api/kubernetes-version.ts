/** The Kubernetes release that these components implement. */
export const KUBERNETES_VERSION = 'v1.36.4';

const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');

export const KUBERNETES_MAJOR = major;
export const KUBERNETES_MINOR = minor;

/** The version that a component behaves as, and the oldest whose objects and peers it works with; minor versions of v1. */
export interface EffectiveVersion {
  readonly emulation: number;
  readonly minCompatibility: number;
}

export const BINARY_MINOR = Number(minor);
/** The oldest version that can be emulated, and be compatible with. */
export const OLDEST_MINOR = 33;

/** Compatible with the version before the emulated one, but not with any before the oldest. */
export const effectiveVersionOf = (emulation: number): EffectiveVersion => ({
  emulation,
  minCompatibility: Math.max(emulation - 1, OLDEST_MINOR),
});

/** Without --emulated-version. */
export const BINARY_EFFECTIVE_VERSION: EffectiveVersion = effectiveVersionOf(BINARY_MINOR);

/** The response of /version. */
export const versionInfo = ({ emulation, minCompatibility }: EffectiveVersion) =>
  ({
    major: KUBERNETES_MAJOR,
    minor: KUBERNETES_MINOR,
    emulationMajor: KUBERNETES_MAJOR,
    emulationMinor: String(emulation),
    minCompatibilityMajor: KUBERNETES_MAJOR,
    minCompatibilityMinor: String(minCompatibility),
    gitVersion: KUBERNETES_VERSION,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'go1.26.0',
    compiler: 'gc',
    platform: 'linux/amd64',
  }) as const;

export const VERSION = versionInfo(BINARY_EFFECTIVE_VERSION);
