// The suites of a run share a directory of prepared files. Only this file of the folder reads the environment.
const directoryVariable = 'TEST_PREPARED_DIRECTORY'

export const directoryOfRun = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/** For all processes started afterwards; undefined: no prepared files. */
export function tellDirectoryOfRun(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
