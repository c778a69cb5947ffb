/**
 * Pure functions on API objects, without I/O and without a clock. Each area is a folder with an `index.ts` of its own:
 * `errors` (StatusErrors, field errors), `names`, `decode`, `defaulting`, `selectors`, `validation`, `patch`, `apply`,
 * `protobuf`, `table`, `openapi`, `quota`. `scripts/check-boundaries.mjs` has the rules which area may import which.
 */
export { compareVersions } from './version-order.ts';
export { featureEnabled, CONSULTED_GATES } from './feature-gates/feature-gates.ts';
export { gateStates, gatesWithoutEffect, setFeatureGates } from './feature-gates/set-gates.ts';
export { parseEffectiveVersion } from './feature-gates/effective-version.ts';
export { type KubeObject } from './object.ts';

export { behaviorFromAnnotation, behaviorToAnnotation } from './autoscaler-behavior.ts';
export { devicesFromV1, devicesToV1 } from './devices-v1beta1.ts';
