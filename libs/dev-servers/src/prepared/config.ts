// The suites of a run share a directory of prepared files. No other file in this folder reads the environment.
const directoryVariable = 'TEST_PREPARED_DIRECTORY'

export const directoryOfRun = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/** Sets the directory for all processes that start later. If `directory` is undefined, these processes have no prepared files. */
export function tellDirectoryOfRun(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
