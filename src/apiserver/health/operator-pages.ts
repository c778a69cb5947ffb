/** Pages for operators: /statusz says what runs, /flagz with which flags, /debug/flags/v sets how much is logged. */
import { KUBERNETES_MAJOR, KUBERNETES_MINOR, KUBERNETES_VERSION, VERSION } from '../../api/kubernetes-version.ts';
import { formatTime, quote } from '../../base/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { Endpoint } from '../request/endpoint.ts';
import { NO_SNIFF, respondText } from '../request/responses.ts';
import { pageHead, respondPage } from './page-form.ts';

/** The flags by their names, with their values as text. */
export type FlagTexts = Readonly<Record<string, string>>;

const DEBUG_PATHS = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];

export function operatorPages({ clock, logger }: Pick<Context, 'clock' | 'logger'>, flags: FlagTexts): Endpoint[] {
  const startedAt = clock.now();
  const uptimeSeconds = (): number => Math.floor((clock.now() - startedAt) / 1000);
  return [
    {
      path: '/statusz',
      plain: true,
      serve: ({ request }) =>
        respondPage(request, {
          kind: 'Statusz',
          text: () => statusText(startedAt, uptimeSeconds()),
          fields: () => ({
            startTime: formatTime(startedAt),
            uptimeSeconds: uptimeSeconds(),
            goVersion: VERSION.goVersion,
            binaryVersion: BINARY_VERSION,
            emulationVersion: EMULATION_VERSION,
            paths: DEBUG_PATHS,
          }),
        }),
    },
    {
      path: '/flagz',
      plain: true,
      serve: ({ request }) =>
        respondPage(request, { kind: 'Flagz', text: () => flagsText(flags), fields: () => ({ flags }) }),
    },
    {
      path: '/debug/flags/*',
      async serve({ request }) {
        if (request.path !== '/debug/flags/v') return undefined;
        if (request.method !== 'PUT') return plain(406, 'unsupported http method\n');
        const value = (await request.readBody()).toString();
        const problem = /^[+-]?\d+$/.test(value) ? undefined : 'invalid syntax';
        if (problem !== undefined)
          return plain(
            400,
            `failed set klog.logging.verbosity ${value}: strconv.ParseInt: parsing ${quote(value)}: ${problem}`,
          );
        logger.setVerbosity?.(Number(value));
        return plain(200, `successfully set klog.logging.verbosity to ${value}`);
      },
    },
  ];
}

const plain = (status: number, text: string): ReturnType<typeof respondText> =>
  respondText(status, text, { 'content-type': 'text/plain', ...NO_SNIFF });

const BINARY_VERSION = KUBERNETES_VERSION.slice(1);
const EMULATION_VERSION = `${KUBERNETES_MAJOR}.${KUBERNETES_MINOR}`;

function statusText(startedAt: number, seconds: number): string {
  const twoDigits = (part: number): string => String(part).padStart(2, '0');
  const up = `${Math.floor(seconds / 3600)} hr ${twoDigits(Math.floor(seconds / 60) % 60)} min ${twoDigits(seconds % 60)} sec`;
  return `${pageHead('Statusz')}
Started: ${unixDate(startedAt)}
Up: ${up}
Go version: ${VERSION.goVersion}
Binary version: ${BINARY_VERSION}
Emulation version: ${EMULATION_VERSION}
Paths: ${DEBUG_PATHS.join(' ')}
`;
}

/** As date(1) prints it: `Tue Nov 17 15:23:19 UTC 2026`. */
function unixDate(time: number): string {
  const [weekday, day, month, year, clockTime] = new Date(time).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${String(Number(day)).padStart(2)} ${clockTime} UTC ${year}`;
}

const flagsText = (flags: FlagTexts): string =>
  pageHead('Flagz') +
  Object.keys(flags)
    .sort()
    .map((name) => `${name}=${flags[name]}\n`)
    .join('');
