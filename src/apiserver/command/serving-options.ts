/** Validates the flags of serving. */
import { tlsSettings } from '../../component-server/index.ts';
import { parseNamedCertificate, UsageError } from '../../flags/index.ts';
import { compileGoRegexp, GoRegexpError } from '../../machinery/validation/index.ts';
import { http2CipherProblem } from '../../net/tls/index.ts';
import type { ApiServerFlagValues } from './flags.ts';

const MAX_GOAWAY_CHANCE = 0.02;

export function checkServingFlags(values: ApiServerFlagValues): void {
  if (values['goaway-chance'] < 0 || values['goaway-chance'] > MAX_GOAWAY_CHANCE)
    throw new UsageError('--goaway-chance can not be less than 0 or greater than 0.02');
  if (values['shutdown-delay-duration'] < 0)
    throw new UsageError('--shutdown-delay-duration can not be negative value');
  for (const directive of values['strict-transport-security-directives'] ?? []) {
    const problem = directiveProblem(directive);
    if (problem !== undefined) throw new UsageError(problem);
  }
  tlsSettings(values);
  for (const value of values['tls-sni-cert-key'] ?? []) parseNamedCertificate(value);
  const http2Problem = http2CipherProblem(values['tls-cipher-suites'] ?? []);
  const older = ['', 'VersionTLS10', 'VersionTLS11', 'VersionTLS12'].includes(values['tls-min-version']);
  if (http2Problem !== undefined && older && !values['disable-http2-serving'])
    throw new UsageError(`error configuring http2: ${http2Problem}`);
  for (const pattern of values['cors-allowed-origins'] ?? []) checkOrigin(pattern);
}

/** A pattern without both ends would also allow the origins of others: `example.com.attacker.org`. */
function checkOrigin(pattern: string): void {
  if (pattern === '') throw new UsageError('empty value in --cors-allowed-origins');
  const problem = regexpProblem(pattern);
  if (problem !== undefined)
    throw new UsageError(`--cors-allowed-origins has an invalid regular expression: ${problem}`);
}

function regexpProblem(pattern: string): string | undefined {
  try {
    compileGoRegexp(pattern);
  } catch (error) {
    if (error instanceof GoRegexpError || error instanceof SyntaxError) return error.message;
    throw error;
  }
  const hasStart = pattern.includes('^') || pattern.includes('//');
  const hasEnd = pattern.includes('$') || pattern.includes(':');
  return hasStart && hasEnd ? undefined : 'regular expression does not pin to start/end of host in the origin header';
}

const ALLOWED = 'max-age=expireTime, includeSubDomains, preload';
const SPECIFICATION = 'https://tools.ietf.org/html/rfc6797#section-6.1';

/** What is wrong with a directive of --strict-transport-security-directives. */
function directiveProblem(directive: string): string | undefined {
  if (directive.trim() === '') return 'empty value in strict-transport-security-directives';
  if (/^(?:includeSubDomains|preload|max-age=[^=]*)$/.test(directive)) return undefined;
  return `--strict-transport-security-directives invalid, allowed values: ${ALLOWED}. see ${SPECIFICATION} for more information`;
}
