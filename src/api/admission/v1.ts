/** The admission.k8s.io group, v1. */
import { field, message, object, type PackageDeclaration } from '../declare.ts';

export const admissionV1: PackageDeclaration = {
  alias: 'admission',
  group: 'admission.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.api.admission.v1',
  strings: {
    Operation: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    PatchType: ['JSONPatch'],
  },
  messages: {
    AdmissionRequest: message('', {
      uid: field(1, 'string', '', { keep: true }),
      kind: field(2, 'meta.GroupVersionKind', '', { keep: true }),
      resource: field(3, 'meta.GroupVersionResource', '', { keep: true }),
      subResource: field(4, 'string', ''),
      requestKind: field(13, '*meta.GroupVersionKind', ''),
      requestResource: field(14, '*meta.GroupVersionResource', ''),
      requestSubResource: field(15, 'string', ''),
      name: field(5, 'string', ''),
      namespace: field(6, 'string', ''),
      operation: field(7, 'Operation', '', { keep: true }),
      userInfo: field(8, 'authentication.UserInfo', '', { keep: true }),
      object: field(9, 'RawExtension', ''),
      oldObject: field(10, 'RawExtension', ''),
      dryRun: field(11, '*bool', ''),
      options: field(12, 'RawExtension', ''),
    }),
    AdmissionResponse: message('', {
      uid: field(1, 'string', '', { keep: true }),
      allowed: field(2, 'bool', '', { keep: true }),
      status: field(3, '*meta.Status', ''),
      patch: field(4, 'bytes', ''),
      patchType: field(5, '*PatchType', ''),
      auditAnnotations: field(6, 'map[string]string', ''),
      warnings: field(7, '[]string', ''),
    }),
    AdmissionReview: object('', {
      request: field(1, '*AdmissionRequest', ''),
      response: field(2, '*AdmissionResponse', ''),
    }),
  },
  kinds: [
  ],
};
