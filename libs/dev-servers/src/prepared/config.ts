// The suites of a run share a directory of prepared files. The variable passes the directory's path to the suites' processes. In this
// folder, only this file reads the environment.
const directoryVariable = 'TEST_PREPARED_DIRECTORY'

export const directoryOfRun = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/**
 * Sets the directory for all processes started afterwards. If `directory` is undefined, processes started afterwards have no directory of
 * prepared files.
 */
export function tellDirectoryOfRun(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
