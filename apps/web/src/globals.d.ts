/** Routes of the API by operation id, which the build inserts (vite.config.ts). */
declare const apiRoutes: Readonly<Record<string, string>>
