/** The admissionregistration.k8s.io group, v1alpha1: the first version of mutating admission policies. */
import { deprecatedSince, inVersion, kindsOf } from '../declare.ts';
import { admissionregistrationV1 } from './v1.ts';
import { rulesOfV1 } from './v1beta1.ts';

const { ParamRef, Variable } = admissionregistrationV1.messages;
const { parameterNotFoundAction } = ParamRef!.fields;
const DENIES_BY_DEFAULT = {
  ...parameterNotFoundAction!,
  options: { ...parameterNotFoundAction!.options, default: 'Deny' },
};

export const admissionregistrationV1alpha1 = inVersion(admissionregistrationV1, 'v1alpha1', {
  kinds: deprecatedSince(
    '1.35',
    kindsOf(admissionregistrationV1, ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding']),
  ),
  // Here, variables merge field by field.
  messages: {
    ...rulesOfV1,
    ParamRef: { ...ParamRef!, fields: { ...ParamRef!.fields, parameterNotFoundAction: DENIES_BY_DEFAULT } },
    Variable: { ...Variable!, atomic: false },
  },
});
