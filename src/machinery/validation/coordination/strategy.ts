/** Validates strategies of coordinated leader election: one of Kubernetes, or one with a domain prefix. */
import { type FieldError, invalidValue, notSupported, type Path } from '../../errors/index.ts';
import { qualifiedName } from '../../names/index.ts';

const STRATEGIES = ['OldestEmulationVersion'];

export function validateStrategy(errors: FieldError[], strategy: string, field: Path): void {
  // Upstream names the field twice.
  const at = field.child('strategy');
  if (strategy.includes('/'))
    for (const message of qualifiedName(strategy)) errors.push(invalidValue(at, strategy, message));
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(at, strategy, STRATEGIES));
}
