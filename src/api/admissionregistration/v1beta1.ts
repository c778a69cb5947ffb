/**
 * The admissionregistration.k8s.io group, v1beta1: admission policies before they became stable. Validating ones are
 * served in this version by releases before v1.34 alone.
 */
import { deprecatedSince, inVersion, kindsOf, type MessageDeclarations } from '../declare.ts';
import { admissionregistrationV1 } from './v1.ts';

const { NamedRuleWithOperations } = admissionregistrationV1.messages;
const { ruleWithOperations } = NamedRuleWithOperations!.fields;

/** The rules of other versions are of the types of v1. */
export const rulesOfV1: MessageDeclarations = {
  NamedRuleWithOperations: {
    ...NamedRuleWithOperations!,
    fields: {
      ...NamedRuleWithOperations!.fields,
      ruleWithOperations: { ...ruleWithOperations!, type: 'admissionregistration.RuleWithOperations' },
    },
  },
};

export const admissionregistrationV1beta1 = inVersion(admissionregistrationV1, 'v1beta1', {
  kinds: [
    ...kindsOf(admissionregistrationV1, ['MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding']),
    ...deprecatedSince(
      '1.31',
      kindsOf(admissionregistrationV1, ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']),
    ),
  ],
  messages: rulesOfV1,
  // Any text is a value in the eyes of OpenAPI.
  strings: { FailurePolicyType: [], MatchPolicyType: [] },
});
