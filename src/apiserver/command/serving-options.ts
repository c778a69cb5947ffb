/** Validates the flags of serving. */
import { UsageError } from '../../flags/index.ts';
import { compileGoRegexp, GoRegexpError } from '../../machinery/validation/index.ts';
import type { ApiServerFlagValues } from './flags.ts';

const MAX_GOAWAY_CHANCE = 0.02;

export function checkServingFlags(values: ApiServerFlagValues): void {
  if (values['goaway-chance'] < 0 || values['goaway-chance'] > MAX_GOAWAY_CHANCE)
    throw new UsageError('--goaway-chance can not be less than 0 or greater than 0.02');
  if (values['shutdown-delay-duration'] < 0)
    throw new UsageError('--shutdown-delay-duration can not be negative value');
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
