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
    AdmissionRequest: message('A request that a webhook is asked about.', {
      uid: field(1, 'string', 'ID of this call; the answer repeats it.', { keep: true }),
      kind: field(2, 'meta.GroupVersionKind', 'Kind of the object, as the webhook is given it.', { keep: true }),
      resource: field(3, 'meta.GroupVersionResource', 'Resource of the request, as the webhook matches it.', {
        keep: true,
      }),
      subResource: field(4, 'string', 'Subresource of the request, if any.'),
      requestKind: field(13, '*meta.GroupVersionKind', 'Kind in the original request, before conversion.'),
      requestResource: field(14, '*meta.GroupVersionResource', 'Resource in the original request, before conversion.'),
      requestSubResource: field(15, 'string', 'Subresource in the original request.'),
      name: field(5, 'string', 'Name of the object; may be empty when the server generates it.'),
      namespace: field(6, 'string', 'Namespace of the object, if any.'),
      operation: field(7, 'Operation', 'CREATE, UPDATE, DELETE or CONNECT.', { keep: true }),
      userInfo: field(8, 'authentication.UserInfo', 'Who makes the request.', { keep: true }),
      object: field(9, 'RawExtension', 'The new object.'),
      oldObject: field(10, 'RawExtension', 'The existing object, for UPDATE and DELETE.'),
      dryRun: field(11, '*bool', 'Whether nothing will be stored; default false.'),
      options: field(12, 'RawExtension', 'Options of the request, such as CreateOptions.'),
    }),
    AdmissionResponse: message("A webhook's answer.", {
      uid: field(1, 'string', 'ID of the call, from the request.', { keep: true }),
      allowed: field(2, 'bool', 'Whether the request may go on.', { keep: true }),
      status: field(3, '*meta.Status', 'Why the request is denied; ignored if it is allowed.'),
      patch: field(4, 'bytes', 'Changes to the object, as a JSON patch in base64.'),
      patchType: field(5, '*PatchType', 'Format of the patch: JSONPatch.'),
      auditAnnotations: field(6, 'map[string]string', 'Annotations for the audit log.'),
      warnings: field(7, '[]string', 'Warnings for the client, each at most 120 characters or so.'),
    }),
    AdmissionReview: object('Carries a request to a webhook and its answer back.', {
      request: field(1, '*AdmissionRequest', 'The request.'),
      response: field(2, '*AdmissionResponse', 'The answer.'),
    }),
  },
  kinds: [],
};
