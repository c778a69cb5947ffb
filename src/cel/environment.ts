/** What an expression may refer to: variables, functions and types. */
import { functionTable, type FunctionTable, type Library } from './function-table.ts';
import { kubernetesLibraries } from './library/index.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
  DYN,
  listOf,
  mapOf,
  type CelType,
  type ObjectType,
} from './types.ts';

const TYPES: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  bytes: BYTES,
  double: DOUBLE,
  int: INT,
  list: listOf(DYN),
  map: mapOf(DYN, DYN),
  null_type: NULL,
  string: STRING,
  type: TYPE,
  uint: UINT,
  'google.protobuf.Duration': DURATION,
  'google.protobuf.Timestamp': TIMESTAMP,
};

interface EnvironmentOptions {
  readonly variables: Readonly<Record<string, CelType>>;
  /** Objects that an expression may build, by their names. */
  readonly objects?: readonly ObjectType[];
  readonly libraries?: readonly Library[];
  /** Whether `cel.bind(name, value, expression)` is known. */
  readonly bindings?: boolean;
}

export class Environment {
  readonly functions: FunctionTable;
  readonly types: ReadonlyMap<string, CelType>;
  readonly objects: ReadonlyMap<string, ObjectType>;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly bindings: boolean;

  constructor({ variables, objects = [], libraries = [], bindings = false }: EnvironmentOptions) {
    this.functions = libraries.length === 0 ? BASE : functionTable([...kubernetesLibraries, ...libraries]);
    this.types = libraries.length === 0 ? BASE_TYPES : typesOf([...kubernetesLibraries, ...libraries]);
    this.bindings = bindings;
    this.variables = new Map(Object.entries(variables));
    this.objects = new Map(objects.map((type) => [type.name, type]));
  }
}

const BASE = functionTable(kubernetesLibraries);
const BASE_TYPES = typesOf(kubernetesLibraries);

function typesOf(libraries: readonly Library[]): ReadonlyMap<string, CelType> {
  return new Map([...Object.entries(TYPES), ...libraries.flatMap(({ types = {} }) => Object.entries(types))]);
}
