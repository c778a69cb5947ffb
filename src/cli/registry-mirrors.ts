/** The values of --registry-mirror: `URL` for all registries, `HOST=URL` for one. */
import type { ClusterOptions } from '../cluster/index.ts';
import { UsageError } from '../flags/index.ts';

type Hosts = NonNullable<NonNullable<ClusterOptions['registries']>['hosts']>;

/** As in containerd's certs.d. */
const ALL_REGISTRIES = '_default';

export function registryMirrors(values: readonly string[]): Hosts {
  const mirrors = new Map<string, { url: string }[]>();
  for (const value of values) {
    const [, host = ALL_REGISTRIES, url = ''] = /^(?:([^=/]+)=)?(.*)$/.exec(value) ?? [];
    if (!/^https?:\/\//.test(url) || !URL.canParse(url))
      throw new UsageError(
        `--registry-mirror ${JSON.stringify(value)} is not a URL, such as http://127.0.0.1:5000, or HOST=URL`,
      );
    mirrors.set(host, [...(mirrors.get(host) ?? []), { url }]);
  }
  const general = mirrors.get(ALL_REGISTRIES) ?? [];
  return Object.fromEntries(
    Array.from(mirrors, ([host, own]) => [host, { mirrors: host === ALL_REGISTRIES ? own : [...own, ...general] }]),
  );
}
