/** What an expression may refer to: variables, functions and types. */
import { BINARY_MINOR } from '../api/kubernetes-version.ts';
import { functionTable, type FunctionTable, type Library } from './function-table.ts';
import { kubernetesLibraries } from './library/index.ts';
import { celGoListLibrary } from './library/lists.ts';
import type { MacroName } from './syntax-tree.ts';
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
  /** Only what this minor version of Kubernetes has; default everything. */
  readonly compatibility?: number | undefined;
}

export class Environment {
  readonly functions: FunctionTable;
  readonly types: ReadonlyMap<string, CelType>;
  readonly objects: ReadonlyMap<string, ObjectType>;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly #bindings: boolean;
  readonly #compatibility: number;

  constructor(options: EnvironmentOptions) {
    const { variables, objects = [], libraries = [], bindings = false, compatibility = BINARY_MINOR } = options;
    const base = baseOf(compatibility);
    const extended = [...base.libraries, ...libraries];
    this.functions = libraries.length === 0 ? base.functions : functionTable(extended);
    this.types = libraries.length === 0 ? base.types : typesOf(extended);
    this.#bindings = bindings;
    this.#compatibility = compatibility;
    this.variables = new Map(Object.entries(variables));
    this.objects = new Map(objects.map((type) => [type.name, type]));
  }

  /** Whether a macro is known that not every environment has. */
  hasMacro(name: MacroName): boolean {
    return name === 'bind' ? this.#bindings : isIn(celGoListLibrary, this.#compatibility);
  }
}

interface Base {
  readonly libraries: readonly Library[];
  readonly functions: FunctionTable;
  readonly types: ReadonlyMap<string, CelType>;
}

const bases = new Map<number, Base>();

/** The libraries that a minor version has. */
function baseOf(minor: number): Base {
  let base = bases.get(minor);
  if (!base) {
    const libraries = kubernetesLibraries.filter((library) => isIn(library, minor));
    bases.set(minor, (base = { libraries, functions: functionTable(libraries), types: typesOf(libraries) }));
  }
  return base;
}

const isIn = ({ introduced = 0 }: Library, minor: number): boolean => introduced <= minor;

function typesOf(libraries: readonly Library[]): ReadonlyMap<string, CelType> {
  return new Map([...Object.entries(TYPES), ...libraries.flatMap(({ types = {} }) => Object.entries(types))]);
}
