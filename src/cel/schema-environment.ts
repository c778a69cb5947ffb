/** The CEL environments of a schema's validation rules: `self`, and `oldSelf` as a value or as an optional. */
import { Environment } from './environment.ts';
import { optionalOf, type CelType } from './types.ts';

export interface RuleEnvironments {
  readonly plain: Environment;
  readonly optionalOldSelf: Environment;
}

/** `compatibility` is the minor version whose functions the rules may use; default all. */
export const ruleEnvironments = (self: CelType, compatibility?: number): RuleEnvironments => ({
  plain: new Environment({ variables: { self, oldSelf: self }, compatibility }),
  optionalOldSelf: new Environment({ variables: { self, oldSelf: optionalOf(self) }, compatibility }),
});
