/**
 * validatingadmissionpolicy-status-controller: type-checks the CEL expressions of ValidatingAdmissionPolicies, and writes
 * the warnings and the observed generation into their status.
 */
import { schema } from '../../api/index.ts';
import { typeCheckPolicy } from '../../cel/admission/index.ts';
import { keyOf } from '../../client/index.ts';
import { enqueueOnChange, keyedLoop, type ControllerContext, type ControllerDescriptor } from '../controller.ts';
import { ignoreNotFound } from '../ignore-not-found.ts';
import { customKinds } from './custom-kinds.ts';

const FIELD_MANAGER = 'validatingadmissionpolicy-status';

export const validatingAdmissionPolicyStatusController: ControllerDescriptor = {
  name: 'validatingadmissionpolicy-status-controller',
  build(context) {
    const { informers, signal } = context;
    const policies = informers.informer('admissionregistration.k8s.io/v1/validatingadmissionpolicies');

    const reconcile = async (name: string, { client }: ControllerContext): Promise<void> => {
      const policy = policies.get(name);
      if (!policy || (policy.status?.observedGeneration ?? 0) >= (policy.metadata.generation ?? 0)) return;
      const custom = await customKinds(context, policy);
      const expressionWarnings = typeCheckPolicy(
        policy,
        (group, version, plural) =>
          schema.resource(group, version, plural) ?? custom.get(`${group}/${version}/${plural}`),
      );
      await ignoreNotFound(() =>
        client.resource('admissionregistration.k8s.io/v1/validatingadmissionpolicies').apply(
          {
            apiVersion: 'admissionregistration.k8s.io/v1',
            kind: 'ValidatingAdmissionPolicy',
            metadata: { name },
            status: {
              observedGeneration: policy.metadata.generation,
              typeChecking: expressionWarnings.length > 0 ? { expressionWarnings } : {},
            },
          },
          { fieldManager: FIELD_MANAGER, force: true, subresource: 'status', signal },
        ),
      );
    };

    const { queue, run } = keyedLoop(context, 'validatingadmissionpolicy-status', 5, reconcile);
    enqueueOnChange(policies, queue, keyOf);
    return run;
  },
};
