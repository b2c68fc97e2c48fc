// This variable names the directory of temporary files. node:os reads it, and the suites' processes inherit it. In this folder, only this
// file reads the environment.
const directoryVariable = 'TMPDIR'

export const temporaryFilesOf = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/** Sets the directory for all processes started afterwards. Undefined restores the system's default. */
export function tellTemporaryFiles(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
