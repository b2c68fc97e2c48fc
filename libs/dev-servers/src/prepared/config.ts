// The suites of a run share prepared files in a directory. With this variable, the processes of the suites get the path of the directory.
// No other file in this folder reads the environment.
const directoryVariable = 'TEST_PREPARED_DIRECTORY'

export const directoryOfRun = (env: NodeJS.ProcessEnv = process.env): string | undefined => env[directoryVariable]

/** Sets the directory for all processes that start afterwards. If `directory` is undefined, these processes have no such directory. */
export function tellDirectoryOfRun(directory: string | undefined, env: NodeJS.ProcessEnv = process.env): void {
  if (directory === undefined) delete env[directoryVariable]
  else env[directoryVariable] = directory
}
