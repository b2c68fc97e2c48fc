// The suites of a run share a directory of prepared files. In this folder, only this file reads the environment.
const directoryVariable = 'TEST_PREPARED_DIRECTORY'

export const directoryOfRun = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/** Sets the directory for all processes started afterwards. If `directory` is undefined, they have no prepared files. */
export function tellDirectoryOfRun(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
