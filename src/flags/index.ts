/**
 * Command-line flags as the Kubernetes components have them: a component declares its flags in one table (`FlagTable`),
 * `parseFlags` reads a command line by it and `flagsHelp` writes the help from it. Flags of features that are missing
 * are in the table too, and fail by name; unknown flags fail with a suggestion.
 */
export {
  UsageError,
  type FlagDeclaration,
  type FlagKind,
  type FlagTable,
  type FlagTypes,
  type FlagValues,
} from './flag-table.ts';
export { parseFlags, type ParsedFlags, type ParseFlagsOptions } from './parse-flags.ts';
export { flagsHelp, type HelpOptions } from './flags-help.ts';
export { loggingFlags, loggingOptions, processFlags } from './component-flags.ts';
