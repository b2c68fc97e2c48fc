// No other file in this folder reads the environment.

export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env['PATH'] ?? ''
