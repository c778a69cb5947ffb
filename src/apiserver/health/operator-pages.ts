/** Pages for operators: /statusz says what runs, /flagz with which flags, /debug/flags/v sets how much is logged. */
import { BINARY_EFFECTIVE_VERSION, type EffectiveVersion } from '../../api/kubernetes-version.ts';
import { quote } from '../../base/index.ts';
import { flagsPage, statusPage, type FlagTexts } from '../../component-server/index.ts';
import type { Context } from '../../kernel/index.ts';
import type { Endpoint } from '../request/endpoint.ts';
import { NO_SNIFF, respondText } from '../request/responses.ts';
import { respondPage } from './page-form.ts';

const COMPONENT = 'apiserver';
const DEBUG_PATHS = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'];

export function operatorPages(
  { clock, logger }: Pick<Context, 'clock' | 'logger'>,
  flags: FlagTexts,
  version: EffectiveVersion = BINARY_EFFECTIVE_VERSION,
): Endpoint[] {
  const status = statusPage({ component: COMPONENT, clock, version, paths: DEBUG_PATHS });
  const flagz = flagsPage(COMPONENT, flags);
  return [
    { path: '/statusz', plain: true, serve: ({ request }) => respondPage(request, status) },
    { path: '/flagz', plain: true, serve: ({ request }) => respondPage(request, flagz) },
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
