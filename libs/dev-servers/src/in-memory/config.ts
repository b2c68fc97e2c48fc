// The variable with the directory for temporary files. node:os reads it, and the processes of the suites inherit it. No other file in this
// folder reads the environment.
const directoryVariable = 'TMPDIR'

export const temporaryFilesOf = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/** Sets the directory for all processes that start afterwards. If `directory` is undefined, restores the default of the system. */
export function tellTemporaryFiles(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
