/** The apiregistration.k8s.io group, v1. */
import { column, field, listOf, message, object, type PackageDeclaration } from '../declare.ts';

export const apiregistrationV1: PackageDeclaration = {
  alias: 'apiregistration',
  group: 'apiregistration.k8s.io',
  version: 'v1',
  prefix: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
  strings: {},
  messages: {
    APIService: object('An API group version and the server behind it.', {
      metadata: field(1, 'meta.ObjectMeta', "Standard object's metadata: name, labels, annotations."),
      spec: field(2, 'APIServiceSpec', 'The desired state, as the user asks for it.'),
      status: field(3, 'APIServiceStatus', 'The observed state, as the system last reported it.'),
    }),
    APIServiceCondition: message("One aspect of the APIService's current state.", {
      type: field(1, 'string', 'Which condition: Available.', { required: true, keep: true }),
      status: field(2, 'string', 'Whether the condition holds: True, False or Unknown.', {
        required: true,
        keep: true,
      }),
      lastTransitionTime: field(3, 'Time', 'When the status last changed.'),
      reason: field(4, 'string', 'One CamelCase word on why the condition has its status.'),
      message: field(5, 'string', 'Details of the last change, for people to read.'),
    }),
    APIServiceList: listOf('APIService'),
    APIServiceSpec: message('Which API group version is served, and by whom.', {
      service: field(1, '*ServiceReference', 'Service that serves it; unset if this server does.'),
      group: field(2, 'string', 'Name of the API group.'),
      version: field(3, 'string', 'Name of the API version.'),
      insecureSkipTLSVerify: field(4, 'bool', "Do not verify the server's certificate; not recommended."),
      caBundle: field(5, 'bytes', "PEM certificates that the server's must chain to; default the system's.", {
        list: 'atomic',
      }),
      groupPriorityMinimum: field(7, 'int32', 'Order of groups: higher first; 1 to 20000.', {
        required: true,
        keep: true,
      }),
      versionPriority: field(8, 'int32', 'Order of versions in the group: higher first; 1 to 1000.', {
        required: true,
        keep: true,
      }),
    }),
    APIServiceStatus: message('State of an APIService.', {
      conditions: field(1, '[]APIServiceCondition', 'Conditions, such as Available.', {
        list: { map: ['type'] },
        patch: 'merge',
        mergeKey: 'type',
      }),
    }),
    ServiceReference: message('A Service that is called.', {
      namespace: field(1, 'string', 'Namespace of the Service.'),
      name: field(2, 'string', 'Name of the Service.'),
      port: field(3, '*int32', 'Port of the Service; default 443.', { default: 443 }),
    }),
  },
  kinds: [
    {
      kind: 'APIService',
      plural: 'apiservices',
      namespaced: false,
      categories: ['api-extensions'],
      subresources: {
        status: { verbs: ['get', 'patch', 'update'] },
      },
      selectableFields: {},
      columns: [
        column('Name', 'string', 0, 'name'),
        column('Service', 'string'),
        column('Available', 'string'),
        column('Age', 'string'),
      ],
    },
  ],
};
