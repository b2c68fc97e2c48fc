/** Routes of the API by operation id, written in by the build (vite.config.ts). */
declare const apiRoutes: Readonly<Record<string, string>>
