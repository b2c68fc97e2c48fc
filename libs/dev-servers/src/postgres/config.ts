// In this folder, only this file reads the environment.

export const searchPath = (env: NodeJS.ProcessEnv = process.env): string => env['PATH'] ?? ''
