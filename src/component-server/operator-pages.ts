/** The texts of /statusz and /flagz, and the objects of config.k8s.io that programs get instead. */
import { KUBERNETES_MAJOR, KUBERNETES_VERSION, VERSION, type EffectiveVersion } from '../api/kubernetes-version.ts';
import { formatTime } from '../base/index.ts';
import type { Clock } from '../kernel/index.ts';

/** The flags by their names, with their values as text. */
export type FlagTexts = Readonly<Record<string, string>>;

export interface OperatorPage {
  readonly component: string;
  /** `Statusz`; the path is the same in lower case. */
  readonly kind: string;
  text(): string;
  /** The fields besides kind, apiVersion and metadata. */
  fields(): Readonly<Record<string, unknown>>;
}

interface StatusOptions {
  readonly component: string;
  readonly clock: Clock;
  readonly version: EffectiveVersion;
  readonly paths: readonly string[];
}

/** What runs, since the page was made. */
export function statusPage({ component, clock, version, paths }: StatusOptions): OperatorPage {
  const startedAt = clock.now();
  const uptimeSeconds = (): number => Math.floor((clock.now() - startedAt) / 1000);
  const binaryVersion = KUBERNETES_VERSION.slice(1);
  const emulationVersion = `${KUBERNETES_MAJOR}.${version.emulation}`;
  return {
    component,
    kind: 'Statusz',
    text: () => `${head(component, 'statusz')}
Started: ${unixDate(startedAt)}
Up: ${duration(uptimeSeconds())}
Go version: ${VERSION.goVersion}
Binary version: ${binaryVersion}
Emulation version: ${emulationVersion}
Paths: ${paths.join(' ')}
`,
    fields: () => ({
      startTime: formatTime(startedAt),
      uptimeSeconds: uptimeSeconds(),
      goVersion: VERSION.goVersion,
      binaryVersion,
      emulationVersion,
      paths,
    }),
  };
}

export const flagsPage = (component: string, flags: FlagTexts): OperatorPage => ({
  component,
  kind: 'Flagz',
  text: () =>
    head(component, 'flagz') +
    Object.keys(flags)
      .sort()
      .map((name) => `${name}=${flags[name]}\n`)
      .join(''),
  fields: () => ({ flags }),
});

const head = (component: string, page: string): string => `
${component} ${page}
Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.
`;

function duration(seconds: number): string {
  const twoDigits = (part: number): string => String(part).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${twoDigits(Math.floor(seconds / 60) % 60)} min ${twoDigits(seconds % 60)} sec`;
}

/** As date(1) prints it: `Tue Nov 17 15:23:19 UTC 2026`. */
function unixDate(time: number): string {
  const [weekday, day, month, year, clockTime] = new Date(time).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${clockTime} UTC ${year}`;
}
