/**
 * Command-line flags as the Kubernetes components have them: a component declares its flags in one table (`FlagTable`),
 * `parseFlags` reads a command line by it and `flagsHelp` writes the help from it. Flags of features that are missing
 * are in the table too, and fail by name; unknown flags fail with a suggestion.
 */
export { UsageError, type FlagDeclaration, type FlagTable, type FlagValues } from './flag-table.ts';
export { parseFlags, type ParsedFlags } from './parse-flags.ts';
export { flagsHelp } from './flags-help.ts';
export { flagTexts } from './flag-texts.ts';
export { clientFlags, leaderElectionFlags, loggingFlags, loggingOptions, processFlags } from './component-flags.ts';
