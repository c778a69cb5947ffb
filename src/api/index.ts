/**
 * The Kubernetes API as data: every kind that a v1.36 server serves and every field, declared once. A folder is an
 * API group, a file one version of it (the core group has one file per topic). `declare.ts` is the vocabulary,
 * `link-schema.ts` links the declarations into the schema that everything else works on, and `npm run generate`
 * writes the TypeScript interfaces in `generated/` from them.
 */
import { admissionV1 } from './admission/v1.ts';
import { admissionregistrationV1 } from './admissionregistration/v1.ts';
import { apidiscoveryV2 } from './apidiscovery/v2.ts';
import { apiextensionsV1 } from './apiextensions/v1.ts';
import { apiregistrationV1 } from './apiregistration/v1.ts';
import { appsV1 } from './apps/v1.ts';
import { authenticationV1 } from './authentication/v1.ts';
import { authorizationV1 } from './authorization/v1.ts';
import { autoscalingV1 } from './autoscaling/v1.ts';
import { autoscalingV2 } from './autoscaling/v2.ts';
import { batchV1 } from './batch/v1.ts';
import { certificatesV1 } from './certificates/v1.ts';
import { coordinationV1 } from './coordination/v1.ts';
import { coreV1 } from './core/v1/index.ts';
import type { PackageDeclaration } from './declare.ts';
import { discoveryV1 } from './discovery/v1.ts';
import { eventsV1 } from './events/v1.ts';
import { flowcontrolV1 } from './flowcontrol/v1.ts';
import { linkSchema } from './link-schema.ts';
import { metaV1 } from './meta/v1.ts';
import { networkingV1 } from './networking/v1.ts';
import { nodeV1 } from './node/v1.ts';
import { policyV1 } from './policy/v1.ts';
import { rbacV1 } from './rbac/v1.ts';
import { resourceV1 } from './resource/v1.ts';
import { schedulingV1 } from './scheduling/v1.ts';
import { storageV1 } from './storage/v1.ts';

export type * from './schema.ts';
export { apiVersionOf } from './schema.ts';
export type { ColumnDeclaration, UnionDeclaration } from './declare.ts';

/** In the order in which discovery lists the groups. */
export const packages: readonly PackageDeclaration[] = [
  metaV1,
  coreV1,
  apiregistrationV1,
  appsV1,
  eventsV1,
  authenticationV1,
  authorizationV1,
  autoscalingV2,
  autoscalingV1,
  batchV1,
  certificatesV1,
  networkingV1,
  policyV1,
  rbacV1,
  storageV1,
  admissionregistrationV1,
  apiextensionsV1,
  schedulingV1,
  coordinationV1,
  nodeV1,
  discoveryV1,
  resourceV1,
  flowcontrolV1,
  admissionV1,
  apidiscoveryV2,
];

export const schema = linkSchema(packages);
