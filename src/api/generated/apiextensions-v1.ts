// Generated from src/api by `npm run generate`. Do not edit.
import type { ListMeta, ObjectMeta, Status } from './meta-v1.ts';

export type ConditionStatus = string;

export type ConversionStrategyType = string;

export type CustomResourceDefinitionConditionType = string;

export type FieldValueErrorReason = string;

export type JSONSchemaURL = string;

export type ResourceScope = string;

/** Objects to convert. */
export interface ConversionRequest {
  /** ID of this call; the answer repeats it. */
  uid?: string;
  /** Version to convert to, such as example.com/v1. */
  desiredAPIVersion?: string;
  /** The objects. */
  objects?: unknown[];
}

/** The converted objects. */
export interface ConversionResponse {
  /** ID of the call, from the request. */
  uid?: string;
  /** The objects in the desired version, in the same order. */
  convertedObjects?: unknown[];
  /** Success, or why the conversion failed. */
  result?: Status;
}

/** Carries objects to a conversion webhook and back. */
export interface ConversionReview {
  apiVersion?: string;
  kind?: string;
  /** The objects to convert. */
  request?: ConversionRequest;
  /** The converted objects. */
  response?: ConversionResponse;
}

/** A column that kubectl get shows. */
export interface CustomResourceColumnDefinition {
  /** Heading of the column. */
  name: string;
  /** Type of the value, as in OpenAPI: string, integer, number, boolean or date. */
  type: string;
  /** OpenAPI format of the value, such as date-time. */
  format?: string;
  /** What the column shows. */
  description?: string;
  /** 0 is always shown; higher numbers only with -o wide. */
  priority?: number;
  /** Simple JSON path of the value in the object. */
  jsonPath: string;
}

/** How objects are converted between versions. */
export interface CustomResourceConversion {
  /** None (only apiVersion changes, default) or Webhook. */
  strategy: string;
  /** The webhook; needed for strategy Webhook. */
  webhook?: WebhookConversion;
}

/** Adds a resource to the API. */
export interface CustomResourceDefinition {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata: name, labels, annotations. */
  metadata: ObjectMeta;
  /** The desired state, as the user asks for it. */
  spec: CustomResourceDefinitionSpec;
  /** The observed state, as the system last reported it. */
  status?: CustomResourceDefinitionStatus;
}

/** One aspect of the definition's current state. */
export interface CustomResourceDefinitionCondition {
  /** Established, NamesAccepted, NonStructuralSchema, Terminating and others. */
  type: string;
  /** Whether the condition holds: True, False or Unknown. */
  status: string;
  /** When the status last changed. */
  lastTransitionTime?: string;
  /** One CamelCase word on why the condition has its status. */
  reason?: string;
  /** Details of the last change, for people to read. */
  message?: string;
  /** The metadata.generation on which the condition was set. */
  observedGeneration?: number;
}

/** A list of CustomResourceDefinition objects. */
export interface CustomResourceDefinitionList {
  apiVersion?: string;
  kind?: string;
  /** Metadata of the list. */
  metadata: ListMeta;
  /** The objects of the list. */
  items: CustomResourceDefinition[];
}

/** Names of a resource. */
export interface CustomResourceDefinitionNames {
  /** Plural name, used in URLs, in lower case. */
  plural: string;
  /** Singular name; default the kind in lower case. */
  singular?: string;
  /** Short names for kubectl. */
  shortNames?: string[];
  /** Kind of the objects, in CamelCase. */
  kind: string;
  /** Kind of lists; default kind followed by List. */
  listKind?: string;
  /** Categories the resource is in, such as all. */
  categories?: string[];
}

/** Names, scope and versions of a resource. */
export interface CustomResourceDefinitionSpec {
  /** API group; the definition is named plural.group. */
  group: string;
  /** Names of the resource. */
  names: CustomResourceDefinitionNames;
  /** Cluster or Namespaced. */
  scope: string;
  /** Versions; exactly one is stored. */
  versions: CustomResourceDefinitionVersion[];
  /** How objects are converted between versions; default None. */
  conversion?: CustomResourceConversion;
  /** Keep fields that the schema does not know; must be false in v1. */
  preserveUnknownFields?: boolean;
}

/** State of a definition. */
export interface CustomResourceDefinitionStatus {
  /** Conditions such as Established. */
  conditions?: CustomResourceDefinitionCondition[];
  /** Names in use; may differ from the wanted ones on conflict. */
  acceptedNames?: CustomResourceDefinitionNames;
  /** Versions in which objects may be stored. */
  storedVersions?: string[];
  /** The metadata.generation that this status describes. */
  observedGeneration?: number;
}

/** A version of a resource. */
export interface CustomResourceDefinitionVersion {
  /** Name of the version, such as v1beta1. */
  name: string;
  /** Whether the API serves it. */
  served: boolean;
  /** Whether objects are stored in it. */
  storage: boolean;
  /** Whether its use gives a warning; default false. */
  deprecated?: boolean;
  /** Text of that warning. */
  deprecationWarning?: string;
  /** Schema of the objects. */
  schema?: CustomResourceValidation;
  /** Subresources: status and scale. */
  subresources?: CustomResourceSubresources;
  /** Columns that kubectl get shows; default the age. */
  additionalPrinterColumns?: CustomResourceColumnDefinition[];
  /** Fields that field selectors may name; at most 8. */
  selectableFields?: SelectableField[];
}

/** Where the scale subresource finds its values. */
export interface CustomResourceSubresourceScale {
  /** JSON path of the wanted replicas, under .spec. */
  specReplicasPath: string;
  /** JSON path of the present replicas, under .status. */
  statusReplicasPath: string;
  /** JSON path of the selector string, under .spec or .status. */
  labelSelectorPath?: string;
}

/** Switches the status subresource on. */
export interface CustomResourceSubresourceStatus {
}

/** Subresources of a custom resource. */
export interface CustomResourceSubresources {
  /** Switches the status subresource on. */
  status?: CustomResourceSubresourceStatus;
  /** Switches the scale subresource on. */
  scale?: CustomResourceSubresourceScale;
}

/** The schema of a version. */
export interface CustomResourceValidation {
  /** The schema, in OpenAPI v3. */
  openAPIV3Schema?: JSONSchemaProps;
}

/** A link to more documentation. */
export interface ExternalDocumentation {
  /** What the link leads to. */
  description?: string;
  /** The link. */
  url?: string;
}

/** A JSON schema, as in OpenAPI v3, with Kubernetes extensions. */
export interface JSONSchemaProps {
  /** Not supported. */
  id?: string;
  /** Not supported. */
  $schema?: string;
  /** Not supported. */
  $ref?: string;
  /** What the value means. */
  description?: string;
  /** object, array, string, number, integer or boolean. */
  type?: string;
  /** Format of a string or number, such as date-time or int32. */
  format?: string;
  /** Title of the value. */
  title?: string;
  /** Value that is set when the field is absent. */
  default?: unknown;
  /** Greatest number. */
  maximum?: number;
  /** Whether the number must be less than maximum. */
  exclusiveMaximum?: boolean;
  /** Least number. */
  minimum?: number;
  /** Whether the number must be greater than minimum. */
  exclusiveMinimum?: boolean;
  /** Most characters of a string. */
  maxLength?: number;
  /** Fewest characters of a string. */
  minLength?: number;
  /** Regular expression that the string must match. */
  pattern?: string;
  /** Most elements of an array. */
  maxItems?: number;
  /** Fewest elements of an array. */
  minItems?: number;
  /** Must not be true; it would be too costly to check. */
  uniqueItems?: boolean;
  /** Number of which the value must be a multiple. */
  multipleOf?: number;
  /** Values that are allowed. */
  enum?: unknown[];
  /** Most properties of an object. */
  maxProperties?: number;
  /** Fewest properties of an object. */
  minProperties?: number;
  /** Properties that must be there. */
  required?: string[];
  /** Schema of an array's elements. */
  items?: (JSONSchemaProps | JSONSchemaProps[]);
  /** Schemas that must all match. */
  allOf?: JSONSchemaProps[];
  /** Schemas of which exactly one must match. */
  oneOf?: JSONSchemaProps[];
  /** Schemas of which at least one must match. */
  anyOf?: JSONSchemaProps[];
  /** Schema that must not match. */
  not?: JSONSchemaProps;
  /** Schemas of an object's properties. */
  properties?: Record<string, JSONSchemaProps>;
  /** Schema of all properties that are not listed; excludes properties. */
  additionalProperties?: (JSONSchemaProps | boolean);
  /** Not supported. */
  patternProperties?: Record<string, JSONSchemaProps>;
  /** Not supported. */
  dependencies?: Record<string, (JSONSchemaProps | string[])>;
  /** Not supported. */
  additionalItems?: (JSONSchemaProps | boolean);
  /** Not supported. */
  definitions?: Record<string, JSONSchemaProps>;
  /** Link to more documentation. */
  externalDocs?: ExternalDocumentation;
  /** An example of a value. */
  example?: unknown;
  /** Whether null is allowed; default false. */
  nullable?: boolean;
  /** Keep fields that the schema does not list. */
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  /** Whether the object has apiVersion, kind and metadata of its own. */
  'x-kubernetes-embedded-resource'?: boolean;
  /** Whether the value is an integer or a string. */
  'x-kubernetes-int-or-string'?: boolean;
  /** Fields that identify the elements of a map list. */
  'x-kubernetes-list-map-keys'?: string[];
  /** How lists merge: atomic (default), set or map. */
  'x-kubernetes-list-type'?: string;
  /** How objects merge: granular (default) or atomic. */
  'x-kubernetes-map-type'?: string;
  /** CEL rules that the value must pass. */
  'x-kubernetes-validations'?: ValidationRule[];
}

/** A field that field selectors may name. */
export interface SelectableField {
  /** JSON path of the field, such as .spec.color. */
  jsonPath: string;
}

/** A Service that is called. */
export interface ServiceReference {
  /** Namespace of the Service. */
  namespace: string;
  /** Name of the Service. */
  name: string;
  /** URL path of the call. */
  path?: string;
  /** Port of the Service; default 443. */
  port?: number;
}

/** A CEL rule that a value must pass. */
export interface ValidationRule {
  /** CEL expression over self, and oldSelf on updates. */
  rule: string;
  /** Message when the rule fails. */
  message?: string;
  /** CEL expression that gives the message; wins over message. */
  messageExpression?: string;
  /** FieldValueInvalid (default), FieldValueForbidden, FieldValueRequired or FieldValueDuplicate. */
  reason?: string;
  /** Path of the field to blame, relative to the value. */
  fieldPath?: string;
  /** Run the rule on creation too, with oldSelf as an optional. */
  optionalOldSelf?: boolean;
}

/** How to reach a webhook; either url or service. */
export interface WebhookClientConfig {
  /** URL of the webhook; must begin with https://. */
  url?: string;
  /** Service of the webhook. */
  service?: ServiceReference;
  /** PEM certificates that the server's must chain to; default the system's. */
  caBundle?: string;
}

/** A webhook that converts objects. */
export interface WebhookConversion {
  /** How to reach the webhook. */
  clientConfig?: WebhookClientConfig;
  /** ConversionReview versions that it understands, best first. */
  conversionReviewVersions: string[];
}
