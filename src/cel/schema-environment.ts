/** The environments of a schema's rules: `self`, and `oldSelf` as it is or as an optional. */
import { Environment } from './environment.ts';
import { optionalOf, type CelType } from './types.ts';

export interface RuleEnvironments {
  readonly plain: Environment;
  readonly optionalOldSelf: Environment;
}

export const ruleEnvironments = (self: CelType): RuleEnvironments => ({
  plain: new Environment({ variables: { self, oldSelf: self } }),
  optionalOldSelf: new Environment({ variables: { self, oldSelf: optionalOf(self) } }),
});
