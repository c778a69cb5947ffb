/** What a kind's validation consists of: ordered lists of named checks, each adding the errors it finds. */
import type { FieldError } from '../errors/index.ts';
import type { CelCompiler } from './cel-compiler.ts';

/** What a check may know besides the objects. */
export interface ValidationContext {
  /** Whether pods may ask for privileged containers (the API server's --allow-privileged). */
  readonly allowPrivileged: boolean;
  /** Feature gates that are set otherwise than v1.36 has them by default. */
  readonly features: Readonly<Record<string, boolean>>;
  /** Compiles CEL expressions; without it they are not compiled. */
  readonly cel?: CelCompiler;
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
/** Adds the warnings that a client gets along with the answer; `old` is absent on create. */
export type WarningCheck<T> = CheckShapes<T>['warn'];

export interface KindValidation<T extends object = object> {
  /** Objects of the kind are answered and not stored (reviews): they need no name. */
  readonly unstored?: true;
  readonly create: readonly CreateCheck<T>[];
  readonly update: readonly UpdateCheck<T>[];
  /** The checks of a write to /status. */
  readonly status?: readonly UpdateCheck<T>[];
  /** The checks of writes to other subresources that carry the kind itself (ephemeralcontainers, resize, finalize, approval). */
  readonly subresources?: Readonly<Record<string, readonly UpdateCheck<T>[]>>;
  readonly warnings?: readonly WarningCheck<T>[];
  /** The warnings of a write to /status, where a kind has any. */
  readonly statusWarnings?: readonly WarningCheck<T>[];
}
