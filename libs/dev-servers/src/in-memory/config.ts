// The directory for temporary files. node:os reads it from this variable, which passes it to the suites' processes. Only this file in the
// folder reads the environment.
const directoryVariable = 'TMPDIR'

export const temporaryFilesOf = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/** Sets the directory for processes that start from now on. Undefined restores the system's default. */
export function tellTemporaryFiles(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
