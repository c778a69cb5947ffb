/** The order of API versions by stability. */
const KUBE_VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

interface KubeVersion {
  readonly stability: number;
  readonly major: number;
  readonly minor: number;
}

function parse(version: string): KubeVersion | undefined {
  const match = KUBE_VERSION.exec(version);
  if (!match) return undefined;
  const stability = match[2] === 'alpha' ? 0 : match[2] === 'beta' ? 1 : 2;
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

/** The preferred version first: v2, v1, v1beta2, v1beta1, v1alpha1, then other names in alphabetical order. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (left && right) {
    return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
  }
  if (left) return -1;
  if (right) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
