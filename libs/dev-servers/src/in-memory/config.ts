// This variable names the directory of temporary files. node:os reads the variable, and the processes of the suites inherit it. No other
// file in this folder reads the environment.
const directoryVariable = 'TMPDIR'

export const temporaryFilesOf = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/**
 * Sets the directory for all processes that are started after this call. With undefined, these processes use the system's default
 * directory.
 */
export function tellTemporaryFiles(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
