/** The Kubernetes release that these components implement. */
export const KUBERNETES_VERSION = 'v1.36.4';

const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.');

export const KUBERNETES_MAJOR = major;
export const KUBERNETES_MINOR = minor;

/** The response of /version. */
export const VERSION = {
  major: KUBERNETES_MAJOR,
  minor: KUBERNETES_MINOR,
  emulationMajor: KUBERNETES_MAJOR,
  emulationMinor: KUBERNETES_MINOR,
  minCompatibilityMajor: KUBERNETES_MAJOR,
  minCompatibilityMinor: String(Number(KUBERNETES_MINOR) - 1),
  gitVersion: KUBERNETES_VERSION,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.26.0',
  compiler: 'gc',
  platform: 'linux/amd64',
} as const;
