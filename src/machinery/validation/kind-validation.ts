/** The validation of a kind: ordered lists of named checks, each of which adds its errors. */
import type { FieldError } from '../errors/index.ts';
import type { CelCompiler } from './cel-compiler.ts';

/** What checks depend on besides the objects. */
export interface ValidationContext {
  /** Whether pods may have privileged containers (--allow-privileged of the API server). */
  readonly allowPrivileged: boolean;
  /** Feature gates that differ from the defaults of v1.36. */
  readonly features: Readonly<Record<string, boolean>>;
  /** Compiles CEL expressions; without it they are not compiled. */
  readonly cel?: CelCompiler | undefined;
  /** The oldest minor version whose servers read the objects, if it is not of the last release. */
  readonly compatibility?: number;
  /** What the rules of a custom resource may cost here; more throws AllowanceExceededError. Without it, as upstream. */
  readonly ruleAllowance?: number;
}

export const DEFAULT_VALIDATION_CONTEXT: ValidationContext = { allowPrivileged: true, features: {} };

/*
 * Declared as methods, so that a list of checks on Pods is a list of checks on objects: the registry's key decides
 * which kind reaches which check.
 */
interface CheckShapes<T> {
  create(errors: FieldError[], object: T, context: ValidationContext): void;
  update(errors: FieldError[], object: T, old: T, context: ValidationContext): void;
  warn(warnings: string[], object: T, old: T | undefined, context: ValidationContext): void;
}

export type CreateCheck<T> = CheckShapes<T>['create'];
export type UpdateCheck<T> = CheckShapes<T>['update'];
/** Adds the warnings of a response; `old` is absent on create. */
export type WarningCheck<T> = CheckShapes<T>['warn'];

export interface KindValidation<T extends object = object> {
  /** Objects of the kind (reviews) are not stored and need no name. */
  readonly unstored?: true;
  readonly create: readonly CreateCheck<T>[];
  readonly update: readonly UpdateCheck<T>[];
  /** The checks of a write to /status. */
  readonly status?: readonly UpdateCheck<T>[];
  /**
   * The checks of writes to other subresources with the same kind (ephemeralcontainers, resize, finalize, approval).
   */
  readonly subresources?: Readonly<Record<string, readonly UpdateCheck<T>[]>>;
  readonly warnings?: readonly WarningCheck<T>[];
  /** The warnings of a write to /status. */
  readonly statusWarnings?: readonly WarningCheck<T>[];
  /** Warnings that validation itself gives, also for an object that it refuses. */
  refusalWarnings?(object: T): readonly string[];
}
