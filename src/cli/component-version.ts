/** `--version` of a component, handled before all other flags, as upstream does. */
import { VERSION } from '../api/kubernetes-version.ts';
import { RUNTIME_NAME, RUNTIME_VERSION } from '../container-runtime/index.ts';
import { COMPATIBLE_VERSION } from '../etcd/index.ts';
import { UsageError } from '../flags/index.ts';

/** The value of `--version`; undefined without the flag, or where it sets the version that the component reports. */
export function requestedVersion(component: string, argv: readonly string[]): string | undefined {
  const word = argv.find((candidate) => /^--version(?:=|$)/.test(candidate));
  const value = word?.includes('=') ? word.slice(word.indexOf('=') + 1) : 'true';
  if (word === undefined || value === 'false') return undefined;
  return component === 'kube-apiserver' && value.startsWith('v') ? undefined : value;
}

/** The version as text and as JSON. */
export function componentVersion(component: string, requested: string): { text: string; value: object } {
  if (requested !== 'true' && requested !== 'raw')
    throw new UsageError(
      `--version=${requested} is not supported: only kube-apiserver can report another build of its version`,
    );
  if (component === 'etcd')
    return { text: `etcd Version: ${COMPATIBLE_VERSION}`, value: { etcdserver: COMPATIBLE_VERSION } };
  if (component === 'container-runtime')
    return {
      text: `${RUNTIME_NAME} ${RUNTIME_VERSION}`,
      value: { runtimeName: RUNTIME_NAME, runtimeVersion: RUNTIME_VERSION, runtimeApiVersion: 'v1' },
    };
  return { text: requested === 'raw' ? raw(VERSION) : `Kubernetes ${VERSION.gitVersion}`, value: VERSION };
}

/** Go's `%#v` notation, which scripts expect. */
const raw = (version: Readonly<Record<string, string>>): string =>
  `version.Info{${Object.entries(version)
    .map(([name, value]) => `${name[0]!.toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`)
    .join(', ')}}`;
