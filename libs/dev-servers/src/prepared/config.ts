// Where suites of one run leave what they have prepared for each other: a directory, told to the processes of
// the suites by this variable. The only file here that reads the environment.
const directoryVariable = 'TEST_PREPARED_DIRECTORY'

export const directoryOfRun = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/** For processes that are started from now on; undefined: there is none any more. */
export function tellDirectoryOfRun(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
