/**
 * Pure functions on API objects, without I/O and without a clock. Each area is a folder with an `index.ts` of its own:
 * `errors` (StatusErrors, field errors), `names`, `decode`, `defaulting`, `selectors`, `validation`, `patch`, `apply`,
 * `protobuf`, `table`, `openapi`, `quota`. `scripts/check-boundaries.mjs` has the rules which area may import which.
 */
export { BETA_GATES_OFF, FEATURE_GATE_DEFAULTS, featureEnabled } from './feature-gates.ts';
export { type KubeObject } from './object.ts';

export { behaviorFromAnnotation, behaviorToAnnotation } from './autoscaler-behavior.ts';
export { devicesFromV1, devicesToV1 } from './devices-v1beta1.ts';
