/** The apiregistration.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const apiregistrationV1: PackageDeclaration = {
  alias: 'apiregistration',
  group: 'apiregistration.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
  strings: {
  },
  messages: {
    APIService: object('', {
      metadata: field(1, 'meta.ObjectMeta', 'Name, labels, annotations and the other metadata of the object.'),
      spec: field(2, 'APIServiceSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'APIServiceStatus', 'The observed state, as the system last reported it.'),
    }),
    APIServiceCondition: message('', {
      type: field(1, 'string', '', { required: true, keep: true }),
      status: field(2, 'string', 'Whether the condition holds: True, False or Unknown.', { required: true, keep: true }),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    APIServiceList: listOf('APIService'),
    APIServiceSpec: message('', {
      service: field(1, '*ServiceReference', ''),
      group: field(2, 'string', ''),
      version: field(3, 'string', ''),
      insecureSkipTLSVerify: field(4, 'bool', ''),
      caBundle: field(5, 'bytes', '', { list: 'atomic' }),
      groupPriorityMinimum: field(7, 'int32', '', { required: true, keep: true }),
      versionPriority: field(8, 'int32', '', { required: true, keep: true }),
    }),
    APIServiceStatus: message('', {
      conditions: field(1, '[]APIServiceCondition', '', { list: { map: ['type'] }, patch: 'merge', mergeKey: 'type' }),
    }),
    ServiceReference: message('', {
      namespace: field(1, 'string', ''),
      name: field(2, 'string', ''),
      port: field(3, '*int32', ''),
    }),
  },
  kinds: [
    {
      kind: 'APIService',
      plural: 'apiservices',
      singular: 'apiservice',
      namespaced: false,
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      categories: ['api-extensions'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      selectableFields: {
      },
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Service', 'string'),
        column('Available', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
