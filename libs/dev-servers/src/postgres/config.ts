// In this folder, only this file reads the environment.

/** The search path for programs. */
export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env['PATH'] ?? ''
