// The directory of temporary files: node:os reads the variable, and the suites' processes inherit it. Only this file of the folder reads
// the environment.
const directoryVariable = 'TMPDIR'

export const temporaryFilesOf = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/** For all processes started afterwards; undefined restores the system's default. */
export function tellTemporaryFiles(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
