// The only file here that reads the environment.

/** Where programs are looked for. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env['PATH'] ?? ''
