/** `--version` of a component, as upstream's programs have it: before anything else is looked at. */
import { VERSION } from '../api/kubernetes-version.ts';
import { RUNTIME_NAME, RUNTIME_VERSION } from '../container-runtime/index.ts';
import { COMPATIBLE_VERSION } from '../etcd/index.ts';
import { UsageError } from '../flags/index.ts';

/** Undefined when the words do not ask for it. */
export function askedVersion(argv: readonly string[]): string | undefined {
  const word = argv.find((candidate) => /^--version(?:=|$)/.test(candidate));
  const value = word?.includes('=') ? word.slice(word.indexOf('=') + 1) : 'true';
  return word === undefined || value === 'false' ? undefined : value;
}

/** The version in words, and as data. */
export function componentVersion(component: string, asked: string): { text: string; value: object } {
  if (asked !== 'true' && asked !== 'raw')
    throw new UsageError(`--version=${asked} is not supported: the version that is reported is the version that runs`);
  if (component === 'etcd')
    return { text: `etcd Version: ${COMPATIBLE_VERSION}`, value: { etcdserver: COMPATIBLE_VERSION } };
  if (component === 'container-runtime')
    return {
      text: `${RUNTIME_NAME} ${RUNTIME_VERSION}`,
      value: { runtimeName: RUNTIME_NAME, runtimeVersion: RUNTIME_VERSION, runtimeApiVersion: 'v1' },
    };
  return { text: asked === 'raw' ? raw(VERSION) : `Kubernetes ${VERSION.gitVersion}`, value: VERSION };
}

/** In Go's notation, which is what scripts that ask for it expect. */
const raw = (version: Readonly<Record<string, string>>): string =>
  `version.Info{${Object.entries(version)
    .map(([name, value]) => `${name[0]!.toUpperCase()}${name.slice(1)}:${JSON.stringify(value)}`)
    .join(', ')}}`;
